-- Links that open the protected part of passports to one reader until a day; only a hash of each token is kept.

create table access_link (
  account_id   integer not null,
  id           uuid not null,
  hash         text not null,              -- SHA-256 of the token
  passport_id  uuid,                       -- and what descends from it; null: every passport of the account
  audience     text not null,              -- legitimate_interest, authority
  label        text not null,              -- whom it is for
  created_at   timestamptz not null,
  created_by   integer not null,           -- actor
  expires_at   timestamptz not null,
  revoked_at   timestamptz,
  uses         bigint not null default 0,
  last_used_at timestamptz,
  primary key (account_id, id)
) with (fillfactor = 90);
create unique index access_link_hash on access_link (hash);
