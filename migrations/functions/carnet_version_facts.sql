-- Returns the facts of a version that its hash covers, one on a line.
create or replace function public.carnet_version_facts(version_no integer, kind "char", created_at timestamptz, created_by integer,
  content_hash bytea, own jsonb, note text, changed text[])
returns text language sql stable parallel safe as $$
  select version_no::text || E'\n' || kind::text || E'\n'
    || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || E'\n' || created_by::text || E'\n'
    || encode(content_hash, 'hex') || E'\n' || coalesce(own::text, '') || E'\n' || coalesce(to_jsonb(note)::text, '') || E'\n'
    || coalesce(to_jsonb(changed)::text, '')
$$;
