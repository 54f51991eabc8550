-- When people proved who they are, what others did to get in as them, and links of which one does not end another.

alter table person add column sign_ins_failed integer not null default 0;  -- since the entry in the audit log
alter table person add column failure_noted_at timestamptz;                -- when that entry was written
-- The account whose owner saw the link for the first password; null: it went to the person alone.
alter table person add column vouched_by integer;

alter table person_session add column proven_at timestamptz;               -- null: when it began
alter table membership add column sessions_ended_at timestamptz;           -- sessions proven before do not open the account

-- In place of the rows with a person in one_time_link, which a server of before still writes; both are read.
create table password_link (
  hash       text primary key,             -- SHA-256 of the token
  person_id  uuid not null,
  purpose    text not null,                -- invitation, reset, operator
  account_id integer not null,             -- of an invitation; 0: of the person
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index password_link_purpose on password_link (person_id, purpose, account_id);
