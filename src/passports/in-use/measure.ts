/** Stores what was measured at an item, or at many items of a model or batch. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { getInUseTable, type InUseTable } from '../../categories/in-use/table.ts'
import { AppError, type Detail, invalid } from '../../kernel/errors/errors.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { LEVEL_NAME, type PassportRow } from '../core/record.ts'
import { byIndex, type RowRejection } from '../core/row-problems.ts'
import { atPassport, getPassport } from '../read/find.ts'
import { findNamedUnits, type UnitName } from '../read/named-units.ts'
import { requireMeasurement } from './check-measurement.ts'
import {
  type MeasurementRow,
  requireOne,
  type StoredMeasurement,
  type StoreResult,
  storeMeasurements,
} from './store-measurements.ts'

type Measure = { uuid: string; sent: Readonly<Record<string, unknown>>; dryRun: boolean }
type MeasureOne = { stored: StoredMeasurement; isNew: boolean; table: InUseTable }

/** Throws `not_found`; `validation`, also for a product that is no item, or has no metrics. */
export async function measureItem(ctx: AccountContext, { uuid, sent, dryRun }: Measure): Promise<MeasureOne> {
  const at = await atPassport(ctx, uuid)
  const table = requireMetrics(await getPassport(at, uuid))
  const measured = requireMeasurement(sent, table, ctx.clock.now())
  const row: MeasurementRow = { index: 0, id: uuid, measured, table }
  const { stored, unchanged, errors } = await storeMeasurements(at, [row], dryRun)
  return { stored: requireOne(stored[0] ?? unchanged[0], errors), isNew: stored.length > 0, table }
}

/** The table of an item's category. Throws `validation` for a model or batch, or without metrics. */
export function requireMetrics({ level, category }: Pick<PassportRow, 'level' | 'category'>): InUseTable {
  if (level !== 'i') {
    const message = `Only items are measured; this product is a ${LEVEL_NAME[level]}.`
    throw invalid([{ path: ['level'], code: 'enum', message }])
  }
  return requireTable(category)
}

function requireTable(category: string): InUseTable {
  const table = getInUseTable(category)
  if (table.metrics.length > 0) return table
  const message = `Products of the category ${category} have no metrics that can be measured.`
  throw invalid([{ path: ['category'], code: 'enum', message }])
}

type MeasureMany = { parentUuid: string; items: readonly unknown[]; dryRun: boolean }

/** Under a model or a batch; a row that fails does not affect others. Throws `not_found`, `validation`. */
export async function measureItems(
  ctx: AccountContext,
  { parentUuid, items, dryRun }: MeasureMany,
): Promise<StoreResult & { table: InUseTable }> {
  const at = await atPassport(ctx, parentUuid)
  const parent = await getPassport(at, parentUuid)
  const table = requireTable(parent.category)
  const names = items.map(parseItemName)
  const findUnit = await findNamedUnits(at, parent, names)
  const now = ctx.clock.now()
  const errors: RowRejection[] = []
  const rows = names.flatMap((name, index): MeasurementRow[] => {
    try {
      if (name instanceof AppError) throw name
      const item = findUnit(name)
      if (item?.level !== 'i') throw unknownItem(name)
      return [{ index, id: item.id, table, measured: requireMeasurement(name.rest, table, now) }]
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      errors.push({ index, error })
      return []
    }
  })
  const result = await storeMeasurements(at, rows, dryRun)
  return {
    table,
    stored: result.stored.sort(byIndex),
    unchanged: result.unchanged.sort(byIndex),
    errors: [...errors, ...result.errors].sort(byIndex),
  }
}

/** `rest`: what was measured. */
type ItemName = UnitName & { rest: Record<string, unknown> }

function parseItemName(sent: unknown): ItemName | AppError {
  if (sent instanceof AppError) return sent
  const wrong = (name: string, code: Detail['code'], message: string) =>
    invalid([{ path: [name], code, message }])
  if (!isObject(sent)) {
    const message = 'A row must be an object with serial or id, at, and values.'
    return invalid([{ path: [], code: 'type', message }])
  }
  const { serial, id, ...rest } = sent
  const hint = 'Identify an item by its serial or its id. Send one of the two, as text.'
  if (serial !== undefined && id !== undefined) return wrong('id', 'duplicate', hint)
  if (serial === undefined && id === undefined) return wrong('serial', 'required', hint)
  const member = serial === undefined ? 'id' : 'serial'
  const value = serial ?? id
  return typeof value === 'string' ? { member, value, rest } : wrong(member, 'type', hint)
}

const unknownItem = ({ member, value }: ItemName) =>
  new AppError(
    'not_found',
    `There is no item with the ${member} ${value.toWellFormed().slice(0, 100)} under this product.`,
  )
