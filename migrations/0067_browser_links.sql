-- shared
-- Links by e-mail that make a browser known for a person (docs/decisions/0073-links-for-held-back-sign-ins.md). They sign nobody in.
create table browser_link (
  hash       text primary key,             -- SHA-256 of the token
  person_id  uuid not null,
  expires_at timestamptz not null
);
create index browser_link_person on browser_link (person_id);
