-- shared
-- The last complete run of `carnet mirror` for each account, wherever the command ran.
create table mirror_run (
  account_id       integer primary key references account,
  mirrored_through timestamptz not null,   -- changes before this time are in the mirror
  listed_through   timestamptz not null,   -- the newest change that is in it
  finished_at      timestamptz not null
);
