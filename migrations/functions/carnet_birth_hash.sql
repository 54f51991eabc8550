-- Returns the hash of what never changes in a passport. It stands in for the version before the first.
create or replace function public.carnet_birth_hash(id uuid, level "char", category text, model_id uuid, parent_id uuid, lot text, serial text)
returns bytea language sql stable parallel safe as $$
  select public.carnet_sha256(id::text || E'\n' || level::text || E'\n' || category || E'\n' || model_id::text || E'\n'
    || coalesce(parent_id::text, '') || E'\n' || coalesce(lot, '') || E'\n' || coalesce(serial, ''))
$$;
