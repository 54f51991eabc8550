-- Functions of a database with the migrations up to 0033, as far as a store of that time needs them to be written.

create or replace function public.carnet_claim_gtins(accounts integer[], models uuid[], gtins text[], moments timestamptz[])
returns uuid[] language plpgsql as $$
declare
  digits text[] := array(select distinct substr(i, 5, 4) from unnest(gtins) i where i is not null);
  holders jsonb;
  were_released boolean;
begin
  if cardinality(digits) = 1 then
    insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at)
    select i.gtin, digits[1], i.account, i.model, i.moment
    from unnest(accounts, models, gtins, moments) as i(account, model, gtin, moment)
    where i.gtin is not null order by i.gtin
    on conflict do nothing;
  elsif cardinality(digits) > 1 then
    -- For 64 companies, Citus needs 10 ms for `insert … values` and 250 ms for `insert … select`.
    execute (select 'insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at) values '
        || string_agg(format('(%L, %L, %s, %L, %L)', i.gtin, substr(i.gtin, 5, 4), i.account, i.model, i.moment), ', ' order by i.gtin)
        || ' on conflict do nothing'
      from unnest(accounts, models, gtins, moments) as i(account, model, gtin, moment) where i.gtin is not null);
  end if;
  select jsonb_object_agg(g.gtin14, jsonb_build_array(g.account_id, g.model_id)) into holders
  from gtin_claim g where g.gtin14 = any(gtins) and g.prefix_digits = any(digits);
  were_released := exists (select from released_gtin r where r.gtin14 = any(gtins));
  return array(select i.model from unnest(accounts, models, gtins) as i(account, model, gtin)
    where i.gtin is not null and ((holders -> i.gtin) is distinct from jsonb_build_array(i.account, i.model)
      or were_released and not public.carnet_may_claim_gtin(i.gtin, i.account)));
end $$;

create or replace function public.carnet_create_models(models jsonb, has_idempotency_keys boolean, sku_claims jsonb)
returns void language plpgsql as $$
declare
  rejected jsonb := '[]';
  one record;
  accounts integer[];
  ids uuid[];
  gtins text[];
  moments timestamptz[];
begin
  select array_agg(i.account_id), array_agg(i.id), array_agg(i.gtin14), array_agg(i.at)
  into accounts, ids, gtins, moments
  from jsonb_to_recordset(models) as i(id uuid, account_id integer, gtin14 text, at timestamptz);
  if has_idempotency_keys then
    rejected := rejected || public.carnet_store_responses(models);
  end if;
  if array_remove(gtins, null) <> '{}' then
    rejected := rejected || (select coalesce(jsonb_agg(jsonb_build_array(id, 'gtin_taken')), '[]')
      from unnest(public.carnet_claim_gtins(accounts, ids, gtins, moments)) id);
  end if;
  if sku_claims is not null then
    rejected := rejected || public.carnet_claim_skus(sku_claims);
  end if;
  for one in select i.account, count(*) as amount from unnest(accounts) as i(account) group by i.account order by i.account loop
    if not public.carnet_reserve_quota(one.account, 'm' /* model */, one.amount) then
      rejected := rejected || (select jsonb_agg(jsonb_build_array(i.id, 'plan_limit'))
        from unnest(accounts, ids) as i(account, id) where i.account = one.account);
    end if;
  end loop;
  if rejected <> '[]' then perform carnet_refuse(rejected::text); end if;
  insert into passport_count (account_id, level, status, category, n)
  select i.account_id, 'm' /* model */, 'a' /* active */, i.category, count(*)
  from jsonb_to_recordset(models) as i(account_id integer, category text)
  group by i.account_id, i.category order by i.account_id, i.category
  on conflict (account_id, level, status, category) do update set n = passport_count.n + excluded.n;
  -- `upto`: the version of the model whose content this is.
  insert into content (account_id, upto, id, owner_id, data, hash)
  select i.account_id, 1, i.content_id, i.id, i.data,
    carnet_content_hash(owner_id => i.id, upto => 1, model_upto => null, own_fields => null, data => i.data)
  from jsonb_to_recordset(models) as i(id uuid, account_id integer, content_id uuid, data jsonb);
  -- Version 1 gets no row in passport_version: this row holds it. The function that writes version 2 overwrites this row,
  -- so it adds the row of version 1 too. A passport that never changes needs none.
  insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, model_id,
    schema_version, level, status, category, gtin14, sku, search)
  select i.at, i.account_id, 1, i.created_by, 0 /* none */, i.id, i.content_id, i.id, i.schema_version, 'm' /* model */,
    'a' /* active */, i.category, i.gtin14, i.sku, i.search
  from jsonb_to_recordset(models) as i(id uuid, account_id integer, content_id uuid, category text, gtin14 text, sku text,
    search text, schema_version smallint, created_by integer, at timestamptz);
  for one in
    select i.account_id, array_agg(i.event_id) as event_ids, array_agg(i.at) as moments
    from jsonb_to_recordset(models) as i(account_id integer, event_id uuid, at timestamptz) group by i.account_id
  loop
    perform public.carnet_queue_deliveries(one.account_id, 'product.created', one.event_ids, one.moments,
      in_background => false);
  end loop;
  insert into event (created_at, account_id, id, type, data)
  select i.at, i.account_id, i.event_id, 'product.created', i.event
  from jsonb_to_recordset(models) as i(account_id integer, event_id uuid, at timestamptz, event jsonb);
end $$;

create or replace function public.carnet_insert_units(account integer, actor integer, parent uuid, model uuid, content uuid,
  unit_level "char", unit_category text, parent_lot text, schema_no smallint, at timestamptz, ids uuid[], event_ids uuid[], short_ids text[],
  names text[], owns jsonb[], searches text[], only_free boolean)
returns uuid[] language plpgsql as $$
declare
  lots text[] := names;
  serials text[];
  written uuid[] := ids;
  written_events uuid[] := event_ids;
  amount bigint;
begin
  perform 1 from passport p where p.id = parent and p.account_id = account and p.status = 'a' /* active */;
  if not found then perform carnet_refuse('archived'); end if;
  if unit_level = 'i' /* item */ then
    lots := array_fill(parent_lot, array[cardinality(names)]);
    serials := names;
  end if;
  if only_free then
    insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, parent_id,
      model_id, schema_version, level, status, category, lot, serial, search, own)
    select at, account, 1, actor, 0 /* none */, i.id, content, parent, model, schema_no, unit_level, 'a' /* active */,
      unit_category, i.lot, i.serial, i.search, i.own
    from unnest(ids, lots, serials, searches, owns) as i(id, lot, serial, search, own)
    on conflict do nothing;
    written := array(select p.id from passport p where p.id = any(ids) and p.account_id = account);
    written_events := array(select i.event_id from unnest(ids, event_ids) as i(id, event_id) where i.id = any(written));
  else
    insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, parent_id,
      model_id, schema_version, level, status, category, lot, serial, search, own)
    select at, account, 1, actor, 0 /* none */, i.id, content, parent, model, schema_no, unit_level, 'a' /* active */,
      unit_category, i.lot, i.serial, i.search, i.own
    from unnest(ids, lots, serials, searches, owns) as i(id, lot, serial, search, own);
  end if;
  amount := cardinality(written);
  if amount = 0 then return written; end if;
  if not public.carnet_reserve_quota(account, unit_level, amount) then perform carnet_refuse('plan_limit'); end if;
  insert into passport_count (account_id, level, status, category, n)
  values (account, unit_level, 'a' /* active */, unit_category, amount)
  on conflict (account_id, level, status, category) do update set n = passport_count.n + excluded.n;
  insert into content_units (account_id, content_id, n) values (account, content, amount)
  on conflict (account_id, content_id) do update set n = content_units.n + excluded.n;
  perform public.carnet_queue_deliveries(account, 'product.created', written_events,
    array_fill(at, array[cardinality(written_events)]), in_background => false);
  insert into event (created_at, account_id, id, type, data)
  select at, account, i.event_id, 'product.created',
    jsonb_build_object('id', i.short_id, 'category', unit_category, 'version_no', 1)
  from unnest(event_ids, short_ids) as i(event_id, short_id)
  where not only_free or i.event_id = any(written_events);
  return written;
end $$;
