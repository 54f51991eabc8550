-- Marks passports for a check of their lines.
create or replace function public.carnet_mark_registry_entries(account integer, passports uuid[])
returns void language plpgsql as $$
begin
  insert into registry_entry (account_id, passport_id, change_no)
  select account, i.id, 1 from unnest(passports) as i(id) order by i.id
  on conflict (account_id, passport_id) do update set change_no = registry_entry.change_no + excluded.change_no;
end $$;
