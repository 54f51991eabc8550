-- formerly 37d538a0df70d9997acb14888c7b73af2bace998421c7f800d651b3613bf4c9f
-- How many requests a minute: by plan, by account, and who of the server processes may let how many of a key through.

alter table plan alter column requests_per_minute drop not null;  -- null: unlimited
alter table account add column requests_per_minute integer;       -- null: the plan's

-- Each permit of a key's minute is held by one process at a time: it uses it, has it back sixty seconds later, and gives
-- back what it does not need. Unlogged: after a crash of the database the processes say again what they hold.
create unlogged table rate_share (
  account_id integer not null,
  key_id     uuid not null,
  until      timestamptz not null,         -- when the last share in it is over; the row may go then
  shares     jsonb not null,               -- process: [held, free, told at, over at, next use over at, as told]; times in ms
  primary key (account_id, key_id)
) with (fillfactor = 50);
