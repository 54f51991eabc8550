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
