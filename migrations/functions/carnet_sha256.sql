-- Returns the SHA-256 of a text. Stable and not immutable, as convert_to is, so that statements inline it.
create or replace function public.carnet_sha256(body text) returns bytea language sql stable parallel safe as $$
  select sha256(convert_to(body, 'UTF8'))
$$;
