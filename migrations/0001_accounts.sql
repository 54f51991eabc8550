-- Accounts, what their plan gives them, and the keys that act for them.

create table plan (
  id                  text primary key,
  api                 boolean not null,
  requests_per_minute integer not null,
  model_quota         bigint,              -- null: unlimited
  batch_quota         bigint,
  item_quota          bigint
);

insert into plan values
  ('free',       false, 120, 5,     0,      0),
  ('beta',       true,  300, 500,   5000,   50000),
  ('pro',        true,  120, 1000,  10000,  100000),
  ('business',   true,  300, 10000, 100000, 1000000),
  ('enterprise', true,  600, null,  null,   null);

create table account (
  id          integer generated always as identity primary key,
  name        text not null,
  plan        text not null references plan,
  model_quota bigint,                      -- null: the plan's
  batch_quota bigint,
  item_quota  bigint,
  created_at  timestamptz not null
);

-- One row per account and level, locked by every create: the quota is exact because it is one number in one place.
create table account_usage (
  account_id integer not null,
  level      "char" not null,
  used       bigint not null,
  primary key (account_id, level)
) with (fillfactor = 50);

-- Who did it: an API key, a person, or the operator at the command line. Four bytes in every version instead of a name.
create table actor (
  id         integer generated always as identity,
  account_id integer not null,
  kind       text not null,
  label      text not null,
  primary key (account_id, id)
);

create table api_key (
  account_id   integer not null,
  id           uuid not null,
  hash         text not null,              -- SHA-256 of the key; the key itself is shown once and kept nowhere
  name         text not null,
  last4        text not null,
  scope        text not null,
  actor_id     integer not null,
  created_at   timestamptz not null,
  created_by   text not null,
  last_used_at timestamptz,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  primary key (account_id, id)
);
create unique index api_key_hash on api_key (hash);
