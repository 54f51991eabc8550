-- Adds `amount` to the usage of the account; false, and no change, if that would exceed its quota.
create or replace function public.carnet_reserve_quota(account integer, of_level "char", amount bigint)
returns boolean language plpgsql as $$
declare
  quota bigint;
begin
  select case when of_level = 'm' /* model */ then coalesce(a.model_quota, p.model_quota)
    when of_level = 'b' /* batch */ then coalesce(a.batch_quota, p.batch_quota) else coalesce(a.item_quota, p.item_quota) end
  into quota from account a join plan p on p.id = a.plan where a.id = account;
  if quota is null then
    update account_usage u set used = u.used + amount where u.account_id = account and u.level = of_level;
  else
    update account_usage u set used = u.used + amount
    where u.account_id = account and u.level = of_level and u.used + amount <= coalesce(u.part, quota);
  end if;
  return found;
end $$;
