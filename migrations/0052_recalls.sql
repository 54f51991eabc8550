-- shard
-- Recall notices of models, batches and items. Each row is one change; the newest of a passport holds, unless it ended.
create table recall_change (
  account_id  integer not null,
  passport_id uuid not null,
  number      integer not null check (number > 0), -- of the passport, from 1
  kind        "char" not null check (kind in ('s' /* set */, 'c' /* changed */, 'e' /* ended */)),
  notice      jsonb not null,              -- texts by language, address, contact, day; of an end: the notice that ended
  set_at      timestamptz not null,        -- when the notice was set that this row sets, changes or ends
  changed_at  timestamptz not null,
  changed_by  integer not null,            -- an actor
  stored_at   timestamptz not null default now(),
  primary key (account_id, passport_id, number)
);

create index recall_change_stored on recall_change (account_id, stored_at);

create trigger recall_is_kept before update or delete on recall_change for each statement execute function public.carnet_keep();
create trigger recall_is_never_truncated before truncate on recall_change for each statement execute function public.carnet_keep();

-- Recalls are sent only to endpoints that name them: see `NAMED_EVENT_TYPES`.
create or replace function public.carnet_fan_out() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  -- `least`: due at once, also if the server's clock, which gave the time, is ahead of the database's.
  insert into webhook_delivery (due_at, account_id, attempts, background, endpoint_id, event_id)
  select least(e.created_at, now()), e.account_id, 0, e.background, w.id, e.id
  from written e join webhook_endpoint w on w.account_id = e.account_id
  where w.status in ('a' /* active */, 'p' /* paused */)
    and (w.events is null and e.type not in ('product.recalled', 'product.recall_ended') or e.type = any(w.events))
  on conflict do nothing;
  return null;
end $$;
