-- shared
-- The functions that write passports also give them an entry for the EU registry if their account uses it: as in
-- 0028_write_functions.sql, but for `uses_registry`, which statements read that were there before.

-- Marks passports for a check of their lines.
create function public.carnet_mark_registry_entries(account integer, passports uuid[])
returns void language plpgsql as $$
begin
  insert into registry_entry (account_id, passport_id, change_no)
  select account, i.id, 1 from unnest(passports) as i(id) order by i.id
  on conflict (account_id, passport_id) do update set change_no = registry_entry.change_no + excluded.change_no;
end $$;

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

-- Writes the next version of a passport with its content, hash and event. Returns its time, or null if the passport is not
-- at `version_no` any more. Rejects with the id if the new GTIN is taken. `next`: a NextVersion of
-- src/passports/write/write-versions.ts. `in_background`: its event is delivered after all others.
create or replace function public.carnet_write_version(account integer, actor integer, next jsonb, in_background boolean)
returns timestamptz language plpgsql as $$
declare
  transaction_time timestamptz := now();
  one record;
  old record;
  new_version_no integer;
  new_own jsonb;
  new_updated_at timestamptz;
  new_content_hash bytea;
  latest_hash bytea;
begin
  select i.* into one from jsonb_to_record(next) as i(id uuid, version_no integer, version_hash text, old_content_hash text,
    content_id uuid, content_hash text, data jsonb, own jsonb, kind "char", note text, changed text[], corrects boolean,
    schema_version smallint, gtin14 text, sku text, search text, now timestamptz, event_id uuid, event jsonb);
  -- Read without a lock: these columns change only with `version_no`, which the update below compares again.
  select p.level, p.category, p.model_id, p.parent_id, p.lot, p.serial, p.created_by, p.own, p.content_id, p.gtin14,
    p.schema_version, (select a.uses_registry from account a where a.id = account) as uses_registry
  into old from passport p where p.id = one.id and p.account_id = account and p.version_no = one.version_no;
  if not found then return null; end if;
  new_version_no := one.version_no + 1;
  if one.kind = 'r' /* refresh */ then new_own := old.own; else new_own := one.own; end if;
  -- stored_at and corrected_at are not before this transaction began, so that a list of changes misses none. Without
  -- units_content_id, the next units get a content of the new version.
  update passport p set version_no = new_version_no, created_by = actor, units_content_id = null, content_id = one.content_id,
    own = new_own, updated_at = greatest(one.now, p.updated_at), stored_at = greatest(p.stored_at, transaction_time),
    schema_version = one.schema_version, gtin14 = one.gtin14, sku = one.sku, search = one.search,
    last_correction = case when one.corrects then new_version_no else p.last_correction end,
    corrected_at = case when one.corrects then greatest(one.now, p.updated_at, transaction_time) else p.corrected_at end
  where p.id = one.id and p.account_id = account and p.version_no = one.version_no
  returning p.updated_at into new_updated_at;
  if not found then return null; end if;
  if one.gtin14 is not null and one.gtin14 is distinct from old.gtin14
    and public.carnet_claim_gtins(array[account], array[one.id], array[one.gtin14], array[new_updated_at]) <> '{}' then
    perform carnet_refuse(jsonb_build_array(one.id)::text);
  end if;
  -- Without data, the content exists already.
  if one.data is null then new_content_hash := decode(one.content_hash, 'hex');
  else
    new_content_hash := carnet_content_hash(owner_id => one.id, upto => new_version_no, model_upto => null, own_fields => null,
      data => one.data);
    insert into content (account_id, upto, id, owner_id, data, hash)
    values (account, new_version_no, one.content_id, one.id, one.data, new_content_hash);
  end if;
  if one.version_no > 1 then latest_hash := decode(one.version_hash, 'hex');
  else
    -- carnet_birth_hash covers what never changes. It stands in for the version before the first.
    latest_hash := carnet_link(
      carnet_birth_hash(one.id, old.level, old.category, old.model_id, old.parent_id, old.lot, old.serial),
      carnet_version_facts(1, 'n' /* first */, carnet_created_at(one.id), old.created_by, decode(one.old_content_hash, 'hex'),
        old.own, note => null, changed => null));
    insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, schema_version,
      kind, own, hash)
    values (carnet_created_at(one.id), account, 1, old.created_by, one.id, old.content_id, old.schema_version,
      'n' /* first */, old.own, latest_hash);
  end if;
  latest_hash := carnet_link(latest_hash, carnet_version_facts(new_version_no, one.kind, new_updated_at, actor,
    new_content_hash, new_own, one.note, one.changed));
  insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, schema_version,
    kind, own, note, changed, hash)
  values (new_updated_at, account, new_version_no, actor, one.id, one.content_id, one.schema_version, one.kind, new_own,
    one.note, one.changed, latest_hash);
  if old.uses_registry then perform public.carnet_mark_registry_entries(account, array[one.id]); end if;
  perform public.carnet_queue_deliveries(account, 'product.updated', array[one.event_id], array[new_updated_at],
    in_background);
  insert into event (created_at, account_id, id, type, data, background)
  values (new_updated_at, account, one.event_id, 'product.updated', one.event, in_background);
  return new_updated_at;
end $$;

-- The same for up to 500 versions, sorted by id, of which it leaves out those that are not at `version_no` any more. Locks
-- passports in this order, then GTINs and counters of units, each sorted. `moved`: units that change from one content to
-- another; the job that moves them counts its progress. For one version it takes a quarter longer than the function above.
create or replace function public.carnet_write_versions(account integer, actor integer, versions jsonb, in_background boolean, moved jsonb)
returns table (written uuid, written_at timestamptz) language plpgsql as $$
declare
  transaction_time timestamptz := now();
  written_count integer := 0;
  registering_ids uuid[] := '{}';
  one record;
  new_own jsonb;
  new_content_hash bytea;
  latest_hash bytea;
  new_last_correction integer;
  new_corrected_at timestamptz;
  new_stored_at timestamptz;
  claiming_ids uuid[];
  gtins text[];
  claim_times timestamptz[];
  taken uuid[];
  -- Element n belongs to the version at place n of `versions`; null if that version is left out.
  moments timestamptz[] := '{null}';
  new_owns jsonb[] := '{null}';
  content_hashes bytea[] := '{null}';
  version_hashes bytea[] := '{null}';
  last_corrections integer[] := '{null}';
  correction_times timestamptz[] := '{null}';
  stored_times timestamptz[] := '{null}';
  first_authors integer[] := '{null}';
  first_contents uuid[] := '{null}';
  first_schemas smallint[] := '{null}';
  first_owns jsonb[] := '{null}';
  first_hashes bytea[] := '{null}';
begin
  for one in
    select i.*, i.version_no + 1 as new_version_no, p.level, p.category, p.model_id, p.parent_id, p.lot, p.serial, p.created_by,
      p.own as old_own, p.content_id as old_content_id, p.schema_version as old_schema_version, p.gtin14 as old_gtin14, p.updated_at, p.stored_at, p.last_correction,
      p.corrected_at, (select a.uses_registry from account a where a.id = account) as uses_registry
    from rows from (jsonb_to_recordset(versions) as (id uuid, version_no integer, version_hash text, old_content_hash text,
      content_id uuid, content_hash text, data jsonb, own jsonb, kind "char", note text, changed text[], corrects boolean,
      schema_version smallint, gtin14 text, sku text, search text, now timestamptz, event_id uuid, event jsonb))
      with ordinality as i(id, version_no, version_hash, old_content_hash, content_id, content_hash, data, own, kind, note,
        changed, corrects, schema_version, gtin14, sku, search, now, event_id, event, place)
    -- A join would compare all with all while the statistics of a growing table are old: 500 rows took 0.6 s.
    cross join lateral (
      select * from passport p
      where p.id = i.id and p.account_id = account and p.version_no = i.version_no for no key update
    ) p
  loop
    written_count := written_count + 1;
    if one.uses_registry then registering_ids := registering_ids || one.id; end if;
    written := one.id;
    written_at := greatest(one.now, one.updated_at);
    new_stored_at := greatest(one.stored_at, transaction_time);
    new_own := one.own;
    if one.kind = 'r' /* refresh */ then new_own := one.old_own; end if;
    new_last_correction := one.last_correction;
    new_corrected_at := one.corrected_at;
    if one.corrects then
      new_last_correction := one.new_version_no;
      new_corrected_at := greatest(written_at, transaction_time);
    end if;
    if one.data is null then new_content_hash := decode(one.content_hash, 'hex');
    else
      new_content_hash := carnet_content_hash(owner_id => one.id, upto => one.new_version_no, model_upto => null,
        own_fields => null, data => one.data);
    end if;
    if one.version_no > 1 then latest_hash := decode(one.version_hash, 'hex');
    else
      latest_hash := carnet_link(
        carnet_birth_hash(one.id, one.level, one.category, one.model_id, one.parent_id, one.lot, one.serial),
        carnet_version_facts(1, 'n' /* first */, carnet_created_at(one.id), one.created_by,
          decode(one.old_content_hash, 'hex'), one.old_own, note => null, changed => null));
      first_authors[one.place] := one.created_by;
      first_contents[one.place] := one.old_content_id;
      first_schemas[one.place] := one.old_schema_version;
      first_owns[one.place] := one.old_own;
      first_hashes[one.place] := latest_hash;
    end if;
    latest_hash := carnet_link(latest_hash, carnet_version_facts(one.new_version_no, one.kind, written_at, actor,
      new_content_hash, new_own, one.note, one.changed));
    if one.gtin14 is not null and one.gtin14 is distinct from one.old_gtin14 then
      claiming_ids := claiming_ids || one.id;
      gtins := gtins || one.gtin14;
      claim_times := claim_times || written_at;
    end if;
    moments[one.place] := written_at;
    new_owns[one.place] := new_own;
    content_hashes[one.place] := new_content_hash;
    version_hashes[one.place] := latest_hash;
    last_corrections[one.place] := new_last_correction;
    correction_times[one.place] := new_corrected_at;
    stored_times[one.place] := new_stored_at;
    return next;
  end loop;
  if written_count = 0 then return; end if;
  update passport p set version_no = i.version_no + 1, created_by = actor, units_content_id = null,
    content_id = i.content_id, own = i.own, updated_at = i.moment, stored_at = i.new_stored_at,
    schema_version = i.schema_version, gtin14 = i.gtin14, sku = i.sku, search = i.search,
    last_correction = i.new_last_correction, corrected_at = i.new_corrected_at
  from rows from (
    jsonb_to_recordset(versions) as (id uuid, version_no integer, content_id uuid, schema_version smallint, gtin14 text,
      sku text, search text),
    unnest(moments, new_owns, last_corrections, correction_times, stored_times)
  ) as i(id, version_no, content_id, schema_version, gtin14, sku, search, moment, own, new_last_correction,
    new_corrected_at, new_stored_at)
  where p.id = i.id and i.moment is not null and p.account_id = account;
  insert into content (account_id, upto, id, owner_id, data, hash)
  select account, i.version_no + 1, i.content_id, i.id, i.data, i.hash
  from rows from (
    jsonb_to_recordset(versions) as (id uuid, version_no integer, content_id uuid, data jsonb), unnest(moments, content_hashes)
  ) as i(id, version_no, content_id, data, moment, hash)
  where i.data is not null and i.moment is not null;
  insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, schema_version, kind,
    own, hash)
  select carnet_created_at(i.id), account, 1, i.author, i.id, i.content_id, i.schema_version, 'n' /* first */, i.own, i.hash
  from rows from (
    jsonb_to_recordset(versions) as (id uuid),
    unnest(first_authors, first_contents, first_schemas, first_owns, first_hashes)
  ) as i(id, author, content_id, schema_version, own, hash)
  where i.hash is not null;
  insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, schema_version, kind,
    own, note, changed, hash)
  select i.moment, account, i.version_no + 1, actor, i.id, i.content_id, i.schema_version, i.kind, i.own, i.note, i.changed,
    i.hash
  from rows from (
    jsonb_to_recordset(versions) as (id uuid, version_no integer, content_id uuid, schema_version smallint, kind "char",
      note text, changed text[]),
    unnest(moments, new_owns, version_hashes)
  ) as i(id, version_no, content_id, schema_version, kind, note, changed, moment, own, hash)
  where i.moment is not null;
  if registering_ids <> '{}' then perform public.carnet_mark_registry_entries(account, registering_ids); end if;
  perform public.carnet_queue_deliveries(account, 'product.updated', array_agg(i.event_id), array_agg(i.moment),
    in_background)
  from rows from (jsonb_to_recordset(versions) as (event_id uuid), unnest(moments)) as i(event_id, moment)
  where i.moment is not null;
  insert into event (created_at, account_id, id, type, data, background)
  select i.moment, account, i.event_id, 'product.updated', i.event, in_background
  from rows from (jsonb_to_recordset(versions) as (event_id uuid, event jsonb), unnest(moments))
    as i(event_id, event, moment)
  where i.moment is not null;
  if claiming_ids is not null then
    taken := public.carnet_claim_gtins(array_fill(account, array[cardinality(claiming_ids)]), claiming_ids, gtins,
      claim_times);
    if taken <> '{}' then perform carnet_refuse(to_jsonb(taken)::text); end if;
  end if;
  if moved is not null then
    insert into content_units (account_id, content_id, n)
    select account, i.id, i.n * written_count
    from (values ((moved->>'from')::uuid, -1), ((moved->>'to')::uuid, 1)) as i(id, n) order by i.id
    on conflict (account_id, content_id) do update set n = content_units.n + excluded.n;
    if moved->>'job' is not null then
      update refresh_job j set refreshed = j.refreshed + written_count, alive_at = (moved->>'at')::timestamptz
      where j.account_id = account and j.id = (moved->>'job')::uuid;
    end if;
  end if;
end $$;

-- Archives or restores a passport with its event and entry of the audit log. False if it is at another version or has the
-- status already. Rejects with 'gtin_taken': a claim may have been released meanwhile, so the GTIN is claimed again.
create or replace function public.carnet_set_status(account integer, actor integer, passport uuid, expected_no integer,
  new_status "char", at timestamptz, event_id uuid, event_type text, event jsonb, entry_id uuid, action text, subject text)
returns boolean language plpgsql as $$
declare
  transaction_time timestamptz := now();
  new_updated_at timestamptz;
  new_stored_at timestamptz;
  old record;
begin
  select p.level, p.category, p.gtin14, p.status, p.updated_at, p.stored_at,
    (select a.uses_registry from account a where a.id = account) as uses_registry
  into old from passport p
  where p.id = passport and p.account_id = account and p.version_no = expected_no and p.status <> new_status
  for no key update;
  if not found then return false; end if;
  new_updated_at := greatest(at, old.updated_at + interval '1 millisecond');
  new_stored_at := greatest(old.stored_at, transaction_time);
  update passport p set status = new_status, updated_at = new_updated_at, stored_at = new_stored_at
  where p.id = passport and p.account_id = account;
  if old.gtin14 is not null and public.carnet_claim_gtins(array[account], array[passport], array[old.gtin14],
    array[new_updated_at]) <> '{}' then
    perform carnet_refuse('gtin_taken');
  end if;
  insert into passport_count (account_id, level, status, category, n)
  select account, old.level, i.status, old.category, i.n from (values (new_status, 1), (old.status, -1)) as i(status, n)
  order by i.status
  on conflict (account_id, level, status, category) do update set n = passport_count.n + excluded.n;
  insert into passport_status (changed_at, account_id, changed_by, passport_id, status)
  values (new_updated_at, account, actor, passport, new_status);
  insert into audit_entry (account_id, actor, id, at, action, subject)
  values (account, actor, entry_id, at, action, subject);
  if old.uses_registry then perform public.carnet_mark_registry_entries(account, array[passport]); end if;
  perform public.carnet_queue_deliveries(account, event_type, array[event_id], array[new_updated_at],
    in_background => false);
  insert into event (created_at, account_id, id, type, data) values (new_updated_at, account, event_id, event_type, event);
  return true;
end $$;

-- Inserts units of one parent with one content: all, or with `only_free` those whose name is free. `names`: lots of batches,
-- serials of items. Returns the ids that were written. Rejects with 'archived' or 'plan_limit'.
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
  registering boolean;
begin
  select (select a.uses_registry from account a where a.id = account) into registering from passport p
  where p.id = parent and p.account_id = account and p.status = 'a' /* active */;
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
  if registering then perform public.carnet_mark_registry_entries(account, written); end if;
  perform public.carnet_queue_deliveries(account, 'product.created', written_events,
    array_fill(at, array[cardinality(written_events)]), in_background => false);
  insert into event (created_at, account_id, id, type, data)
  select at, account, i.event_id, 'product.created',
    jsonb_build_object('id', i.short_id, 'category', unit_category, 'version_no', 1)
  from unnest(event_ids, short_ids) as i(event_id, short_id)
  where not only_free or i.event_id = any(written_events);
  return written;
end $$;
