-- formerly fe335d433c7fac33262a9788193f23a123b104348b808f6c2b6e6f2e85aa4394
-- Passports, every state they were in, and who holds which GTIN.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- The large data, written once and never changed: one row for each version of a model. A unit points to the one it
-- was issued under, so that issuing a million of them copies nothing.
create table content (
  account_id integer not null,
  upto       integer not null,             -- last version of the owner whose corrections are in it
  model_upto integer,                      -- the same of the model, where the owner is a batch
  id         uuid not null,
  owner_id   uuid not null,
  from_id    uuid,                         -- the content it was refreshed from
  data       jsonb not null,
  primary key (id, account_id)
);
-- Inline and uncompressed up to a page: a passport of a few kB is read without a detour (pglz pushed every one out of line).
alter table content alter column data set storage main;
alter table content set (toast_tuple_target = 8160);

-- The current version of each passport; version 1 has no row of its own until there is a second.
create table passport (
  updated_at      timestamptz not null,
  account_id      integer not null,
  version_no      integer not null,
  created_by      integer not null,        -- actor of the current version
  last_correction integer not null,        -- version_no of its last correction, 0 for none
  id              uuid not null,
  content_id      uuid not null,
  parent_id       uuid,
  model_id        uuid not null,
  schema_version  smallint not null,
  level           "char" not null,         -- m, b, i
  status          "char" not null,         -- a active, x archived
  category        text not null,
  gtin14          text,                    -- models only
  sku             text,                    -- models only
  lot             text,
  serial          text,
  search          text,                    -- models and batches: name, SKU, GTIN in NFC and lower case
  own             jsonb,                   -- units: their own fields over the inherited ones
  primary key (id, account_id)
);
alter table passport alter column own set storage main;

create index passport_list      on passport (account_id, level, id) where level <> 'i';
create index passport_parent    on passport (account_id, parent_id, id) where parent_id is not null;
create unique index passport_serial on passport (account_id, model_id, serial) where serial is not null;
create unique index passport_lot    on passport (account_id, model_id, lot) where level = 'b';
create index passport_updated   on passport (account_id, updated_at);
create index passport_content   on passport (account_id, content_id) where parent_id is not null;
create index passport_sku       on passport (account_id, sku) where sku is not null;
create index passport_gtin      on passport (account_id, gtin14) where gtin14 is not null;
create index passport_search    on passport using gin (account_id, search gin_trgm_ops) where search is not null;

create table passport_version (
  created_at timestamptz not null,
  account_id integer not null,
  version_no integer not null,
  created_by integer not null,
  passport_id uuid not null,
  content_id uuid not null,
  kind       "char" not null,              -- n new, h change, c correction, r refresh
  own        jsonb,
  note       text,
  changed    text[],
  primary key (passport_id, version_no, account_id)
);

create table passport_status (
  changed_at  timestamptz not null,
  account_id  integer not null,
  changed_by  integer not null,
  passport_id uuid not null,
  status      "char" not null,
  primary key (passport_id, changed_at, account_id)
);

create trigger content_is_kept before update or delete or truncate on content for each statement execute function carnet_keep();
create trigger version_is_kept before update or delete or truncate on passport_version for each statement execute function carnet_keep();
create trigger status_is_kept  before update or delete or truncate on passport_status for each statement execute function carnet_keep();

-- One GTIN names one model on this host; the claim stays when the model changes its GTIN, so that printed codes resolve.
create table gtin_claim (
  gtin14     text primary key,
  account_id integer not null,
  model_id   uuid not null,
  claimed_at timestamptz not null
);
create index gtin_claim_model on gtin_claim (account_id, model_id);

-- How many there are, so that a list's total costs one row.
create table passport_count (
  account_id integer not null,
  level      "char" not null,
  status     "char" not null,
  category   text not null,
  n          bigint not null,
  primary key (account_id, level, status, category)
) with (fillfactor = 50);
