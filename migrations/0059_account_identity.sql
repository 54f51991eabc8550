-- shared
-- Who an account is, as the operator has verified it. Signed documents name nothing else as their issuer.
create table account_identity (
  account_id  integer primary key references account,
  legal_name  text not null,
  identifiers jsonb not null,          -- a list of {scheme, value}: gln, lei, vat, eori
  approved_at timestamptz not null,
  approved_by text not null
);

-- Hosts, GS1 company prefixes and DIDs that belong to one account, each as one text: host:…, gs1:…, did:….
create table approved_name (
  name        text primary key,
  account_id  integer not null references account,
  approved_at timestamptz not null
);
create index approved_name_account on approved_name (account_id);

