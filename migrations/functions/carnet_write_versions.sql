-- Writes the next versions of up to 500 passports as carnet_write_version does, sorted by id, and leaves out those that are
-- not at `version_no` any more. Locks passports in this order, then GTINs and counters of units, each sorted. `moved`: units
-- that change from one content to another; the job that moves them counts its progress. For one version it takes a quarter
-- longer than carnet_write_version.
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
    -- By its key, not joined with a list: with old statistics a plan compares each row of the list with all of the account.
    update passport p set version_no = one.new_version_no, created_by = actor, units_content_id = null,
      content_id = one.content_id, own = new_own, updated_at = written_at, stored_at = new_stored_at,
      schema_version = one.schema_version, gtin14 = one.gtin14, sku = one.sku, search = one.search,
      last_correction = new_last_correction, corrected_at = new_corrected_at
    where p.id = one.id and p.account_id = account;
    return next;
  end loop;
  if written_count = 0 then return; end if;
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
