/** Restores an exported account's passports with their ids, and compares their hashes. */
import { hash } from 'node:crypto'
import { findCategory } from '../../categories/catalogue.ts'
import { isWorldwideGtin } from '../../gs1/gtin-kind.ts'
import { isLotOrSerial } from '../../gs1/lot-serial.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { invalidInput } from '../../kernel/errors/errors.ts'
import { addFoldedLines } from '../../kernel/text/search-text.ts'
import { getGtinOfClaim, toClaimKey } from '../core/claim-key.ts'
import { normalizeDppId } from '../core/dpp-id.ts'
import { firstHash } from '../core/hash-chain.ts'
import type {
  AccessLinkLine,
  ContentLine,
  DraftLine,
  GtinLine,
  PassportLine,
  RegistryEntryLine,
  ReleasedGtinLine,
  StatusLine,
  VersionLine,
} from './export-rows.ts'

/** The type of a JSON line of the export: times are texts. */
type AsText<L> = { [K in keyof L]: L[K] extends Date ? string : L[K] }
type ImportedContent = AsText<ContentLine>
/** Files of earlier versions of Carnet have no `schema_version`: it was 1. */
type ImportedVersion = Omit<AsText<VersionLine>, 'schema_version'> & { schema_version?: number }
export type ImportedHistory = {
  passport: AsText<PassportLine>
  versions: ImportedVersion[]
  statuses: AsText<StatusLine>[]
}

/** Throws `validation` if a content does not match its hash. */
export async function importContents(
  sql: Sql,
  accountId: number,
  contents: readonly ImportedContent[],
): Promise<void> {
  for (const content of contents) {
    const { owner, upto, model_upto, own_fields, data } = content
    if (hashLines([owner, upto, model_upto, toJsonbText(own_fields), data]) !== content.hash)
      throw invalidInput(`The data of ${content.id} does not match its hash.`)
  }
  await sql`
    insert into content (account_id, upto, model_upto, id, owner_id, from_id, own_fields, data, hash)
    select ${accountId}, r.upto, r.model_upto, r.id, r.owner, r."from", r.own_fields, r.data::jsonb, decode(r.hash, 'hex')
    from jsonb_to_recordset(${JSON.stringify(contents)}::text::jsonb) as r(id uuid, owner uuid, upto int, model_upto int,
      "from" uuid, own_fields text[], data text, hash text)`
}

/** Hashes as `migrations/functions/carnet_link.sql` does. */
const hashLines = (lines: readonly (string | number | null)[]) =>
  hash('sha256', lines.map(line => line ?? '').join('\n'), 'hex')

/** Formatted like jsonb, with a space after each comma. */
const toJsonbText = (list: readonly string[] | null) =>
  list === null ? null : `[${list.map(entry => JSON.stringify(entry)).join(', ')}]`

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Throws `validation` if a history does not match its hashes, or its passport exists here. */
export async function importPassports(
  sql: Sql,
  accountId: number,
  all: readonly ImportedHistory[],
): Promise<void> {
  for (const passport of all) requireIntactHistory(passport)
  await requireFreeIds(
    sql,
    all.map(({ passport }) => passport.uuid),
  )
  const rows = all.map(({ passport, versions }) => {
    const newest = versions.at(-1)
    const search = passport.search && addFoldedLines(passport.search)
    return { ...passport, search, content: newest?.content, created_by: newest?.created_by, own: newest?.own }
  })
  await sql`
    insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, parent_id,
      model_id, schema_version, level, status, category, gtin14, sku, lot, serial, search, own, units_content_id, dpp_id)
    select r.updated_at, ${accountId}, r.version_no, r.created_by, r.last_correction, r.uuid, r.content, r.parent, r.model,
      r.schema_version, r.level::"char", r.status::"char", r.category, r.gtin14, r.sku, r.lot, r.serial, r.search,
      r.own::jsonb, r.units_content, r.dpp_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r(updated_at timestamptz, version_no int,
      created_by int, last_correction int, uuid uuid, content uuid, parent uuid, model uuid, schema_version smallint,
      level text, status text, category text, gtin14 text, sku text, lot text, serial text, search text, own text,
      units_content uuid, dpp_id text)`
  await importAliases(
    sql,
    accountId,
    all.map(({ passport }) => passport),
  )
  const kept = all.flatMap(({ passport, versions }) => (passport.version_no === 1 ? [] : versions))
  await sql`
    insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, schema_version,
      kind, own, note, changed, hash)
    select r.created_at, ${accountId}, r.version_no, r.created_by, r.passport, r.content, coalesce(r.schema_version, 1),
      r.kind::"char", r.own::jsonb, r.note, r.changed, decode(r.hash, 'hex')
    from jsonb_to_recordset(${JSON.stringify(kept)}::text::jsonb) as r(created_at timestamptz, version_no int,
      created_by int, passport uuid, content uuid, schema_version smallint, kind text, own text, note text,
      changed text[], hash text)`
  await sql`
    insert into passport_status (changed_at, account_id, changed_by, passport_id, status)
    select r.changed_at, ${accountId}, r.changed_by, r.passport, r.status::"char"
    from jsonb_to_recordset(${JSON.stringify(all.flatMap(({ statuses }) => statuses))}::text::jsonb)
      as r(changed_at timestamptz, changed_by int, passport uuid, status text)`
  const first = all.flatMap(({ passport, versions }) => (passport.version_no === 1 ? versions : []))
  await requireIntactFirstVersions(sql, accountId, first)
}

/** Throws `validation` for an identifier of another system that another passport here has. */
async function importAliases(
  sql: Sql,
  accountId: number,
  passports: readonly ImportedHistory['passport'][],
): Promise<void> {
  const aliases = passports.flatMap(({ uuid, dpp_id, updated_at }) =>
    typeof dpp_id === 'string' ? [{ uuid, dpp_id, updated_at, key: normalizeDppId(dpp_id) }] : [],
  )
  if (aliases.length === 0) return
  const kept = await sql<{ key: string }[]>`
    insert into dpp_alias (key, account_id, passport_id, created_at)
    select r.key, ${accountId}, r.uuid, r.updated_at
    from jsonb_to_recordset(${JSON.stringify(aliases)}::text::jsonb) as r(key text, uuid uuid, updated_at timestamptz)
    where r.key is not null
    on conflict do nothing returning key`
  const keys = new Set(kept.map(({ key }) => key))
  const refused = aliases.find(({ key }) => key === undefined || !keys.has(key))
  if (refused !== undefined) {
    throw invalidInput(`The identifier ${refused.dpp_id} is not valid, or belongs to another passport here.`)
  }
}

function requireIntactHistory({ passport, versions, statuses }: ImportedHistory): void {
  const { uuid, level, category, model, parent, lot, serial } = passport
  const id = UUID.test(uuid) ? idFromUuid(uuid) : uuid
  const isModel = level === 'm'
  const fits =
    UUID.test(uuid) &&
    ['m', 'b', 'i'].includes(level) &&
    ['a', 'x'].includes(passport.status) &&
    findCategory(category) !== undefined &&
    (parent === null) === isModel &&
    (model === uuid) === isModel &&
    (isModel || isLotOrSerial((level === 'b' ? lot : serial) ?? '')) &&
    statuses.every(({ passport }) => passport === uuid)
  if (!fits)
    throw invalidInput(
      `Passport ${id} is not valid: its id, level, category, parent, model, lot, serial or status does not fit.`,
    )
  if (versions.length !== passport.version_no)
    throw invalidInput(
      `Passport ${id} is at version ${passport.version_no}, but the file has ${versions.length}.`,
    )
  let before = hashLines([uuid, level, category, model, parent, lot, serial])
  for (const [index, version] of versions.entries()) {
    const { version_no, kind, created_at, created_by, content_hash, own, note, changed } = version
    const noteText = note === null ? null : JSON.stringify(note)
    const expected = hashLines([
      before,
      version_no,
      kind,
      created_at,
      created_by,
      content_hash,
      own,
      noteText,
      toJsonbText(changed),
    ])
    if (expected !== version.hash || version.passport !== uuid || version_no !== index + 1)
      throw invalidInput(`Version ${index + 1} of passport ${id} does not match its hash.`)
    before = expected
  }
}

/** Checks all accounts of a shard, because ids are unique across them. */
export async function requireFreeIds(sql: Sql, uuids: readonly string[]): Promise<void> {
  const [existing] = await sql<{ id: string }[]>`
    select id from passport where id = any(${[...uuids]}::text[]::uuid[]) limit 1`
  if (existing !== undefined)
    throw invalidInput(
      `Passport ${idFromUuid(existing.id)} already exists here. Import the account into a Carnet that does not have it.`,
    )
}

/** Checks version 1 if it has no row: its hash must cover the passport's content and own fields. */
async function requireIntactFirstVersions(
  sql: Sql,
  accountId: number,
  versions: readonly ImportedVersion[],
): Promise<void> {
  const ids = versions.map(({ passport }) => passport)
  const contents = [...new Set(versions.map(({ content }) => content))]
  // Both tables by a list of ids: by a join alone, a plan may read the whole account for each page.
  const found = await sql<{ id: string; hash: string }[]>`
    select p.id, encode(${firstHash(sql, sql`c.hash`)}, 'hex') as hash
    from passport p join content c on c.id = p.content_id and c.account_id = p.account_id
    where p.id = any(${ids}::text[]::uuid[]) and p.account_id = ${accountId}
      and c.id = any(${contents}::text[]::uuid[]) and c.account_id = ${accountId}`
  const hashes = new Map(found.map(({ id, hash }) => [id, hash]))
  const wrong = versions.find(({ passport, hash }) => hashes.get(passport) !== hash)
  if (wrong !== undefined)
    throw invalidInput(`Version 1 of passport ${idFromUuid(wrong.passport)} does not match its hash.`)
}

/** Throws `validation` for a GTIN that another product here has. */
export async function importGtins(
  sql: Sql,
  accountId: number,
  gtins: readonly AsText<GtinLine>[],
): Promise<void> {
  const claims = gtins.map(line => ({ ...line, gtin14: toClaimKey(line.gtin14, accountId) }))
  await insertClaims(sql, accountId, claims)
  const held = await sql<{ gtin14: string; model_id: string }[]>`
    select gtin14, model_id from gtin_claim
    where gtin14 = any(${claims.map(({ gtin14 }) => gtin14)}::text[]) and account_id = ${accountId}`
  const holders = new Map(held.map(({ gtin14, model_id }) => [gtin14, model_id]))
  const taken = claims.find(({ gtin14, model }) => holders.get(gtin14) !== model)
  if (taken !== undefined)
    throw invalidInput(`GTIN ${getGtinOfClaim(taken.gtin14)} belongs to another product here.`)
  // Earlier versions claimed all numbers for the whole service, and printed addresses still name them.
  const earlier = gtins.filter(line => !(line.is_local ?? isWorldwideGtin(line.gtin14)))
  if (earlier.length > 0) await insertClaims(sql, accountId, earlier)
}

/** Leaves out those that another product has. */
const insertClaims = (sql: Sql, accountId: number, claims: readonly AsText<GtinLine>[]) => sql`
  insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at)
  select gtin14, substr(gtin14, 5, 4), ${accountId}, model, claimed_at
  from jsonb_to_recordset(${JSON.stringify(claims)}::text::jsonb) as r(gtin14 text, model uuid, claimed_at timestamptz)
  where public.carnet_may_claim_gtin(gtin14, ${accountId}) order by gtin14
  on conflict do nothing`

/** Throws `validation` for a GTIN that another account here has or had: its printed codes lead there. */
export async function importReleasedGtins(
  sql: Sql,
  accountId: number,
  lines: readonly AsText<ReleasedGtinLine>[],
): Promise<void> {
  const released = lines.map(line =>
    line.is_local === true ? { ...line, gtin14: toClaimKey(line.gtin14, accountId) } : line,
  )
  const gtins = released.map(({ gtin14 }) => gtin14)
  const [taken] = await sql<{ gtin14: string }[]>`
    select gtin14 from gtin_claim where gtin14 = any(${gtins}::text[]) and account_id <> ${accountId}
    union all select gtin14 from released_gtin where gtin14 = any(${gtins}::text[]) and account_id <> ${accountId} limit 1`
  if (taken !== undefined) throw invalidInput(`GTIN ${taken.gtin14} belongs to another product here.`)
  await sql`
    insert into released_gtin (gtin14, account_id, model_id, released_at, claimable_by)
    select gtin14, ${accountId}, model, released_at, ${accountId}
    from jsonb_to_recordset(${JSON.stringify(released)}::text::jsonb) as r(gtin14 text, model uuid, released_at timestamptz)`
}

/** Throws `validation` if a link exists here. */
export async function importAccessLinks(
  sql: Sql,
  accountId: number,
  links: readonly AccessLinkLine[],
): Promise<void> {
  const made = await sql`
    insert into access_link (account_id, id, hash, passport_id, audience, label, created_at, created_by, expires_at,
      revoked_at, uses, last_used_at)
    select ${accountId}, r.* from jsonb_to_recordset(${JSON.stringify(links)}::text::jsonb) as r(id uuid, hash text,
      passport_id uuid, audience text, label text, created_at timestamptz, created_by int, expires_at timestamptz,
      revoked_at timestamptz, uses bigint, last_used_at timestamptz)
    where r.audience in ('legitimate_interest', 'authority')
    on conflict do nothing returning id`
  if (made.length !== links.length)
    throw invalidInput('An access link in the file already exists here or is not valid.')
}

/** Throws `validation` if a draft or a passport with its id exists here. */
export async function importDrafts(
  sql: Sql,
  accountId: number,
  drafts: readonly AsText<DraftLine>[],
): Promise<void> {
  const ids = drafts.map(({ id }) => id)
  await requireFreeIds(sql, ids)
  const [existing] = await sql<{ id: string }[]>`
    select id from draft where id = any(${ids}::text[]::uuid[]) limit 1`
  if (existing !== undefined)
    throw invalidInput(
      `Draft ${idFromUuid(existing.id)} already exists here. Delete it, or import elsewhere.`,
    )
  await sql`
    insert into draft (account_id, id, product_id, category, change_type, data, note, created_at, created_by, updated_at)
    select ${accountId}, r.id, r.product, r.category, r.change_type, r.data::jsonb, r.note, r.created_at, r.created_by,
      r.updated_at
    from jsonb_to_recordset(${JSON.stringify(drafts)}::text::jsonb) as r(id uuid, product uuid, category text,
      change_type text, data text, note text, created_at timestamptz, created_by int, updated_at timestamptz)`
}

/** All are due: their lines may have other addresses here. */
export async function importRegistryEntries(
  sql: Sql,
  accountId: number,
  entries: readonly AsText<RegistryEntryLine>[],
): Promise<void> {
  await sql`
    insert into registry_entry (account_id, change_no, passport_id, state, level, version_no, action, missing, line,
      exported_no, registered_no, registration_id, proof_valid_until, message, changed_at)
    select ${accountId}, 1, r.* from jsonb_to_recordset(${JSON.stringify(entries)}::text::jsonb) as r(passport uuid, state text,
      level "char", version_no int, action text, missing text[], line text, exported_no int, registered_no int,
      registration_id text, proof_valid_until timestamptz, message text, changed_at timestamptz)`
}

/** Must be called after the last row: writes counters, checks references, counts passports by level. */
export async function finishImport(
  sql: Sql,
  accountId: number,
): Promise<{ level: 'm' | 'b' | 'i'; n: number }[]> {
  // Each row by its key: see `findBrokenChains`.
  const own = sql`account_id = ${accountId} and updated_at > '-infinity'`
  const [lost] = await sql<{ id: string }[]>`
    select p.id from (select * from passport where ${own} offset 0) p
    where not exists (select 1 from content c where c.id = p.content_id and c.account_id = p.account_id offset 0)
      or not exists (select 1 from passport m
        where m.id = p.model_id and m.account_id = p.account_id and m.level = 'm' offset 0)
      or not exists (select 1 from passport o
        where o.id = coalesce(p.parent_id, p.id) and o.account_id = p.account_id offset 0)
    limit 1`
  if (lost !== undefined)
    throw invalidInput(`Passport ${idFromUuid(lost.id)} belongs to a product that is not in the file.`)
  await sql`
    with counted as materialized (
      select account_id, level, status, category, count(*) as n from passport where ${own}
      group by account_id, level, status, category
    )
    insert into passport_count (account_id, level, status, category, n)
    select account_id, level, status, category, n from counted`
  await sql`
    with counted as materialized (
      select account_id, content_id, count(*) as n from passport
      where ${own} and parent_id is not null group by account_id, content_id
    )
    insert into content_units (account_id, content_id, n)
    select account_id, content_id, n from counted`
  return sql<{ level: 'm' | 'b' | 'i'; n: number }[]>`
    select level, count(*)::bigint as n from passport where ${own} group by level`
}
