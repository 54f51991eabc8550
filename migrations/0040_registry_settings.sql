-- shared
-- Whether the passports of an account are prepared for the EU registry, and where copies of them are published. Workers
-- check all passports again when `registry_round` changes.
alter table account
  add column uses_registry boolean not null default false,
  add column registry_round integer not null default 0,
  add column backup_base_url text;
