-- What systems that keep themselves in step need: one model for one SKU, and a list of changes that forgets none.

-- Who a SKU was last created for by "create or update". A SKU is not unique; this row only lets two creators meet.
create table sku_claim (
  account_id integer not null,
  sku        text not null,                -- NFC
  model_id   uuid not null,
  primary key (account_id, sku)
);

-- When the transaction that last wrote the row began, by the database's clock: what is not visible yet bears a time no
-- earlier than the oldest transaction still open. Rows from before this migration have none.
alter table passport add column stored_at timestamptz not null default '-infinity';
alter table passport alter column stored_at set default now();

-- The same moment of the last correction: from then on the units issued before count as touched.
alter table passport add column corrected_at timestamptz;
update passport p set corrected_at = v.created_at from passport_version v
where p.last_correction > 0 and v.passport_id = p.id and v.account_id = p.account_id and v.version_no = p.last_correction;

-- By level, so that a night's million of items stands in no model's way. The condition on updated_at keeps the index to
-- the statements that repeat it (0006).
drop index passport_updated;
create index passport_touched on passport (account_id, level, greatest(updated_at, stored_at)) where updated_at > '-infinity';
