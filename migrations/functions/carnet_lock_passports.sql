-- Locks the passports that a transaction of several statements changes, and their entries for the registry, each by id.
-- It may then hold GTINs when it claims others, so from now on it waits for each only a moment: a time-out of the lock ends
-- it, and it begins again.
create or replace function public.carnet_lock_passports(account integer, ids uuid[]) returns void language plpgsql as $$
begin
  perform set_config('carnet.claim_timeout', '100ms', true);
  perform 1 from passport p where p.account_id = account and p.id = any(ids) order by p.id for no key update;
  perform 1 from registry_entry e where e.account_id = account and e.passport_id = any(ids) order by e.passport_id
  for no key update;
end $$;
