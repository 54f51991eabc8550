-- shared
-- The issuers of signed passports: at most one for each account, with one key that signs and those that signed before.
create table issuer (
  account_id  integer primary key references account,
  name        text not null unique,        -- random, the last part of its DID
  is_signing  boolean not null,
  commit_key  bytea not null,              -- encrypted; salts of the commitments to versions are derived from it
  created_at  timestamptz not null
);

create table issuer_key (
  account_id  integer not null references issuer,
  number      integer not null,            -- the DID's fragment is key-1, key-2
  x           text not null,               -- of the public P-256 key, base64url
  y           text not null,
  private_key bytea not null,              -- encrypted
  created_at  timestamptz not null,
  revoked_at  timestamptz,                 -- since then its signatures prove nothing
  primary key (account_id, number)
);
