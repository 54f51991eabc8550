-- Passkeys, sessions that can be told apart, and accounts that are closed.

create table passkey (
  id            uuid primary key,
  person_id     uuid not null,
  credential_id text not null,             -- base64url, as browsers send it
  public_key    bytea not null,            -- COSE
  counter       bigint not null,           -- 0 for the many that do not count
  transports    text[] not null,           -- how the browser may reach it
  name          text not null,             -- what its owner calls it
  created_at    timestamptz not null,
  last_used_at  timestamptz
);
create unique index passkey_credential on passkey (credential_id);
create index passkey_person on passkey (person_id);

-- What a browser was asked to sign; gone when it comes back, or when it is too old.
create table passkey_challenge (
  hash       text primary key,             -- SHA-256 of the challenge
  purpose    text not null,                -- add, sign_in
  person_id  uuid,                         -- null: sign_in
  expires_at timestamptz not null
);
create index passkey_challenge_expires on passkey_challenge (expires_at);

-- A session's name on the page that ends it. Those of before get one here, the others from the application.
alter table person_session add column id uuid not null default gen_random_uuid();
alter table person_session alter column id drop default;

alter table account add column closed_at timestamptz;  -- null: open
