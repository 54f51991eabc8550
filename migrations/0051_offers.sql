-- shared
-- What readers of a passport can do: repair, spare parts, take-back and other offers of an account.
create table offer (
  account_id  integer not null references account,
  id          uuid not null,
  kind        text not null,
  category    text,                     -- null: all
  passport_id uuid,                     -- a model with its units, a batch with its items, or an item; null: all
  countries   text[] not null,          -- ISO 3166-1; empty: everywhere
  title       json not null,            -- by language, in the order of the account
  text        json,                     -- the same
  url         text not null,
  position    integer not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  primary key (account_id, id)
);
-- Grows with every change of the account's offers; 0: there has never been one, and pages read none.
alter table account add column offers_version integer not null default 0;
