-- Returns the facts of an event that its hash covers, one on a line.
create or replace function public.carnet_event_facts(number integer, kind text, at timestamptz, is_day boolean, stored_at timestamptz,
  actor integer, link_id uuid, is_public boolean, data jsonb)
returns text language sql stable parallel safe as $$
  select number::text || E'\n' || kind || E'\n'
    || to_char(at at time zone 'UTC', case when is_day then 'YYYY-MM-DD' else 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"' end) || E'\n'
    || to_char(stored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || E'\n' || actor::text || E'\n'
    || coalesce(link_id::text, '') || E'\n' || case when is_public then 'public' else '' end || E'\n' || data::text
$$;
