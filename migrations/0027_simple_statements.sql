-- shard
-- formerly f4b53d53ff106157460a13ca8460234bcb377d5a7750ca47e7ef13c23dcbfeb2
-- What simple statements need: each write is one insert, update or delete, and ON CONFLICT compares only columns.

-- When the lease was taken: ON CONFLICT compares the new row with the old one and asks no clock.
alter table webhook_lease add column taken_at timestamptz;

-- How much of the account's quota may be used on this shard; null: all of it.
alter table account_usage add column part bigint;

-- By which schema version the keys of the data were understood: a key that became a field later stays private in it.
alter table passport_version add column schema_version smallint not null default 1;

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
