-- A GTIN that the operator released from a model, for good: what is printed with it goes on leading to that model's
-- units, also when another product has the GTIN by then.
create table released_gtin (
  gtin14       text not null,
  account_id   integer not null,
  model_id     uuid not null,
  released_at  timestamptz not null,
  claimable_by integer,                 -- the only account that may take it; null: any
  primary key (gtin14, account_id, model_id)
);

create function carnet_may_claim_gtin(gtin text, account integer) returns boolean language sql stable
return coalesce((
  select r.claimable_by is null or r.claimable_by = account from released_gtin r
  where r.gtin14 = gtin order by r.released_at desc limit 1), true);

-- Each statement that claims a GTIN takes a claim that is not there for one that is taken.
create function carnet_guard_gtin() returns trigger language plpgsql as $$
begin
  -- Nearly all were never released: one look into the index, and no more.
  if not exists (select 1 from released_gtin r where r.gtin14 = new.gtin14)
    or carnet_may_claim_gtin(new.gtin14, new.account_id) then return new; end if;
  return null;
end $$;
create trigger gtin_is_guarded before insert on gtin_claim for each row execute function carnet_guard_gtin();
