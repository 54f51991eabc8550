-- shared
-- Citus distributes claims by `prefix_digits`, so that all those of a company are on one machine. All GTINs with one company
-- prefix, which usually has 7 or more digits, share their digits 2 to 8; `prefix_digits` has the last four of these.
alter table gtin_claim rename to old_gtin_claim;
alter index gtin_claim_pkey rename to old_gtin_claim_pkey;
alter index gtin_claim_model rename to old_gtin_claim_model;
create table gtin_claim (
  gtin14        text primary key,
  prefix_digits text not null check (prefix_digits = substr(gtin14, 5, 4)),
  account_id    integer not null,
  model_id      uuid not null,
  claimed_at    timestamptz not null
);
insert into gtin_claim select gtin14, substr(gtin14, 5, 4), account_id, model_id, claimed_at from old_gtin_claim;
drop table old_gtin_claim;
create index gtin_claim_model on gtin_claim (account_id, model_id);

-- As a text: Citus cannot run a body that PostgreSQL keeps parsed once its table is distributed, and does not create a
-- function on workers that depends on a table they lack.
create or replace function public.carnet_may_claim_gtin(gtin text, account integer) returns boolean language sql stable as $$
  select coalesce((
    select r.claimable_by is null or r.claimable_by = account from released_gtin r
    where r.gtin14 = gtin order by r.released_at desc limit 1), true)
$$;

-- For servers of the version before, which do not name the column: carnet_claim_gtins looks for released GTINs itself.
create or replace function public.carnet_guard_gtin() returns trigger language plpgsql as $$
begin
  new.prefix_digits := substr(new.gtin14, 5, 4);
  if public.carnet_may_claim_gtin(new.gtin14, new.account_id) then return new; end if;
  return null;
end $$;
create trigger gtin_is_guarded before insert on gtin_claim for each row when (new.prefix_digits is null)
  execute function public.carnet_guard_gtin();
