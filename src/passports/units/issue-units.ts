/** Issues batches and items. A unit stores its own fields and a reference to the content that it inherits. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { type CompleteCategory, findCommonCategory } from '../../categories/catalogue.ts'
import { yieldBetweenRows } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { newUuid } from '../../kernel/crypto/ids.ts'
import { newPassportUuid } from '../../kernel/db/shards.ts'
import { AppError, type Detail, invalid } from '../../kernel/errors/errors.ts'
import { type PassportData, requireCategory } from '../core/check-data.ts'
import type { PassportRow } from '../core/record.ts'
import { byIndex, type RowRejection } from '../core/row-problems.ts'
import { effectiveData, getState, type PassportState } from '../core/state.ts'
import { checkUnit, type UnitLevel } from './check-unit.ts'
import {
  archivedParentError,
  getUnitName,
  type InsertOutcome,
  insertUnits,
  previewUnits,
  type UnitRow,
} from './insert-units.ts'

export const UNIT_LEVELS = ['batch', 'item'] as const

/**
 * `units` are as sent, or errors of parsing. `bulk`: they were sent in a list. `dryRun`: only checks; the
 * returned ids belong to no unit.
 */
export type NewUnits = {
  parentUuid: string
  level: UnitLevel
  units: readonly unknown[]
  bulk: boolean
  strict: boolean
  dryRun?: boolean
}

/** `data` is the effective data as an object: a call with 500 units is answered without it. */
export type CreatedUnit = {
  index: number
  passport: Omit<PassportRow, 'data'>
  data: PassportData
  warnings: readonly Detail[]
}
export type UnitsResult = { created: CreatedUnit[]; errors: RowRejection[] }

/**
 * Issues units under a model or a batch: valid rows in one statement, the others are reported. Throws
 * `not_found`, `archived`, and `validation` if the level does not fit the parent.
 */
export async function issueUnits(ctx: AccountContext, input: NewUnits): Promise<UnitsResult> {
  const parent = await getState(ctx, input.parentUuid)
  requireLevelUnder(parent, input.level)
  if (parent.row.status === 'x') throw archivedParentError()
  const { rows, errors } = await checkAll(ctx, parent, input)
  const outcome = await writeUnits(ctx, parent, rows, input)
  if (outcome === undefined) return issueUnits(ctx, input)
  const created: CreatedUnit[] = []
  for (const row of rows) {
    const { index } = row
    const { data, warnings } = row.unit
    if (outcome.written.has(row.id))
      created.push({ index, passport: toPassport(ctx, parent, row), data, warnings })
    else errors.push({ index, error: outcome.rejected.get(row.id) ?? nameTakenError(row, input) })
  }
  return { created, errors: errors.sort(byIndex) }
}

/** Undefined if the batch has changed since it was read: then the units must be checked again. */
async function writeUnits(
  ctx: AccountContext,
  parent: PassportState,
  rows: readonly UnitRow[],
  { level, dryRun = false }: NewUnits,
): Promise<InsertOutcome | undefined> {
  if (rows.length === 0) return { written: new Set(), rejected: new Map() }
  const { schemaVersion } = findUnitCategory(parent)
  if (dryRun) return previewUnits(ctx, { parent, schemaVersion, level, rows })
  const contentId = await snapshotForUnits(ctx, parent)
  if (contentId === undefined) return undefined
  return insertUnits(ctx, { parent, contentId, schemaVersion, level, rows })
}

function requireLevelUnder({ row }: PassportState, level: UnitLevel): void {
  const levelError = (message: string) => invalid([{ path: ['level'], code: 'enum', message }])
  if (row.level === 'i') throw levelError('An item has no units. Issue them under its batch or its model.')
  if (row.level === 'b' && level === 'batch')
    throw levelError('A batch has items only. Issue batches under the model.')
}

/** Units have the newest schema version, unless a free-form key of the parent is a field there. */
const findUnitCategory = ({ row, ...state }: PassportState): CompleteCategory =>
  findCommonCategory(requireCategory(row.category), [
    { keys: Object.keys(effectiveData(state)), schemaVersion: row.schema_version },
  ])

async function checkAll(
  ctx: AccountContext,
  parent: PassportState,
  input: NewUnits,
): Promise<{ rows: UnitRow[]; errors: RowRejection[] }> {
  const category = findUnitCategory(parent)
  const inherited = effectiveData(parent)
  const at = ctx.clock.now()
  const { level, strict, bulk } = input
  const common = { level, category, inherited, strict, bulk, ownHost: ctx.ownHost }
  const rows: UnitRow[] = []
  const errors: RowRejection[] = []
  const seen = new Set<string>()
  // Before the first pause: ids made after other requests' ids would not sort by their place in the request.
  const units = input.units.map(sent => ({ sent, id: newPassportUuid(ctx.sql, at.getTime()) }))
  const pauseIfDue = yieldBetweenRows()
  for (const [index, { sent, id }] of units.entries()) {
    await pauseIfDue()
    try {
      const unit = checkUnit(sent, parent, common)
      // Here, where others work between two rows: all together may have eight megabytes.
      const own = unit.own && JSON.stringify(unit.own)
      const row = { index, id, unit, own, at }
      const name = getUnitName(unit, input.level)
      if (seen.has(name)) errors.push({ index, error: nameTakenError(row, input) })
      else rows.push(row)
      seen.add(name)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      errors.push({ index, error })
    }
  }
  return { rows, errors }
}

function nameTakenError({ unit }: UnitRow, { level }: NewUnits): AppError {
  const [name, code] =
    level === 'batch' ? (['lot', 'lot_taken'] as const) : (['serial', 'serial_taken'] as const)
  const message = `${name} ${getUnitName(unit, level)} is already taken under this model; each may be used once.`
  return invalid([{ path: [name], code, message }])
}

function toPassport(
  ctx: AccountContext,
  parent: PassportState,
  { id, unit, at }: UnitRow,
): CreatedUnit['passport'] {
  const { data: _, ...row } = parent.row
  return {
    ...row,
    id,
    version_no: 1,
    created_by: ctx.actorId,
    parent_id: row.id,
    schema_version: findUnitCategory(parent).schemaVersion,
    level: unit.serial === null ? 'b' : 'i',
    status: 'a',
    lot: unit.lot,
    serial: unit.serial,
    updated_at: at,
  }
}

/**
 * The content that new units inherit, created with a batch's first unit. Undefined if the batch has changed.
 */
async function snapshotForUnits(ctx: AccountContext, parent: PassportState): Promise<string | undefined> {
  if (parent.row.level === 'm') return parent.contentId
  if (parent.unitsContentId !== null) return parent.unitsContentId
  const made = await createUnitsContent(ctx, parent)
  if (made !== undefined) return made
  const now = await getState(ctx, parent.row.id)
  return now.row.version_no === parent.row.version_no ? (now.unitsContentId ?? undefined) : undefined
}

/** Undefined if the batch changed, or if another process has created the content. */
async function createUnitsContent(ctx: AccountContext, batch: PassportState): Promise<string | undefined> {
  const id = newUuid(ctx.clock.now().getTime())
  const { row, inheritedVersion } = batch
  const [made] = await ctx.sql`
    with parent as (
      update passport set units_content_id = ${id}
      where id = ${row.id} and account_id = ${ctx.accountId} and version_no = ${row.version_no}
        and units_content_id is null
      returning id
    ), written as (
      insert into content (account_id, upto, model_upto, id, owner_id, own_fields, data)
      select ${ctx.accountId}::int, ${row.version_no}::int, ${inheritedVersion}::int, ${id}::uuid, id,
        ${Object.keys(batch.own ?? {})}::text[], ${JSON.stringify(effectiveData(batch))}::text::jsonb
      from parent
    )
    select 1 from parent`
  return made === undefined ? undefined : id
}
