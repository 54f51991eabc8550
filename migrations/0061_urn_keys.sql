-- shared
-- Identifiers from elsewhere that are URNs, in the normal form of src/passports/core/dpp-id.ts (RFC 8141, 3.1). Where two
-- passports have one name in two spellings, one keeps it: that of the usual spelling, else the older. The other is found by
-- its address here.
with parts as materialized (
  select a.key, a.created_at, a.passport_id, m.part[1] as namespace, m.part[2] as name
  from dpp_alias a, regexp_match(a.key, '^urn:([A-Za-z0-9][A-Za-z0-9-]{0,30}[A-Za-z0-9]):([^?#]+)') as m(part)
  where m.part is not null
),
named as materialized (
  select p.key, p.created_at, p.passport_id, 'urn:' || lower(p.namespace) || ':' || case
    when lower(p.namespace) = 'uuid' and p.name ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then lower(p.name)
    else (
      select string_agg(case when t.piece[1] like '%\%%' then upper(t.piece[1]) else t.piece[1] end, '' order by t.place)
      from regexp_matches(p.name, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') with ordinality as t(piece, place)
    ) end as normal
  from parts p
),
first as materialized (
  select distinct on (normal) key, normal from named order by normal, key <> normal, created_at, passport_id
)
update dpp_alias a set key = f.normal from first f
where a.key = f.key and f.key <> f.normal;
