-- shard
-- What the rules of readiness reports ask of data, as bits; src/readiness/fact-bits.ts says in which order. A row for each
-- content that active passports have, and for each unit with own fields. Servers write the rows behind the answers.
create table readiness_facts (
  account_id    integer not null,
  facts_version integer not null,
  version_no    integer not null,          -- of the unit; 0 for a content, which never changes
  kind          "char" not null,           -- c content, u unit
  subject       uuid not null,
  bits          bytea not null,
  primary key (account_id, kind, subject)
);

-- The contents and units with the same bits.
create index readiness_facts_bits on readiness_facts (account_id, facts_version, bits);

-- The counters of a content's units do not tell how many are archived.
create index passport_archived on passport (account_id, content_id) where status = 'x' and level = 'i' and own is null;
