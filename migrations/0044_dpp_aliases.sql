-- shared
-- Identifiers that passports had in other systems. Each names one passport of the whole service.
create table dpp_alias (
  key         text primary key,        -- the identifier in its normal form
  account_id  integer not null references account,
  passport_id uuid not null,
  created_at  timestamptz not null
);
