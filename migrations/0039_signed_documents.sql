-- shard
-- Signatures of public documents, because each signing gives another one and an ETag must not change.
create table signed_document (
  account_id    integer not null,
  passport_id   uuid not null,
  kind          text not null check (kind in ('en', 'vc', 'vc-jwt', 'sd-jwt')),
  document_hash bytea not null,            -- SHA-256 of what is signed
  key_number    integer not null,
  signature     text not null,             -- a proof as JSON, or a token
  created_at    timestamptz not null,
  primary key (passport_id, kind, document_hash, account_id)
);
