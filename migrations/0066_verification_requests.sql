-- shared
-- What an account asks its operator to verify: one request, which the next one replaces. An approval deletes it.
create table verification_request (
  account_id     integer primary key references account,
  id             uuid not null,
  legal_name     text not null,
  identifiers    jsonb not null,       -- as in account_identity
  names          jsonb not null,       -- a list of texts as in approved_name
  note           text not null,
  asked_at       timestamptz not null,
  asked_by       integer not null,     -- the actor
  declined_at    timestamptz,
  decline_reason text
);
