-- formerly f8f1bb7ea028e494451d4e1a74e8f9c1fe56e2ac7eb262531e13db7eca1d2cc7
-- Webhooks: who is told of which events, what is still to be delivered, and what became of each attempt.

-- Behind everything else: what a refresh of many units announces.
alter table event add column background boolean not null default false;

create table webhook_endpoint (
  account_id      integer not null,
  id              uuid not null,
  slot            smallint,                -- 1 to 20: the limit is a key, not a count; null once removed
  status          "char" not null,         -- a active, p paused, d switched off, r removed
  revision        integer not null default 0, -- raised by whoever changes it, so that a worker at work notices
  url             text not null,
  description     text not null,
  events          text[],                  -- null: all, also those that come later
  secret          bytea not null,          -- sealed with SECRET_KEY
  old_secret      bytea,                   -- signs too until old_until
  old_until       timestamptz,
  old_signs       boolean not null default false, -- the documented header is still the old secret's
  created_at      timestamptz not null,
  removed_at      timestamptz,
  failures        integer not null default 0, -- attempts failed since the last that succeeded
  failing_since   timestamptz,
  wait_until      timestamptz,             -- the breaker: nothing is tried before
  disabled_reason text,                    -- gone, failing
  primary key (account_id, id)
) with (fillfactor = 70);
create unique index webhook_endpoint_id   on webhook_endpoint (id);
create unique index webhook_endpoint_slot on webhook_endpoint (account_id, slot) where slot is not null;

-- What waits. A row is there from the statement that caused the event until it is delivered or given up.
create table webhook_delivery (
  due_at      timestamptz not null,
  account_id  integer not null,
  attempts    smallint not null,           -- made so far
  background  boolean not null,
  endpoint_id uuid not null,
  event_id    uuid not null,
  primary key (event_id, endpoint_id, account_id)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index webhook_delivery_due on webhook_delivery (account_id, endpoint_id, background, due_at);

-- An account's deliveries are one process's at a time, so that caps are exact and a claim writes nothing per delivery.
create table webhook_lease (
  account_id integer primary key,
  holder     uuid not null,
  until      timestamptz not null
) with (fillfactor = 50);

-- The log, kept 30 days: ids begin with the time.
create table webhook_attempt (
  at              timestamptz not null,
  next_attempt_at timestamptz,
  account_id      integer not null,
  duration_ms     integer not null,
  attempt         smallint not null,
  status          smallint,                -- HTTP's, when there was an answer
  kind            "char" not null,         -- e of an event, t test
  given_up        boolean not null,
  endpoint_id     uuid not null,
  id              uuid not null,
  event_id        uuid not null,
  event_type      text not null,
  outcome         text not null,           -- delivered, or the name of the failure
  detail          text,
  answer          text,                    -- its first 1 KiB
  primary key (account_id, endpoint_id, id)
);
create index webhook_attempt_given_up on webhook_attempt (account_id, endpoint_id, id) where given_up;

create trigger event_fans_out after insert on event
  referencing new table as written for each statement execute function carnet_fan_out();
