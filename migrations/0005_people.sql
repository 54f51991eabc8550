-- People: who signs in to an account's pages, how, and what they and the operator did there.

-- Narrow directories, looked up without knowing an account: by e-mail, by session, by link.
create table person (
  id            uuid primary key,
  email         text not null,             -- lower case
  password_hash text,                      -- argon2id with its parameters; null until set
  created_at    timestamptz not null
);
create unique index person_email on person (email);

create table person_session (
  hash       text primary key,             -- SHA-256 of the cookie
  person_id  uuid not null,
  account_id integer not null,             -- the account the person looks at
  created_at timestamptz not null,
  expires_at timestamptz not null
) with (fillfactor = 90);
create index person_session_person on person_session (person_id);
create index person_session_expires on person_session (expires_at);

create table one_time_link (
  hash       text primary key,             -- SHA-256 of the token
  purpose    text not null,                -- set_up, set_password
  person_id  uuid,                         -- null: set_up
  created_at timestamptz not null,
  expires_at timestamptz                   -- null: until it is used or replaced
);
create unique index one_time_link_set_up on one_time_link (purpose) where purpose = 'set_up';
create unique index one_time_link_person on one_time_link (person_id) where person_id is not null;

-- Sign-ins tried with an e-mail, known here or not; gone when the window is over or a sign-in succeeds.
create table sign_in_attempt (
  email_hash text primary key,             -- SHA-256: what was typed is not kept
  attempts   integer not null,
  first_at   timestamptz not null
) with (fillfactor = 50);
create index sign_in_attempt_first on sign_in_attempt (first_at);

create table membership (
  account_id integer not null,
  person_id  uuid not null,
  role       text not null,                -- owner, editor, viewer
  actor_id   integer not null,
  created_at timestamptz not null,
  primary key (account_id, person_id)
);
create index membership_person on membership (person_id, account_id);

create table audit_entry (
  account_id integer not null,
  id         uuid not null,
  at         timestamptz not null,
  actor      integer not null,
  action     text not null,
  subject    text not null,
  primary key (account_id, id)
);
create trigger audit_is_kept before update or delete or truncate on audit_entry for each statement execute function carnet_keep();
