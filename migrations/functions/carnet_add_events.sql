-- Appends events to the logs of units, sorted by unit and place in `entries`, and returns for each place its number, hash and time,
-- or the reason why it is left out. Locks the logs by unit, and no passport. `kinds`: see carnet_life_state.
create or replace function public.carnet_add_events(account integer, entries jsonb, kinds jsonb, max_events integer)
returns jsonb language plpgsql as $$
declare
  units uuid[];
  judged jsonb;
  chained jsonb;
  moved record;
  state record;
begin
  select array_agg(distinct i.unit) into units from jsonb_to_recordset(entries) as i(unit uuid);
  insert into unit_life (account_id, passport_id)
  select account, i.id from unnest(units) as i(id) order by i.id
  on conflict (account_id, passport_id) do nothing;
  perform 1 from unit_life l where l.account_id = account and l.passport_id = any(units) order by l.passport_id for update;
  -- The log of the unit as it stands before the call, and for a correction the event that it is about.
  select jsonb_agg(to_jsonb(j)) into judged from (
    select i.*, l.events, coalesce(l.hash, public.carnet_life_start(public.carnet_birth_hash(p.id, p.level, p.category, p.model_id,
        p.parent_id, p.lot, p.serial))) as head,
      greatest(i.stored_at, l.changed_at) as stored, i.is_public or coalesce(c.is_public, false) as shown, c.kind as about,
      case
        when i.corrects is not null and c.number is null then 'not_found'
        when c.kind = 'correction' then 'is_correction'
        when kinds->c.kind->>'by' = 'server' then 'by_server'
        when i.corrects is null and (l.ended is not null or coalesce(bool_or(i.ends) over (
          partition by i.unit order by i.place rows between unbounded preceding and 1 preceding), false)) then 'ended'
      end as reason
    from jsonb_to_recordset(entries) as i(place integer, unit uuid, kind text, at timestamptz, is_day boolean,
      stored_at timestamptz, actor integer, link_id uuid, once uuid, is_public boolean, ends boolean, moves boolean,
      corrects integer, data jsonb)
    join unit_life l on l.account_id = account and l.passport_id = i.unit
    join passport p on p.account_id = account and p.id = i.unit
    left join lateral (
      select e.number, e.kind, e.is_public or exists (
        select from life_event k where k.account_id = account and k.passport_id = i.unit and k.corrects = e.number and k.is_public
      ) as is_public
      from life_event e where e.account_id = account and e.passport_id = i.unit and e.number = i.corrects) c on true
  ) j;
  select jsonb_agg(to_jsonb(h)) into chained from (
    select n.*, public.carnet_chain(n.head, public.carnet_event_facts(n.number, n.kind, n.at, n.is_day, n.stored, n.actor, n.link_id,
      n.shown, n.data)) over (partition by n.unit order by n.number) as hash
    from (
      select j.*, j.events + (row_number() over (partition by j.unit order by j.place))::integer as number
      from jsonb_to_recordset(judged) as j(place integer, unit uuid, kind text, at timestamptz, is_day boolean, stored timestamptz,
        actor integer, link_id uuid, once uuid, shown boolean, moves boolean, data jsonb, events integer, head bytea, reason text)
      where j.reason is null
    ) n
    where n.number <= max_events
  ) h;
  insert into life_event (account_id, passport_id, number, kind, at, is_day, stored_at, actor, link_id, once, is_public, data, hash)
  select account, h.unit, h.number, h.kind, h.at, h.is_day, h.stored, h.actor, h.link_id, h.once, h.shown, h.data, h.hash
  from jsonb_to_recordset(chained) as h(unit uuid, number integer, kind text, at timestamptz, is_day boolean, stored timestamptz,
    actor integer, link_id uuid, once uuid, shown boolean, data jsonb, hash bytea);
  for moved in
    select h.unit, max(h.number) as events, max(h.stored) as stored, (count(*) filter (where h.shown))::integer as shown,
      bool_or(h.moves) as moves, (array_agg(h.hash order by h.number desc))[1] as head
    from jsonb_to_recordset(chained) as h(unit uuid, number integer, stored timestamptz, shown boolean, moves boolean, hash bytea)
    group by h.unit order by h.unit
  loop
    update unit_life l set events = moved.events, public_events = l.public_events + moved.shown, hash = moved.head,
      changed_at = moved.stored
    where l.account_id = account and l.passport_id = moved.unit;
    continue when not moved.moves;
    select * into state from public.carnet_life_state(account, moved.unit, kinds);
    update unit_life l set life = state.life,
      ended = case when l.ended = 's' /* succeeded */ then l.ended when state.ended_at is not null then 'e' end,
      ended_at = case when l.ended = 's' then l.ended_at else state.ended_at end
    where l.account_id = account and l.passport_id = moved.unit;
  end loop;
  return (
    select jsonb_agg(jsonb_build_object('place', j.place, 'reason', coalesce(j.reason, case when h.number is null then 'full' end),
      'number', h.number, 'hash', encode(h.hash, 'hex'), 'is_public', h.shown, 'about', j.about,
      'stored_at', floor(extract(epoch from h.stored) * 1000)) order by j.place)
    from jsonb_to_recordset(judged) as j(place integer, reason text, about text)
    left join jsonb_to_recordset(chained) as h(place integer, number integer, hash bytea, shown boolean, stored timestamptz)
      on h.place = j.place);
end $$;
