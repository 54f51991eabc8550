/** Appends events to the logs of many units under a product. A row that fails affects no other. */
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { getInUseTable } from '../../categories/in-use/table.ts'
import { AppError, invalid } from '../../kernel/errors/errors.ts'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { byIndex, type RowRejection } from '../core/row-problems.ts'
import { atPassport, getPassport } from '../read/find.ts'
import { findNamedUnits, type UnitName } from '../read/named-units.ts'
import { type AddedEvent, type EventEntry, type Unit, writeEvents } from './add-events.ts'
import { requireEvent } from './check-event.ts'

type UnitEvents = {
  parentUuid: string
  /** Each event with its unit, as sent, or the error of parsing it. */
  rows: readonly unknown[]
  isDryRun: boolean
}

export type AddedUnitEvents = { added: AddedEvent[]; errors: RowRejection[] }

/** Undoes the writes of a dry run. */
class DryRun extends Error {
  readonly result: AddedUnitEvents
  constructor(result: AddedUnitEvents) {
    super('a dry run')
    this.result = result
  }
}

/** Throws `not_found` for an unknown parent. */
export async function addUnitEvents(ctx: AccountContext, input: UnitEvents): Promise<AddedUnitEvents> {
  const at = await atPassport(ctx, input.parentUuid)
  const parent = await getPassport(at, input.parentUuid)
  const names = input.rows.map(parseName)
  const findUnit = await findNamedUnits(at, parent, names)
  const errors: RowRejection[] = []
  const table = getInUseTable(parent.category)
  const entries = input.rows.flatMap((row, place): EventEntry[] => {
    try {
      const { unit, event } = readRow(row, names[place], findUnit)
      return [{ place, unit, event: requireEvent(event, { table, now: ctx.clock.now() }) }]
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      errors.push({ index: place, error })
      return []
    }
  })
  const { added, errors: rejected } = await writeEntries(at, entries, input.isDryRun)
  return { added, errors: [...errors, ...rejected].sort(byIndex) }
}

async function writeEntries(
  at: AccountContext,
  entries: readonly EventEntry[],
  isDryRun: boolean,
): Promise<AddedUnitEvents> {
  if (entries.length === 0) return { added: [], errors: [] }
  try {
    return await withTransaction(at, async tx => {
      const { added, rejected } = await writeEvents(tx, entries)
      const result = { added, errors: rejected }
      if (isDryRun) throw new DryRun(result)
      return result
    })
  } catch (error) {
    if (error instanceof DryRun) return error.result
    throw error
  }
}

const NAMES = ['id', 'serial', 'lot'] as const

function parseName(sent: unknown): UnitName | AppError {
  if (sent instanceof AppError) return sent
  const one = 'Name the unit by its serial, its lot or its id. Send one of them, as text.'
  if (!isObject(sent))
    return invalid([
      { path: [], code: 'type', message: 'A row must be an object with serial, lot or id, and the event.' },
    ])
  const named = NAMES.filter(name => sent[name] !== undefined && sent[name] !== null)
  const [member, more] = named
  if (member === undefined) return invalid([{ path: ['serial'], code: 'required', message: one }])
  if (more !== undefined) return invalid([{ path: [more], code: 'duplicate', message: one }])
  const value = sent[member]
  if (typeof value === 'string') return { member, value }
  return invalid([{ path: [member], code: 'type', message: one }])
}

function readRow(
  row: unknown,
  name: UnitName | AppError | undefined,
  findUnit: (name: UnitName) => Unit | undefined,
): { unit: Unit; event: DataObject } {
  if (name instanceof AppError) throw name
  const { member, value }: UnitName = name ?? { member: 'id', value: '' }
  const unit = findUnit({ member, value })
  if (unit === undefined || !isObject(row))
    throw new AppError(
      'not_found',
      `There is no unit with ${member} ${value.slice(0, 100)} under this product.`,
    )
  return { unit, event: Object.fromEntries(Object.entries(row).filter(([key]) => key !== member)) }
}
