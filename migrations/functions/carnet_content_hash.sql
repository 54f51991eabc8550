-- Returns the hash of a content. Text is hashed, one fact on a line; docs/backup.md explains how to compute it from an export.
create or replace function public.carnet_content_hash(owner_id uuid, upto integer, model_upto integer, own_fields text[], data jsonb)
returns bytea language sql stable parallel safe as $$
  select public.carnet_sha256(owner_id::text || E'\n' || upto::text || E'\n' || coalesce(model_upto::text, '') || E'\n'
    || coalesce(to_jsonb(own_fields)::text, '') || E'\n' || data::text)
$$;
