-- shard
-- Events of batches and items: repairs, accidents, the end of life. Each row has the hash of the row before it, and is never
-- changed. See docs/decisions/0096-events-of-a-unit.md.
create table life_event (
  account_id  integer not null,
  passport_id uuid not null,
  number      integer not null check (number > 0), -- of the passport, from 1, without a gap
  kind        text not null,
  at          timestamptz not null,                -- in milliseconds; of a day, its first moment in UTC
  is_day      boolean not null,
  stored_at   timestamptz not null,                -- in milliseconds, never before that of the number before
  actor       integer not null,
  link_id     uuid,                                -- the access link that wrote it
  once        uuid,                                -- what a form sends with each entry, so that it is stored once
  is_public   boolean not null,                    -- the public sees something of it
  data        jsonb not null,
  hash        bytea not null,
  corrects    integer generated always as ((data->>'corrects')::integer) stored,
  primary key (account_id, passport_id, number)
);

create index life_event_time on life_event (account_id, passport_id, at, number);
create index life_event_corrects on life_event (account_id, passport_id, corrects, number) where corrects is not null;
create index life_event_stored on life_event (account_id, stored_at);
create unique index life_event_once on life_event (account_id, passport_id, once) where once is not null;

create trigger life_event_is_kept before update or delete on life_event for each statement execute function public.carnet_keep();
create trigger life_event_is_never_truncated before truncate on life_event for each statement execute function public.carnet_keep();

-- The head of each log, and the state that follows from it.
create table unit_life (
  account_id    integer not null,
  passport_id   uuid not null,
  events        integer not null default 0,
  public_events integer not null default 0,
  hash          bytea,                             -- of the last event
  life          jsonb,                             -- the state for each audience, and for the account as `own`; null: new for all
  responsible   jsonb,
  successors    jsonb,
  ended         "char" check (ended in ('s' /* succeeded */, 'e' /* ended */)),
  ended_at      timestamptz,
  changed_at    timestamptz not null default '-infinity',
  primary key (account_id, passport_id)
) with (fillfactor = 80);

create index unit_life_changed on unit_life (account_id, changed_at);
