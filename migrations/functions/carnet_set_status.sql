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
