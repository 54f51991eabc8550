-- Returns false for a GTIN that was released to another account. The body is a text: Citus cannot run a body that PostgreSQL
-- keeps parsed once its table is distributed, and does not create a function on workers that depends on a table they lack.
create or replace function public.carnet_may_claim_gtin(gtin text, account integer) returns boolean language sql stable as $$
  select coalesce((
    select r.claimable_by is null or r.claimable_by = account from released_gtin r
    where r.gtin14 = gtin order by r.released_at desc limit 1), true)
$$;
