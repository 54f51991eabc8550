-- shared
-- formerly e15aa502a8a89048ce21541871413384b47dba3172dacc311bd06e6b892141b4
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

-- For servers of the version before, which do not name the column: carnet_claim_gtins looks for released GTINs itself.
create or replace function public.carnet_guard_gtin() returns trigger language plpgsql as $$
begin
  new.prefix_digits := substr(new.gtin14, 5, 4);
  if public.carnet_may_claim_gtin(new.gtin14, new.account_id) then return new; end if;
  return null;
end $$;
create trigger gtin_is_guarded before insert on gtin_claim for each row when (new.prefix_digits is null)
  execute function public.carnet_guard_gtin();
