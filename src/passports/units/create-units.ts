/** Issuing batches and items: a unit keeps its own fields and a reference to what it was handed on, nothing else. */
import type { AccountContext } from '../../accounts/context.ts'
import { AppError, type Detail, invalid } from '../../kernel/errors.ts'
import { newUuid } from '../../kernel/ids.ts'
import { yieldBetweenRows } from '../../kernel/yield-to-event-loop.ts'
import { type Data, requireCategory } from '../core/check-data.ts'
import type { PassportRow } from '../core/record.ts'
import { getState, readingOf, type State } from '../core/state.ts'
import { checkUnit, type UnitLevel } from './check-unit.ts'
import { archivedParent, insertUnits, nameOf, type Outcome, previewUnits, type Row } from './insert-units.ts'

export const UNIT_LEVELS = ['batch', 'item'] as const

/**
 * `units`: each as it was sent, or why it could not be read. `bulk`: the units came in a list, so that pointers and details name their place. `dryRun`: all is checked that can
 * be, and nothing written; the ids of the result name nothing.
 */
export type NewUnits = {
  parentUuid: string
  level: UnitLevel
  units: readonly unknown[]
  bulk: boolean
  strict: boolean
  dryRun?: boolean
}

/** `reading` is what the unit reads as; as text it would be made 500 times over for a call that answers without it. */
export type Issued = {
  index: number
  passport: Omit<PassportRow, 'data'>
  reading: Data
  warnings: readonly Detail[]
}
export type NotIssued = { index: number; error: AppError }
export type UnitsResult = { created: Issued[]; errors: NotIssued[] }

/**
 * Issues units under a model or a batch. Good rows are kept together, bad ones reported; one never spoils another.
 * Throws `not_found`, `archived`, and `validation` when the level does not go with the parent.
 */
export async function createChildren(ctx: AccountContext, input: NewUnits): Promise<UnitsResult> {
  const giver = await getState(ctx, input.parentUuid)
  requireFitting(giver, input.level)
  if (giver.row.status === 'x') throw archivedParent()
  const { rows, errors } = await checkAll(ctx, giver, input)
  const outcome = await outcomeOf(ctx, giver, rows, input)
  if (outcome === undefined) return createChildren(ctx, input)
  const created: Issued[] = []
  for (const row of rows) {
    const { index } = row
    const { reading, warnings } = row.unit
    if (outcome.written.has(row.id))
      created.push({ index, passport: passportOf(ctx, giver, row), reading, warnings })
    else errors.push({ index, error: outcome.refused.get(row.id) ?? taken(row, input) })
  }
  return { created, errors: errors.sort((a, b) => a.index - b.index) }
}

/** Undefined when the batch has changed since it was read: what was checked against it is to be checked again. */
async function outcomeOf(
  ctx: AccountContext,
  giver: State,
  rows: readonly Row[],
  { level, dryRun = false }: NewUnits,
): Promise<Outcome | undefined> {
  if (rows.length === 0) return { written: new Set(), refused: new Map() }
  if (dryRun) return previewUnits(ctx, { giver, level, rows })
  const contentId = await handOn(ctx, giver)
  return contentId === undefined ? undefined : insertUnits(ctx, { giver, contentId, level, rows })
}

function requireFitting({ row }: State, level: UnitLevel): void {
  const fault = (message: string) => invalid([{ field: 'level', pointer: '/level', code: 'enum', message }])
  if (row.level === 'i') throw fault('An item has no units. Issue them under its batch or its model.')
  if (row.level === 'b' && level === 'batch')
    throw fault('A batch has items only. Issue batches under the model.')
}

async function checkAll(
  ctx: AccountContext,
  giver: State,
  input: NewUnits,
): Promise<{ rows: Row[]; errors: NotIssued[] }> {
  const category = requireCategory(giver.row.category)
  const inherited = readingOf(giver)
  const at = ctx.clock.now()
  const common = { level: input.level, category, inherited, strict: input.strict }
  const rows: Row[] = []
  const errors: NotIssued[] = []
  const seen = new Set<string>()
  const breathe = yieldBetweenRows()
  for (const [index, sent] of input.units.entries()) {
    await breathe()
    try {
      const place = input.bulk ? `/items/${index}` : ''
      const unit = checkUnit(sent, giver, { ...common, at: place })
      const row = { index, id: newUuid(at.getTime()), unit, at }
      const name = nameOf(unit, input.level)
      if (seen.has(name)) errors.push({ index, error: taken(row, input) })
      else rows.push(row)
      seen.add(name)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      errors.push({ index, error })
    }
  }
  return { rows, errors }
}

function taken({ index, unit }: Row, { level, bulk }: NewUnits): AppError {
  const [field, code] =
    level === 'batch' ? (['lot', 'lot_taken'] as const) : (['serial', 'serial_taken'] as const)
  const message = `${field} ${nameOf(unit, level)} is already taken under this model; each may be used once.`
  return invalid([{ field, pointer: `${bulk ? `/items/${index}` : ''}/${field}`, code, message }])
}

function passportOf(ctx: AccountContext, giver: State, { id, unit, at }: Row): Issued['passport'] {
  const { row } = giver
  return {
    id,
    account_id: ctx.accountId,
    version_no: 1,
    created_by: ctx.actorId,
    parent_id: row.id,
    model_id: row.model_id,
    schema_version: row.schema_version,
    level: unit.serial === null ? 'b' : 'i',
    status: 'a',
    category: row.category,
    lot: unit.lot,
    serial: unit.serial,
    updated_at: at,
    outdated: row.outdated,
    gtin: row.gtin,
  }
}

/**
 * The id of that content; a batch's is made when its first unit of a version is issued. Undefined when the batch has
 * changed since its state was read: what was checked against that state must be checked again.
 */
async function handOn(ctx: AccountContext, giver: State): Promise<string | undefined> {
  if (giver.row.level === 'm') return giver.contentId
  if (giver.unitsContentId !== null) return giver.unitsContentId
  const made = await makeUnitsContent(ctx, giver)
  if (made !== undefined) return made
  const now = await getState(ctx, giver.row.id)
  return now.row.version_no === giver.row.version_no ? (now.unitsContentId ?? undefined) : undefined
}

/** Undefined when the batch changed, or another process was first. */
async function makeUnitsContent(ctx: AccountContext, batch: State): Promise<string | undefined> {
  const id = newUuid(ctx.clock.now().getTime())
  const { row, upto } = batch
  const [made] = await ctx.sql`
    with giver as (
      update passport set units_content_id = ${id}
      where id = ${row.id} and account_id = ${ctx.accountId} and version_no = ${row.version_no}
        and units_content_id is null
      returning id
    ), written as (
      insert into content (account_id, upto, model_upto, id, owner_id, own_fields, data)
      select ${ctx.accountId}::int, ${row.version_no}::int, ${upto}::int, ${id}::uuid, id,
        ${Object.keys(batch.own ?? {})}::text[], ${JSON.stringify(readingOf(batch))}::text::jsonb
      from giver
    )
    select 1 from giver`
  return made === undefined ? undefined : id
}
