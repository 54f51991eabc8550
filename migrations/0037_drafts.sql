-- shard
-- Products and changes that are being prepared. Nothing reads this table but the account's own lists of drafts.
create table draft (
  account_id  integer not null,
  id          uuid not null,               -- of a new product: the id of its passport
  product_id  uuid,                        -- the product that is changed; null: a new one
  category    text not null,
  change_type text,                        -- change, correction; null: a new product
  data        jsonb not null,              -- of a change: only what is sent, with nulls
  note        text,
  created_at  timestamptz not null,
  created_by  integer not null,            -- actor
  updated_at  timestamptz not null,
  primary key (account_id, id),
  check ((product_id is null) = (change_type is null))
);
-- Drafts that nobody has changed for long are deleted.
create index draft_updated on draft (updated_at);
