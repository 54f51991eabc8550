-- Inserts checked models, or rejects with a list of [id, reason] and writes nothing. `has_idempotency_keys`: some models
-- have an idempotency record. `sku_claims`: the models whose SKU must be unique; `claimed_by` is the model that had the SKU
-- when it was looked up. Locks idempotency keys, then GTINs, SKUs and counters, each sorted, so that two calls never
-- deadlock.
create or replace function public.carnet_create_models(models jsonb, has_idempotency_keys boolean, sku_claims jsonb)
returns void language plpgsql as $$
declare
  rejected jsonb := '[]';
  one record;
  accounts integer[];
  ids uuid[];
  gtins text[];
  moments timestamptz[];
  registering integer[] := '{}';
  registering_account integer;
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
  for one in
    select i.account, count(*) as amount, (select a.uses_registry from account a where a.id = i.account) as uses_registry
    from unnest(accounts) as i(account) group by i.account order by i.account
  loop
    if not public.carnet_reserve_quota(one.account, 'm' /* model */, one.amount) then
      rejected := rejected || (select jsonb_agg(jsonb_build_array(i.id, 'plan_limit'))
        from unnest(accounts, ids) as i(account, id) where i.account = one.account);
    end if;
    if one.uses_registry then registering := registering || one.account; end if;
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
  foreach registering_account in array registering loop
    perform public.carnet_mark_registry_entries(registering_account,
      array(select i.id from unnest(accounts, ids) as i(account, id) where i.account = registering_account));
  end loop;
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
