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
