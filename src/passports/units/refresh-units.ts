/** Moves units from an outdated content to its replacement, 500 per statement. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { findCommonCategory } from '../../categories/catalogue.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { type DetailJson, detailJson } from '../../kernel/errors/detail-json.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { checkData, type PassportData, requireCategory } from '../core/check-data.ts'
import { appendLot } from '../write/plan-version.ts'
import { buildNextVersion, type NextVersion, writeVersions } from '../write/write-versions.ts'
import type { NewContent, OldContent } from './refresh-content.ts'

/** A larger statement would delay all others. */
const BATCH_SIZE = 500
/** Units found by one search. A search for each batch would cost twice as much under load. */
const MAX_FOUND = 4 * BATCH_SIZE

/** Own fields usually have a few hundred bytes; 2,000 of the largest do not fit into memory. */
const MAX_FOUND_BYTES = 16 * 1024 * 1024

type FailedUnit = { id: string; error: string; errors: readonly DetailJson[] }
type SkippedUnit = { id: string; fields: readonly string[] }
export type Refreshed = { refreshed: number; skipped: SkippedUnit[]; failed: FailedUnit[] }

type Unit = {
  id: string
  version_no: number
  /** The hash of the current version in hex; null at version 1. */
  hash: string | null
  level: 'b' | 'i'
  category: string
  schema_version: number
  lot: string | null
  own: string | null
}

export type RefreshTask = {
  from: Pick<OldContent, 'id' | 'hash'>
  to: NewContent
  /** Only these units, or all of one level. */
  only: { id: string } | { level: 'b' | 'i' }
  /** Units that failed: they keep their content. */
  except: readonly string[]
  jobId: string | undefined
}

/** Some units that still have the old content, in batches; none if all have been moved. */
export async function findBatches(ctx: AccountContext, task: RefreshTask): Promise<Unit[][]> {
  const units = await findUnits(ctx, task)
  const count = Math.ceil(units.length / BATCH_SIZE)
  return Array.from({ length: count }, (_, i) => units.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE))
}

/** Moves the units of a batch that have not changed since they were found. */
export async function refreshBatch(
  ctx: AccountContext,
  task: RefreshTask,
  units: readonly Unit[],
): Promise<Refreshed> {
  const { skipped } = task.to.corrected
  const failed: FailedUnit[] = []
  const versions: NextVersion[] = []
  const check = createChecker(task.to)
  const now = ctx.clock.now()
  for (const unit of units) {
    const own: PassportData = unit.own === null ? {} : JSON.parse(unit.own)
    const result = check(unit, own)
    if (result instanceof AppError)
      failed.push({
        id: idFromUuid(unit.id),
        error: result.message,
        errors: result.details?.map(detailJson) ?? [],
      })
    else versions.push(toRefreshedVersion(task, unit, { own, now, ...result }))
  }
  const moved = { from: task.from.id, to: task.to.id, job: task.jobId, at: now }
  const { written } = await writeVersions(ctx, versions, { inBackground: true, moved })
  const refreshed = [...written.keys()].map(idFromUuid)
  const skips = skipped.length === 0 ? [] : refreshed.map(id => ({ id, fields: skipped }))
  return { refreshed: refreshed.length, skipped: skips, failed }
}

/** A unit keeps its own fields, so a correction of one of them does not change it. */
const toRefreshedVersion = (
  { from, to }: RefreshTask,
  unit: Unit,
  { own, search, schemaVersion, now }: CheckedUnit & { own: PassportData; now: Date },
): NextVersion =>
  buildNextVersion(unit, now, {
    version_hash: unit.hash,
    old_content_hash: from.hash,
    content_id: to.id,
    content_hash: to.hash,
    data: null,
    own: null,
    kind: 'r',
    note: null,
    changed: to.corrected.changed.filter(field => !Object.hasOwn(own, field)),
    corrects: false,
    schema_version: schemaVersion,
    gtin14: null,
    sku: null,
    search: unit.level === 'b' ? appendLot(search, unit.lot) : null,
  })

async function findUnits(
  { sql, accountId }: AccountContext,
  { from, only, except }: RefreshTask,
): Promise<Unit[]> {
  const which = 'id' in only ? sql`and p.id = ${only.id}` : sql`and p.level = ${only.level}::text::"char"`
  const units = await sql<Omit<Unit, 'hash'>[]>`
    with unit as materialized (
      select p.id, p.version_no, p.level, p.category, p.schema_version, p.lot, p.own::text as own from passport p
      where p.account_id = ${accountId} and p.content_id = ${from.id} and p.parent_id is not null ${which}
        ${except.length === 0 ? sql`` : sql`and p.id <> all(${[...except]}::text[]::uuid[])`}
      limit ${MAX_FOUND}
    ), weighed as (
      select *, sum(coalesce(octet_length(own), 0)) over (rows unbounded preceding) - coalesce(octet_length(own), 0) as before from unit
    )
    select id, version_no, level, category, schema_version, lot, own from weighed where before < ${MAX_FOUND_BYTES}`
  const hashes = await readLatestHashes(
    sql,
    accountId,
    units.filter(unit => unit.version_no > 1),
  )
  return units.map(unit => ({ ...unit, hash: hashes.get(`${unit.id} ${unit.version_no}`) ?? null }))
}

/**
 * The hashes by `id number`. Uses two arrays instead of a join, because a plan made while the table was small
 * would scan all versions.
 */
async function readLatestHashes(
  sql: Sql,
  accountId: number,
  units: readonly Pick<Unit, 'id' | 'version_no'>[],
): Promise<Map<string, string>> {
  if (units.length === 0) return new Map()
  const numbers = [...new Set(units.map(unit => unit.version_no))]
  const rows = await sql<{ passport_id: string; version_no: number; hash: string }[]>`
    select passport_id, version_no, encode(hash, 'hex') as hash from passport_version
    where passport_id = any(${units.map(unit => unit.id)}::text[]::uuid[]) and version_no = any(${numbers}::int[])
      and account_id = ${accountId}`
  return new Map(rows.map(row => [`${row.passport_id} ${row.version_no}`, row.hash]))
}

type CheckedUnit = { search: string; schemaVersion: number }
type CheckResult = AppError | CheckedUnit

/** Units without own fields share their data, so it is checked once for each schema version. */
function createChecker({
  corrected: { data, schemaVersions },
}: NewContent): (unit: Unit, own: PassportData) => CheckResult {
  const shared = new Map<number, CheckResult>()
  const check = (unit: Unit, own: PassportData): CheckResult => {
    try {
      // A key that no correction has set keeps its meaning, whatever its model means by the same key now.
      const keys = Object.keys({ ...data, ...own })
      const getVersion = (key: string) => (Object.hasOwn(own, key) ? undefined : schemaVersions.get(key))
      const category = findCommonCategory(
        requireCategory(unit.category),
        keys.map(key => ({ keys: [key], schemaVersion: getVersion(key) ?? unit.schema_version })),
      )
      return checkData(category, { ...data, ...own }, { strict: false, validatedWith: unit.schema_version })
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }
  return (unit, own) => {
    if (unit.own !== null) return check(unit, own)
    const known = shared.get(unit.schema_version)
    if (known !== undefined) return known
    const result = check(unit, own)
    shared.set(unit.schema_version, result)
    return result
  }
}
