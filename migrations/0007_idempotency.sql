-- Requests that were sent with an Idempotency-Key and took effect, with what was answered: for a day, so that a
-- repetition is answered alike. Written in the transaction of what it made; until that commits, nobody sees it.

create table idempotency_key (
  created_at  timestamptz not null,
  account_id  integer not null,
  status      smallint,                    -- null only inside the transaction
  fingerprint bytea not null,              -- SHA-256 of method, address and body as they were sent
  key         text not null,
  headers     jsonb,
  body        text,
  primary key (account_id, key)
) with (fillfactor = 70);                  -- the answer is put into the page of the row it completes
create index idempotency_key_created on idempotency_key (created_at);
