-- Returns the state of a unit that follows from its events: `life` by audience, null if it is new for all, and `ended_at`. `kinds`
-- has the `state`, `audience` and `ends` of each kind. A corrected event counts as what its last correction puts in its place.
create or replace function public.carnet_life_state(account integer, unit uuid, kinds jsonb)
returns table (life jsonb, ended_at timestamptz) language plpgsql stable as $$
declare
  standing jsonb;
begin
  select jsonb_agg(to_jsonb(s)) into standing from (
    select e.number, coalesce(c.data->'event'->>'kind', e.kind) as kind,
      coalesce(case
        when length(c.data->'event'->>'at') = 10 then (c.data->'event'->>'at') || 'T00:00:00Z'
        else c.data->'event'->>'at' end::timestamptz, e.at) as at,
      case when c.number is null then e.is_public
        else (c.data->'event'->>'public') is distinct from 'false' end as is_public
    from life_event e left join lateral (
      select c.number, c.data from life_event c
      where c.account_id = account and c.passport_id = unit and c.corrects = e.number order by c.number desc limit 1) c on true
    where e.account_id = account and e.passport_id = unit and e.kind <> 'correction'
      and (c.number is null or c.data ? 'event')
      and kinds->coalesce(c.data->'event'->>'kind', e.kind) ?| array['state', 'ends']
  ) s;
  return query
    select (
        select jsonb_object_agg(a.name, w.word)
        from unnest(array['own', 'public', 'legitimate_interest', 'authority']) as a(name)
        cross join lateral (
          select kinds->s.kind->>'state' as word
          from jsonb_to_recordset(standing) as s(number integer, kind text, at timestamptz, is_public boolean)
          where kinds->s.kind ? 'state' and (a.name = 'own' or kinds->s.kind->'audience' ? a.name)
            and (a.name <> 'public' or s.is_public)
          order by s.at desc, s.number desc limit 1) w),
      (
        select min(s.at) from jsonb_to_recordset(standing) as s(kind text, at timestamptz)
        where (kinds->s.kind->>'ends')::boolean);
end $$;
