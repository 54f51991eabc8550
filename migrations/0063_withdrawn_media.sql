-- shard
-- Files that the operator has withdrawn: their bytes are deleted and never stored again (docs/decisions/0068-withdrawn-files.md).
-- On each shard of the account, like its files; only the home clears the store.
create table withdrawn_media (
  account_id   integer not null,
  id           bytea not null,            -- SHA-256 of the bytes as they were sent
  kind         "char" not null check (kind in ('p' /* picture */, 'd' /* document */)),
  width        integer,                   -- pixels of a picture as it was sent: names its objects
  was_public   boolean not null,          -- everybody had an address of it
  withdrawn_at timestamptz not null,
  reason       text not null,
  cleared_at   timestamptz,               -- null: an upload that began before may still write objects
  primary key (account_id, id)
);
create index withdrawn_media_id on withdrawn_media (id);
create index withdrawn_media_uncleared on withdrawn_media (withdrawn_at) where cleared_at is null;

-- Accounts ask the operator to withdraw a file. At home; deleted when the file is withdrawn.
create table withdrawal_request (
  account_id integer not null,
  media_id   bytea not null,
  reason     text not null,
  asked_at   timestamptz not null,
  asked_by   integer not null,            -- an actor
  primary key (account_id, media_id)
);
