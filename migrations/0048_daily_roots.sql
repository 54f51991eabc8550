-- shard
-- Merkle roots (RFC 6962) over the commitments to an account's versions. A root covers the time since the one before.
create table daily_root (
  account_id  integer not null,
  until       timestamptz not null,        -- versions before this time
  versions    integer not null,
  root        bytea not null,
  token       bytea,                       -- time stamp over the root (RFC 3161, DER), once there is one
  stamped_at  timestamptz,                 -- as the token says
  created_at  timestamptz not null,
  primary key (account_id, until)
);

-- The entries of the trees in subtrees of 1,024, by passport and version, so that a proof reads one row.
create table daily_root_block (
  account_id     integer not null,
  until          timestamptz not null,
  number         integer not null,         -- from 0
  first_passport uuid not null,
  first_version  integer not null,
  root           bytea not null,
  commitments    bytea not null,           -- 32 bytes each
  primary key (account_id, until, number)
);
