-- Batches and items: what a batch hands on, how outdated units are found, and refreshes that outlive a process.

-- Fields that the batch itself had set when this was handed on: a correction of the model stops at them.
alter table content add column own_fields text[];

-- What the units of a batch inherit at its current version; null until the first unit of that version is issued.
alter table passport add column units_content_id uuid;

-- A plan made while the table is nearly empty is kept for a minute or more, and for a handful of rows any index on the
-- account alone looks as good as the primary key: with 20,000 items a read then walked them all, 20 ms. Its condition
-- keeps this one to the statements that repeat it.
drop index passport_updated;
create index passport_updated on passport (account_id, updated_at) where updated_at > '-infinity';

create index content_owner       on content (owner_id, upto, account_id);
create index passport_items      on passport (account_id, id) where level = 'i';
create index passport_serials    on passport (account_id, serial text_pattern_ops) where serial is not null;
create index passport_corrected  on passport (account_id, id) where last_correction > 0;

-- A refresh too large for one request. What is left to do is what is still outdated; this is who asked, and how far it got.
create table refresh_job (
  created_at  timestamptz not null,
  finished_at timestamptz,
  alive_at    timestamptz not null,        -- moved by the process at work on it; a job left alone is taken over
  account_id  integer not null,
  actor_id    integer not null,
  refreshed   integer not null,
  id          uuid not null,
  passport_id uuid not null,
  skipped     jsonb not null,
  failed      jsonb not null,
  primary key (account_id, id)
);
create index refresh_job_open on refresh_job (account_id, passport_id) where finished_at is null;
