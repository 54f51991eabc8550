-- shard
-- The place of each passport's credentials in the status lists of its account; at the account's home, because
-- lists span all of its shards.
create table credential_status (
  account_id    integer not null,
  passport_id   uuid not null,
  first_version integer not null,          -- the place is that of this version and the later ones
  last_version  integer,                   -- the newest when it was revoked; null: not revoked
  list_no       integer not null,          -- from 1
  list_index    integer not null check (list_index between 0 and 131071), -- random
  created_at    timestamptz not null,
  revoked_at    timestamptz,
  primary key (account_id, passport_id, first_version),
  unique (account_id, list_no, list_index)
);

create index credential_status_revoked on credential_status (account_id, list_no) where revoked_at is not null;

-- Status lists as they were last signed, so that readers get the same bytes until a bit changes or a day has passed.
create table signed_status_list (
  account_id integer not null,
  list_no    integer not null,
  form       text not null check (form in ('vc', 'vc-jwt', 'token')),
  bits_hash  bytea not null,               -- SHA-256 of the bits
  key_number integer not null,
  signed_at  timestamptz not null,
  signed     text not null,
  primary key (account_id, list_no, form)
);
