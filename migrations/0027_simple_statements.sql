-- shard
-- What simple statements need: each write is one insert, update or delete, and ON CONFLICT compares only columns.

-- When the lease was taken: ON CONFLICT compares the new row with the old one and asks no clock.
alter table webhook_lease add column taken_at timestamptz;

-- How much of the account's quota may be used on this shard; null: all of it.
alter table account_usage add column part bigint;

-- By which schema version the keys of the data were understood: a key that became a field later stays private in it.
alter table passport_version add column schema_version smallint not null default 1;

-- `carnet_share` for two rows of `rate_share`: process, report and time stand in the new one.
create or replace function public.carnet_share_with(shares jsonb, reported jsonb)
returns jsonb language plpgsql immutable as $$
declare
  process text;
  share   jsonb;
begin
  select key, value into process, share from jsonb_each(reported);
  return public.carnet_share(shares, process, share->5, (share->>2)::bigint);
end $$;

-- A server of the version before leaves deliveries to the trigger. Those that a statement has inserted itself stay.
create or replace function public.carnet_fan_out() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  -- `least`: due at once, also if the server's clock, which gave the time, is ahead of the database's.
  insert into webhook_delivery (due_at, account_id, attempts, background, endpoint_id, event_id)
  select least(e.created_at, now()), e.account_id, 0, e.background, w.id, e.id
  from written e join webhook_endpoint w on w.account_id = e.account_id
  where w.status in ('a' /* active */, 'p' /* paused */) and (w.events is null or e.type = any(w.events))
  on conflict do nothing;
  return null;
end $$;

-- One trigger for rows and one for TRUNCATE: Citus keeps a trigger that names both where no row is stored.
drop trigger content_is_kept on content;
drop trigger version_is_kept on passport_version;
drop trigger status_is_kept on passport_status;
drop trigger audit_is_kept on audit_entry;
create trigger content_is_kept before update or delete on content for each statement execute function public.carnet_keep();
create trigger version_is_kept before update or delete on passport_version for each statement execute function public.carnet_keep();
create trigger status_is_kept  before update or delete on passport_status for each statement execute function public.carnet_keep();
create trigger audit_is_kept   before update or delete on audit_entry for each statement execute function public.carnet_keep();
create trigger content_is_never_truncated before truncate on content for each statement execute function public.carnet_keep();
create trigger version_is_never_truncated before truncate on passport_version for each statement execute function public.carnet_keep();
create trigger status_is_never_truncated  before truncate on passport_status for each statement execute function public.carnet_keep();
create trigger audit_is_never_truncated   before truncate on audit_entry for each statement execute function public.carnet_keep();
