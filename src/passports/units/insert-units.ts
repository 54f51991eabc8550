/** Writes as many checked units as the quota allows in one statement, with counters and events. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { LEVEL_LETTER } from '../../accounts/account/plans.ts'
import { getRemainingQuota, withQuota } from '../../accounts/limits/quota.ts'
import { idFromUuid, newUuid } from '../../kernel/crypto/ids.ts'
import { findRejectReason, type Sql, sqlState, withRetries } from '../../kernel/db/database.ts'
import { retryOnLockTimeout } from '../../kernel/db/transaction.ts'
import { AppError, assert } from '../../kernel/errors/errors.ts'
import { storeUses } from '../../media/uses/media-use.ts'
import { type FileUse, findUnknownFiles, listFileUses, orUnknownFiles } from '../core/file-uses.ts'
import type { PassportState } from '../core/state.ts'
import type { CheckedUnit, UnitLevel } from './check-unit.ts'

export const archivedParentError = () =>
  new AppError('archived', 'This product is archived, so you cannot issue units under it. Restore it first.')

/** `index` is the position of the row in the call. */
/** `own`: the unit's own data as JSON. */
export type UnitRow = { index: number; id: string; unit: CheckedUnit; own: string | null; at: Date }

/** The lot of a batch, the serial of an item. */
export const getUnitName = (unit: CheckedUnit, level: UnitLevel) =>
  (level === 'batch' ? unit.lot : unit.serial) ?? ''

type UnitInsert = {
  parent: PassportState
  contentId: string
  /** By which the data of the units is understood. */
  schemaVersion: number
  level: UnitLevel
  rows: readonly UnitRow[]
}
/** `uses`: the files that the rows refer to. */
type UnitStatement = UnitInsert & { uses: readonly FileUse[] }
type UnitPreview = Omit<UnitInsert, 'contentId'>
/** A row that is in neither list has a lot or serial that is taken. */
export type InsertOutcome = { written: Set<string>; rejected: Map<string, AppError> }

/** Throws `archived` if the parent was archived meanwhile. */
export async function insertUnits(ctx: AccountContext, batch: UnitInsert): Promise<InsertOutcome> {
  const uses = batch.rows.flatMap(row => listUsesOfUnit(ctx, batch, row))
  try {
    const write = () => withRetries(() => insertAllOrFree(ctx, { ...batch, uses }))
    const written = await orUnknownFiles(ctx.sql, uses, write)
    return written instanceof Map ? await insertOthers(ctx, batch, written) : { written, rejected: new Map() }
  } catch (error) {
    if (findRejectReason(error) !== 'plan_limit') throw explainArchived(error)
  }
  // Other statements lock rows before the counter.
  const run = () => withRetries(() => insertUpToQuota(ctx, { ...batch, uses }))
  try {
    return await retryOnLockTimeout(ctx.sql, run)
  } catch (error) {
    throw explainArchived(error)
  }
}

/** All rows but those that refer to files that are not there. */
async function insertOthers(
  ctx: AccountContext,
  batch: UnitInsert,
  refused: Map<string, AppError>,
): Promise<InsertOutcome> {
  const rows = batch.rows.filter(({ id }) => !refused.has(id))
  const { written, rejected } =
    rows.length === 0
      ? { written: new Set<string>(), rejected: new Map() }
      : await insertUnits(ctx, { ...batch, rows })
  return { written, rejected: new Map([...refused, ...rejected]) }
}

const listUsesOfUnit = (
  { accountId }: AccountContext,
  { parent, schemaVersion }: Pick<UnitInsert, 'parent' | 'schemaVersion'>,
  { id, unit }: UnitRow,
): FileUse[] =>
  listFileUses({ accountId, id, versionNo: 1, category: parent.row.category, schemaVersion, data: unit.own })

const explainArchived = (error: unknown) =>
  findRejectReason(error) === 'archived' ? archivedParentError() : error

/** Locks the quota's counter first, so that the quota cannot shrink. Rows with taken names use no quota. */
async function insertUpToQuota(ctx: AccountContext, batch: UnitStatement): Promise<InsertOutcome> {
  const level = LEVEL_LETTER[batch.level]
  return withQuota(ctx, { level, wanted: batch.rows.length }, async ({ sql }, left) => {
    await sql`set local lock_timeout = '100ms'`
    const { rows, rejected } = await selectInsertable({ ...ctx, sql }, batch, left)
    const written =
      rows.length === 0 ? new Set<string>() : await insertRows(ctx, sql, { ...batch, rows }, 'free')
    await sql`set local lock_timeout to default`
    return { written, rejected }
  })
}

/** The rows with free names, up to a quota of `left`; further rows are rejected. */
async function selectInsertable(
  { sql, accountId }: AccountContext,
  { parent, level, rows }: UnitPreview,
  left: number,
): Promise<{ rows: UnitRow[]; rejected: Map<string, AppError> }> {
  const names = rows.map(row => getUnitName(row.unit, level))
  const existing = await sql<{ name: string }[]>`
    select coalesce(serial, lot) as name from passport
    where account_id = ${accountId} and model_id = ${parent.row.model_id} and level = ${LEVEL_LETTER[level]}::text::"char"
      and (serial = any(${names}::text[]) or (level = 'b' and lot = any(${names}::text[])))`
  const taken = new Set(existing.map(row => row.name))
  const free = rows.filter(row => !taken.has(getUnitName(row.unit, level)))
  return {
    rows: free.slice(0, left),
    rejected: new Map(free.slice(left).map(row => [row.id, unitQuotaError(level)])),
  }
}

const unitQuotaError = (level: UnitLevel) =>
  new AppError(
    'plan_limit',
    `The quota of ${level === 'batch' ? 'batches' : 'items'} of this account is used up. Ask for a larger plan, or for extra quota.`,
  )

const UNIQUE_VIOLATION = '23505'

/**
 * Returns the written ids. The first attempt has no `on conflict`, which costs a quarter more: most names are
 * free.
 */
async function insertAllOrFree(ctx: AccountContext, batch: UnitStatement): Promise<Set<string>> {
  try {
    return await insertRows(ctx, ctx.sql, batch, 'all')
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error
    return insertRows(ctx, ctx.sql, batch, 'free')
  }
}

/** `which`: all rows or none, or only those with a free name. */
async function insertRows(
  ctx: AccountContext,
  sql: Sql,
  { parent: { row: parent }, contentId, schemaVersion, level, rows, uses }: UnitStatement,
  which: 'all' | 'free',
): Promise<Set<string>> {
  const now = ctx.clock.now().getTime()
  // One order for all calls, so that two with the same serials cannot deadlock.
  const input = rows
    .map(({ id, unit, own }) => ({ id, unit, own, name: getUnitName(unit, level), eventId: newUuid(now) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  // Sending one text is faster than a list, which the driver escapes: no value here contains a line break.
  const lines = (of: (row: (typeof input)[number]) => string) =>
    sql`string_to_array(${input.map(of).join('\n')}, E'\\n')`
  // A column of nulls is sent as an empty list.
  const texts = (of: (row: (typeof input)[number]) => string | null) => {
    const all = input.map(of)
    return all.some(text => text !== null) ? all : []
  }
  const at = rows[0]?.at
  assert(at, 'there are rows to write')
  const call = sql`public.carnet_insert_units(
    ${ctx.accountId}, ${ctx.actorId}, ${parent.id}, ${parent.model_id}, ${contentId}, ${LEVEL_LETTER[level]}::text::"char",
    ${parent.category}, ${parent.lot}, ${schemaVersion}, ${at}, ${lines(row => row.id)}::uuid[],
    ${lines(row => row.eventId)}::uuid[], ${lines(row => idFromUuid(row.id))}, ${lines(row => row.name)},
    string_to_array(${input.map(row => row.own ?? '').join('\n')}, E'\\n', '')::jsonb[], ${texts(row => row.unit.search)}::text[],
    ${which === 'free'})`
  if (uses.length > 0) {
    const [outcome] = await sql<{ written: string[] }[]>`
      with made as materialized (select ${call} as written)
      select written, ${storeUses(sql, uses, sql`written`)} from made`
    return new Set(outcome?.written)
  }
  if (which === 'free') {
    const [outcome] = await sql<{ written: string[] }[]>`select ${call} as written`
    return new Set(outcome?.written)
  }
  // Reading 500 ids takes 2 ms, and all of them are known.
  await sql`select cardinality(${call})`
  return new Set(rows.map(row => row.id))
}

/** Returns the result of `insertUnits` without writing anything. */
export async function previewUnits(ctx: AccountContext, batch: UnitPreview): Promise<InsertOutcome> {
  const left = await getRemainingQuota(ctx, LEVEL_LETTER[batch.level])
  const { rows: insertable, rejected } = await selectInsertable(ctx, batch, left)
  const uses = insertable.flatMap(row => listUsesOfUnit(ctx, batch, row))
  const refused = await findUnknownFiles(ctx.sql, uses)
  for (const [id, error] of refused) rejected.set(id, error)
  const rows = insertable.filter(({ id }) => !refused.has(id))
  return { written: new Set(rows.map(row => row.id)), rejected }
}
