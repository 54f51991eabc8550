/** Reads an account's passports with everything that belongs to them, page by page in the order of ids. */

import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getGtinOfClaim, isLocalClaim } from '../core/claim-key.ts'
import { firstHash } from '../core/hash-chain.ts'
import { resolveUncached } from '../read/resolve.ts'

/** `data` and `own` are JSON exactly as PostgreSQL writes it, which the hashes cover. */
export type ContentLine = {
  id: string
  owner: string
  upto: number
  model_upto: number | null
  from: string | null
  own_fields: string[] | null
  data: string
  hash: string
}
export type PassportLine = {
  uuid: string
  level: 'm' | 'b' | 'i'
  category: string
  model: string
  parent: string | null
  lot: string | null
  serial: string | null
  status: 'a' | 'x'
  version_no: number
  updated_at: Date
  schema_version: number
  last_correction: number
  units_content: string | null
  /** Absent in files of earlier versions. */
  dpp_id?: string | null
  gtin14: string | null
  sku: string | null
  search: string | null
}
export type VersionLine = {
  passport: string
  version_no: number
  kind: string
  created_at: Date
  created_by: number
  content: string
  content_hash: string
  schema_version: number
  own: string | null
  note: string | null
  changed: string[] | null
  hash: string
}
export type StatusLine = { passport: string; changed_at: Date; changed_by: number; status: string }
/** `is_local`: a claim inside the account only. */
export type GtinLine = { gtin14: string; is_local?: true; model: string; claimed_at: Date }
export type ReleasedGtinLine = { gtin14: string; is_local?: true; model: string; released_at: Date }
/** `data` is JSON. */
export type DraftLine = {
  id: string
  product: string | null
  category: string
  change_type: string | null
  data: string
  note: string | null
  created_at: Date
  created_by: number
  updated_at: Date
}
export type RegistryEntryLine = {
  passport: string
  state: string
  level: 'm' | 'b' | 'i' | null
  version_no: number | null
  action: string | null
  missing: string[] | null
  /** JSON. */
  line: string | null
  exported_no: number | null
  registered_no: number | null
  registration_id: string | null
  proof_valid_until: Date | null
  message: string | null
  changed_at: Date | null
}
export type AccessLinkLine = Readonly<Record<string, unknown>> & { id: string }

const CONTENTS_PER_PAGE = 200
const MAX_CONTENT_BYTES = 16 * 1024 * 1024
const PASSPORTS_PER_PAGE = 500
/** Daily measurements create thousands of versions of a unit. A page has at least one passport. */
const MAX_VERSIONS_PER_PAGE = 20_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Call this and the other functions of the file in one transaction with one snapshot. */
export const exportContents = (sql: Sql, accountId: number) =>
  readRows(
    after => sql<ContentLine[]>`
      with page as materialized (
        select id, owner_id as owner, upto, model_upto, from_id as "from", own_fields, data::text as data,
          encode(hash, 'hex') as hash
        from content where account_id = ${accountId} and id > ${after} order by id limit ${CONTENTS_PER_PAGE}
      ), weighed as (select *, sum(octet_length(data)) over (order by id) - octet_length(data) as before from page)
      select id, owner, upto, model_upto, "from", own_fields, data, hash from weighed
      where before < ${MAX_CONTENT_BYTES} order by id`,
    line => line.id,
  )

/** `read` returns a page of the rows after an id. */
async function* readPages<L>(
  read: (after: string) => PromiseLike<readonly L[]>,
  idOf: (line: L) => string,
  first = FIRST,
): AsyncGenerator<readonly L[]> {
  for (let after = first; ; ) {
    const page = await read(after)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = idOf(last)
  }
}

async function* readRows<L>(...source: Parameters<typeof readPages<L>>): AsyncGenerator<L> {
  for await (const page of readPages(...source)) yield* page
}

/** An export has models, then batches, then items, each by id; of several shards one after the other. */
export type ExportPosition = Pick<PassportLine, 'level' | 'uuid'> & { shard?: number }

const LEVELS = ['m', 'b', 'i'] as const

type ModelGtin = { gtin14: string; model: string; is_released: boolean }

/**
 * Without those of claims inside the account, which no address has. In two statements: claims are distributed
 * over the nodes of a cluster, released GTINs are on each.
 */
async function readGtins(sql: Sql, accountId: number, models: readonly string[]): Promise<ModelGtin[]> {
  const claimed = await sql<ModelGtin[]>`
    select gtin14, model_id as model, false as is_released from gtin_claim
    where account_id = ${accountId} and model_id = any(${[...models]}::text[]::uuid[])`
  const released = await sql<ModelGtin[]>`
    select gtin14, model_id as model, true as is_released from released_gtin
    where account_id = ${accountId} and model_id = any(${[...models]}::text[]::uuid[])`
  const isClaimed = (one: ModelGtin) =>
    claimed.some(({ gtin14, model }) => gtin14 === one.gtin14 && model === one.model)
  const found = [...claimed, ...released.filter(one => !isClaimed(one))]
  return found
    .filter(({ gtin14 }) => !isLocalClaim(gtin14))
    .sort((a, b) => Number(a.gtin14) - Number(b.gtin14))
}

export type LinkedPassport = Pick<PassportLine, 'uuid' | 'model' | 'lot' | 'serial'>

/** Released GTINs that still lead to a passport; another product may have claimed one since. */
async function findResolvingGtins(
  sql: Sql,
  { uuid, lot, serial }: LinkedPassport,
  released: readonly ModelGtin[],
): Promise<Set<string>> {
  const id = idFromUuid(uuid)
  const leading = new Set<string>()
  for (const { gtin14 } of released) {
    const found = await resolveUncached(sql, {
      gtin14,
      ...(lot === null ? {} : { lot }),
      ...(serial === null ? {} : { serial }),
    })
    if ((found?.item ?? found?.batch ?? found?.model) === id) leading.add(gtin14)
  }
  return leading
}

/** Passports after `from`, without histories, each with the GTINs that lead to it. */
export async function* exportAddresses(
  sql: Sql,
  accountId: number,
  from: ExportPosition | null = null,
): AsyncGenerator<{ passport: PassportLine; gtins: string[] }> {
  for await (const page of readPassportPages(sql, accountId, from)) {
    const gtins = await findGtins(sql, accountId, page)
    for (const passport of page) yield { passport, gtins: gtins.get(passport.uuid) ?? [] }
  }
}

/** The GTINs that lead to each passport, by its UUID. */
export async function findGtins(
  sql: Sql,
  accountId: number,
  passports: readonly LinkedPassport[],
): Promise<Map<string, string[]>> {
  const models = [...new Set(passports.map(({ model }) => model))]
  const byModel = Map.groupBy(await readGtins(sql, accountId, models), gtin => gtin.model)
  const found = new Map<string, string[]>()
  for (const passport of passports) {
    const all = byModel.get(passport.model) ?? []
    const released = all.filter(gtin => gtin.is_released)
    const leading = await findResolvingGtins(sql, passport, released)
    const gtins = all.filter(gtin => !gtin.is_released || leading.has(gtin.gtin14))
    found.set(
      passport.uuid,
      gtins.map(({ gtin14 }) => gtin14),
    )
  }
  return found
}

/** Parents precede their units. */
export async function* exportPassports(sql: Sql, accountId: number) {
  for await (const page of readPassportPages(sql, accountId, null)) {
    const uuids = page.map(passport => passport.uuid)
    const versions = Map.groupBy(await readVersions(sql, accountId, uuids), ({ passport }) => passport)
    const statuses = Map.groupBy(await readStatuses(sql, accountId, uuids), ({ passport }) => passport)
    for (const passport of page) {
      const { uuid } = passport
      yield { passport, versions: versions.get(uuid) ?? [], statuses: statuses.get(uuid) ?? [] }
    }
  }
}

async function* readPassportPages(sql: Sql, accountId: number, from: ExportPosition | null) {
  for (const level of LEVELS.slice(LEVELS.indexOf(from?.level ?? 'm'))) {
    const first = level === from?.level ? from.uuid : FIRST
    yield* readPages(
      after => readPassports(sql, accountId, level, after),
      ({ uuid }) => uuid,
      first,
    )
  }
}

const readPassports = (sql: Sql, accountId: number, level: PassportLine['level'], after: string) =>
  sql<PassportLine[]>`
    select uuid, level, category, model, parent, lot, serial, status, version_no, updated_at, schema_version,
      last_correction, units_content, gtin14, sku, search, dpp_id
    from (
      select id as uuid, level, category, model_id as model, parent_id as parent, lot, serial, status, version_no,
        updated_at, schema_version, last_correction, units_content_id as units_content, gtin14, sku, search, dpp_id,
        sum(version_no) over (order by id) - version_no as before
      from passport where account_id = ${accountId} and level = ${level}::text::"char" and id > ${after}
      order by id limit ${PASSPORTS_PER_PAGE}
    ) page where before < ${MAX_VERSIONS_PER_PAGE} order by uuid`

const readVersions = (sql: Sql, accountId: number, uuids: readonly string[]) => sql<VersionLine[]>`
  select p.id as passport, 1 as version_no, 'n'::"char" as kind, carnet_created_at(p.id) as created_at, p.created_by,
    p.content_id as content, encode(c.hash, 'hex') as content_hash, p.schema_version, p.own::text as own, null::text as note,
    null::text[] as changed, encode(${firstHash(sql, sql`c.hash`)}, 'hex') as hash
  from passport p join content c on c.id = p.content_id and c.account_id = p.account_id
  where p.id = any(${[...uuids]}::text[]::uuid[]) and p.account_id = ${accountId} and p.version_no = 1
  union all
  select v.passport_id, v.version_no, v.kind, v.created_at, v.created_by, v.content_id, encode(c.hash, 'hex'),
    v.schema_version, v.own::text, v.note, v.changed, encode(v.hash, 'hex')
  from passport_version v join content c on c.id = v.content_id and c.account_id = v.account_id
  where v.passport_id = any(${[...uuids]}::text[]::uuid[]) and v.account_id = ${accountId}
  order by passport, version_no`

const readStatuses = (sql: Sql, accountId: number, uuids: readonly string[]) => sql<StatusLine[]>`
  select passport_id as passport, changed_at, changed_by, status from passport_status
  where passport_id = any(${[...uuids]}::text[]::uuid[]) and account_id = ${accountId}
  order by passport_id, changed_at`

export async function* exportGtins(sql: Sql, accountId: number): AsyncGenerator<GtinLine> {
  const rows = readRows(
    after => sql<GtinLine[]>`
      select gtin14, model_id as model, claimed_at from gtin_claim
      where account_id = ${accountId} and gtin14 > ${after} order by gtin14 limit ${PASSPORTS_PER_PAGE}`,
    line => line.gtin14,
    '',
  )
  for await (const row of rows) yield dropAccountFromKey(row)
}

/** The account gets another number where it is imported. */
const dropAccountFromKey = <L extends { gtin14: string }>({ gtin14, ...line }: L) => ({
  gtin14: getGtinOfClaim(gtin14),
  ...(isLocalClaim(gtin14) ? { is_local: true as const } : {}),
  ...line,
})

/** Models that had a GTIN before its release: printed codes still lead to their units. */
export async function exportReleasedGtins(sql: Sql, accountId: number): Promise<ReleasedGtinLine[]> {
  const rows = await sql<ReleasedGtinLine[]>`
    select gtin14, model_id as model, released_at from released_gtin where account_id = ${accountId}
    order by gtin14, model_id`
  return rows.map(dropAccountFromKey)
}

/** Without tokens: only the hashes that identify them. */
export const exportAccessLinks = (sql: Sql, accountId: number) =>
  readRows(
    after => sql<AccessLinkLine[]>`
      select id, hash, passport_id, audience, label, created_at, created_by, expires_at, revoked_at, uses, last_used_at
      from access_link where account_id = ${accountId} and id > ${after} order by id limit ${PASSPORTS_PER_PAGE}`,
    line => line.id,
  )

/** An account has at most 1,000; a page may have large ones. */
const DRAFTS_PER_PAGE = 50

export const exportDrafts = (sql: Sql, accountId: number) =>
  readRows(
    after => sql<DraftLine[]>`
      select id, product_id as product, category, change_type, data::text as data, note, created_at, created_by, updated_at
      from draft where account_id = ${accountId} and id > ${after} order by id limit ${DRAFTS_PER_PAGE}`,
    line => line.id,
  )

export const exportRegistryEntries = (sql: Sql, accountId: number) =>
  readRows(
    after => sql<RegistryEntryLine[]>`
      select passport_id as passport, state, level, version_no, action, missing, line, exported_no, registered_no,
        registration_id, proof_valid_until, message, changed_at
      from registry_entry where account_id = ${accountId} and passport_id > ${after}
      order by passport_id limit ${PASSPORTS_PER_PAGE}`,
    line => line.passport,
  )
