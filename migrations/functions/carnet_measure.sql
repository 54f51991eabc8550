-- Stores measurements of items of an account, and moves their latest values. `sent`: SentRow[] of
-- src/passports/in-use/store-measurements.ts, each item and second once. Returns for each its number and what became of it: 'new',
-- 'same' (stored already), 'duplicate' (with what is stored), 'revisions' or 'day' (too many), 'ended'; and the latest values before.
-- It locks the latest values in the order of ids, and nothing else: no passport and no counter.
create or replace function public.carnet_measure(account integer, actor integer, sent jsonb, is_dry_run boolean)
returns jsonb language plpgsql as $$
declare
  ids uuid[];
  decided jsonb;
  latest jsonb;
  gone record;
  earlier record;
begin
  select array_agg(distinct i.id order by i.id) into ids from jsonb_to_recordset(sent) as i(id uuid);
  if not is_dry_run then
    insert into measurement_latest (account_id, passport_id, "values", seconds, bits, first_at, last_at)
    select account, i.id, '{}', '{}', 0, min(i.at), max(i.at) from jsonb_to_recordset(sent) as i(id uuid, at timestamptz)
    group by i.id order by i.id
    on conflict do nothing;
    perform 1 from measurement_latest l where l.account_id = account and l.passport_id = any(ids)
    order by l.passport_id for no key update;
  end if;
  select jsonb_object_agg(l.passport_id, jsonb_build_array(l."values", l.seconds)) into latest
  from measurement_latest l where l.account_id = account and l.passport_id = any(ids);
  with sent_row as materialized (
    select i.n, i.id, i.at, i."values", i.source, i.occasion, coalesce(i.corrects, false) as corrects,
      date_trunc('day', i.at at time zone 'UTC') at time zone 'UTC' as day
    from jsonb_to_recordset(sent) as i(n integer, id uuid, at timestamptz, "values" float8[], source text, occasion text,
      corrects boolean)
  ), stored as materialized (
    select distinct on (s.n) s.n, m.revision, m.stored_at, m."values", m.source::text as source, m.occasion::text as occasion
    from sent_row s join measurement m on m.account_id = account and m.passport_id = s.id and m.at = s.at
    order by s.n, m.revision desc
  ), day_count as materialized (
    select d.id, d.day, (select count(*) from measurement m where m.account_id = account and m.passport_id = d.id
      and m.at >= d.day and m.at < d.day + interval '24 hours' and m.revision = 0) as known
    from (select distinct s.id, s.day from sent_row s) d
  ), ended as materialized (
    select u.passport_id as id from unit_life u where u.account_id = account and u.passport_id = any(ids) and u.ended is not null
  ), judged as (
    select s.n, s.id, s.at, s."values", s.source, s.occasion, coalesce(k.revision + 1, 0) as revision,
      k."values" as old_values, k.source as old_source, k.occasion as old_occasion, k.stored_at, case
        when e.id is not null then 'ended'
        when k.n is null and d.known + row_number() over (partition by s.id, s.day, k.n is null order by s.n) > 96 then 'day'
        when k.n is null then 'new'
        when k."values" = s."values" and k.source = s.source and k.occasion is not distinct from s.occasion then 'same'
        when not s.corrects then 'duplicate'
        when k.revision >= 20 then 'revisions'
        else 'new' end as outcome
    from sent_row s left join stored k on k.n = s.n left join day_count d on d.id = s.id and d.day = s.day
    left join ended e on e.id = s.id
  )
  select jsonb_agg(jsonb_build_object('n', j.n, 'id', j.id, 'at', j.at, 'values', j."values", 'source', j.source,
    'occasion', j.occasion, 'revision', j.revision, 'old_values', j.old_values, 'old_source', j.old_source,
    'old_occasion', j.old_occasion, 'stored_at', j.stored_at, 'outcome', j.outcome) order by j.n) into decided
  from judged j;
  if not is_dry_run then
    insert into measurement (at, passport_id, account_id, actor, revision, source, occasion, "values")
    select d.at, d.id, account, actor, d.revision, d.source::"char", d.occasion::"char", d."values"
    from jsonb_to_recordset(decided) as d(id uuid, at timestamptz, "values" float8[], source text, occasion text,
      revision smallint, outcome text)
    where d.outcome = 'new' order by d.id, d.at;
    with cell as materialized (
      select distinct on (c.id, c.slot) c.id, c.slot, c.value, c.seconds from (
        select d.id, v.slot, v.value, (extract(epoch from d.at) - 946684800)::integer as seconds, true as is_new
        from jsonb_to_recordset(decided) as d(id uuid, at timestamptz, "values" float8[], outcome text)
        cross join lateral unnest(d."values") with ordinality v(value, slot)
        where d.outcome = 'new' and v.value is not null
        union all
        select l.passport_id, v.slot, v.value, v.seconds, false from measurement_latest l
        cross join lateral unnest(l."values", l.seconds) with ordinality v(value, seconds, slot)
        where l.account_id = account and l.passport_id = any(ids) and v.value is not null
      ) c order by c.id, c.slot, c.seconds desc, c.is_new desc
    ), merged as materialized (
      select u.id, array_agg(c.value order by g.slot) as new_values, array_agg(c.seconds order by g.slot) as new_seconds,
        bit_or(case when c.value is null then 0::bigint else 1::bigint << (g.slot - 1)::integer end) as new_bits
      from (select x.id, max(x.slot) as last from cell x group by x.id) u
      cross join lateral generate_series(1, u.last) g(slot) left join cell c on c.id = u.id and c.slot = g.slot
      group by u.id
    ), stored_row as materialized (
      select d.id, min(d.at) as first_at, max(d.at) as last_at
      from jsonb_to_recordset(decided) as d(id uuid, at timestamptz, outcome text) where d.outcome = 'new' group by d.id
    )
    update measurement_latest l set "values" = m.new_values, seconds = m.new_seconds, bits = m.new_bits,
      first_at = least(l.first_at, r.first_at), last_at = greatest(l.last_at, r.last_at)
    from merged m join stored_row r on r.id = m.id
    where l.account_id = account and l.passport_id = m.id;
    -- A correction may leave out a metric that was the latest: an earlier measurement then has it.
    for gone in
      select d.id, v.slot::integer as slot
      from jsonb_to_recordset(decided) as d(id uuid, at timestamptz, "values" float8[], old_values float8[], revision integer,
        outcome text)
      join measurement_latest l on l.account_id = account and l.passport_id = d.id
      cross join lateral unnest(d.old_values) with ordinality v(value, slot)
      where d.outcome = 'new' and d.revision > 0 and v.value is not null and d."values"[v.slot] is null
        and l.seconds[v.slot] = (extract(epoch from d.at) - 946684800)::integer
    loop
      select m."values"[gone.slot] as value, (extract(epoch from m.at) - 946684800)::integer as seconds into earlier
      from measurement m
      where m.account_id = account and m.passport_id = gone.id and m."values"[gone.slot] is not null
        and not exists (select from measurement n where n.account_id = account and n.passport_id = gone.id and n.at = m.at
          and n.revision > m.revision)
      order by m.at desc limit 1;
      update measurement_latest l set "values"[gone.slot] = earlier.value, seconds[gone.slot] = earlier.seconds,
        bits = case when earlier.value is null then l.bits & ~(1::bigint << (gone.slot - 1)) else l.bits end
      where l.account_id = account and l.passport_id = gone.id;
    end loop;
  end if;
  return jsonb_build_object('rows', decided, 'latest', coalesce(latest, '{}'), 'stored_at', now());
end $$;
