-- shard
-- formerly 11234a54de000e371c9828563bcca8ec840d7ae7a75be4188bcd8530a4ee831b
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
