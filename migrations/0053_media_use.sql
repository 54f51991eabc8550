-- shard
-- Which passports refer to a file, in any of their versions. A passport refers to it for ever.
create table media_use (
  account_id  integer not null,
  media_id    bytea not null,
  passport_id uuid not null,              -- whose data has the reference; units inherit it
  version_no  integer not null,           -- the first version with it
  audience    "char" not null,            -- widest audience of the entry: p public, l legitimate interest, a authority, o owner
  primary key (media_id, account_id, passport_id, audience)
);
