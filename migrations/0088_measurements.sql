-- shard
-- What is measured at items in use (docs/decisions/0095-measurements-beside-passports.md). A row is never changed: a
-- correction is the next revision of its item and second.
create table measurement (
  at          timestamptz not null,        -- when it was measured, in whole seconds
  stored_at   timestamptz not null default now(),
  passport_id uuid not null,
  account_id  integer not null,
  actor       integer not null,
  revision    smallint not null check (revision between 0 and 20),
  source      "char" not null check (source in ('b' /* bms */, 'w' /* workshop */, 't' /* test */, 'e' /* estimate */)),
  occasion    "char" check (occasion in ('p' /* placed_on_market */, 's' /* status_change */, 'h' /* handover */)),
  "values"    float8[] not null,           -- by slot of the category's table, without nulls at the end
  primary key (passport_id, at, revision, account_id)
);

create index measurement_stored on measurement using brin (stored_at);

create trigger measurement_is_kept before update or delete on measurement for each statement execute function public.carnet_keep();
create trigger measurement_is_never_truncated before truncate on measurement for each statement execute function public.carnet_keep();

-- The newest value of each metric. Writers of an item wait for each other here.
create table measurement_latest (
  account_id  integer not null,
  passport_id uuid not null,
  "values"    float8[] not null,           -- by slot
  seconds     integer[] not null,          -- when each was measured, in seconds since 2000
  bits        bigint not null,             -- a bit for each slot with a value
  first_at    timestamptz not null,        -- the first measurement
  last_at     timestamptz not null,        -- the last one
  primary key (account_id, passport_id)
) with (fillfactor = 80);
