-- formerly d10b1b3cccf2d20e89e333a158f57035734869076c454c190c466f1ce14c7703
-- Scans, counted without remembering who scanned: sums by day, and for two days what tells one reader from another.

-- One row for each day, country and device of a passport. `of` is o for the passport's own scans, u for those of the
-- units under it: a model's summary with its units is the sum of both.
create table scan_day (
  account_id  integer not null,
  day         date not null,
  scans       bigint not null,
  uniques     bigint not null,
  crawlers    bigint not null,             -- fetched by crawlers and link previews; in no other column
  passport_id uuid not null,
  "of"        "char" not null,
  device      "char" not null,             -- m mobile, t tablet, d desktop, o other
  country     text not null,               -- ISO 3166-1 alpha-2, XX for unknown
  primary key (passport_id, day, "of", country, device, account_id)
) with (fillfactor = 80);
-- For the chore that deletes old rows: days arrive in order, so it takes a few pages.
create index scan_day_day on scan_day using brin (day);

-- An account's sums over 1, 8 and 64 days beginning at `first_day`: a year is some twenty rows instead of 365 days of
-- them. `counts` is flat: "country:DE", "device:mobile", "category:textile", "level:item" to a number of scans.
create table scan_account_span (
  account_id integer not null,
  days       smallint not null,
  first_day  date not null,
  scans      bigint not null,
  uniques    bigint not null,
  crawlers   bigint not null,
  counts     json not null,                -- not jsonb: read far oftener than merged, and read as its text
  primary key (account_id, days, first_day)
) with (fillfactor = 50);
create index scan_account_span_day on scan_account_span using brin (first_day);

-- Of all time: what a milestone needs, kept when the days are deleted.
create table scan_total (
  account_id     integer not null,
  scans          bigint not null,
  next_milestone bigint not null default 10,
  suspected_at   timestamptz,              -- items: when a cloned code was last suspected
  passport_id    uuid not null,
  primary key (passport_id, account_id)
) with (fillfactor = 70);

-- Random, one for each day, destroyed when the next day is over. Never in a backup.
create table scan_salt (
  day  date primary key,
  salt bytea not null
);

-- Who was here on a day, as a keyed hash under that day's salt. Two days, never in a backup.
create table scan_visitor (
  day        date not null,
  account_id integer not null,
  slot       integer not null,             -- row of the batch that it came in; means nothing afterwards
  visitor    uuid not null,
  primary key (day, account_id, visitor)
);

-- Items: who was here in which of the last 24 hours, and from where. `before` is the same reader under the salt of the day before, so
-- that one device seen on both sides of midnight is one. Never in a backup.
create table scan_item_hour (
  hour        timestamptz not null,
  account_id  integer not null,
  scans       integer not null,
  passport_id uuid not null,
  visitor     uuid not null,
  before      uuid not null,
  country     text not null,
  primary key (passport_id, hour, visitor, country, account_id)
);
create index scan_item_hour_hour on scan_item_hour using brin (hour);

-- The last batch that each counting process has written: one whose outcome was lost is never written twice.
create table scan_writer (
  id         uuid primary key,
  last_batch bigint not null,
  wrote_at   timestamptz not null
) with (fillfactor = 50);

-- Accounts that count otherwise than by default.
create table scan_setting (
  account_id     integer primary key,
  is_on          boolean not null,
  off_categories text[] not null,
  watches_clones boolean not null,
  clone_rules    jsonb,                    -- null: the default
  changed_at     timestamptz not null
);
create index scan_setting_changed on scan_setting (changed_at);

-- When the old rows were last deleted: whoever moves it does the work.
create table scan_cleaning (
  id      boolean primary key default true check (id),
  done_at timestamptz not null
);
insert into scan_cleaning (done_at) values ('-infinity');
