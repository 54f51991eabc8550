-- shard
-- Pictures and documents of an account. Their bytes are in the folder or bucket of MEDIA_URL.
create table media (
  account_id integer not null,
  id         bytea not null,              -- SHA-256 of the bytes as they were sent
  kind       "char" not null,             -- p picture, d document
  status     "char" not null,             -- p being stored, r ready, d being deleted
  type       text not null,               -- media type of the bytes as they were sent
  bytes      integer not null,            -- as they were sent
  width      integer,                     -- pixels; null for a document
  height     integer,
  color      text,                        -- #rrggbb, the mean of a picture
  created_at timestamptz not null,
  created_by integer not null,            -- actor
  primary key (account_id, id)
);
create index media_created on media (account_id, created_at, id);
-- What was begun and not finished, or is to be deleted.
create index media_unfinished on media (created_at) where status <> 'r';

-- What counts against the quotas of an account.
create table media_usage (
  account_id integer primary key,
  files      bigint not null,
  bytes      bigint not null
);

-- Files that are fetched from an address.
create table media_fetch (
  account_id integer not null,
  id         uuid not null,
  source_url text not null,
  status     "char" not null,             -- f fetching, r ready, x refused
  media_id   bytea,                       -- when it is ready
  reason     text,                        -- why it was refused
  attempts   integer not null,
  due_at     timestamptz not null,        -- of the next attempt
  created_at timestamptz not null,
  created_by integer not null,            -- actor
  primary key (account_id, id)
);
create index media_fetch_due on media_fetch (due_at) where status = 'f';
