-- Returns the hash of a version from that of the version before it.
create or replace function public.carnet_link(before bytea, facts text) returns bytea language sql stable parallel safe as $$
  select public.carnet_sha256(encode(before, 'hex') || E'\n' || facts)
$$;
