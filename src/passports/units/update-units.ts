/** Changes many units, each found by its serial or lot, such as a fleet's state of health overnight. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { isTransaction } from '../../kernel/db/transaction.ts'
import { collectErrors } from '../../kernel/errors/collect-errors.ts'
import { AppError, type Detail, invalid } from '../../kernel/errors/errors.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { type PassportData, removeNulls, requireData } from '../core/check-data.ts'
import { isOutdated, joinOwners } from '../core/outdated.ts'
import { byIndex, type RowRejection } from '../core/row-problems.ts'
import { getState } from '../core/state.ts'
import { findNamedUnits, type UnitName } from '../read/named-units.ts'
import { queueByPassport } from '../write/change-queue.ts'
import { lockPassports } from '../write/lock-passports.ts'
import type { ChangeType } from '../write/plan-version.ts'
import {
  previewUnitChanges,
  type UnitChange,
  type UpdatedUnit,
  writeUnitChanges,
} from './write-unit-changes.ts'

type UnitChanges = {
  parentUuid: string
  /** Each unit as sent, or the error of parsing it. */
  units: readonly unknown[]
  changeType: ChangeType
  note: string | undefined
  strict: boolean
  /** Checks all that can be checked and writes nothing. */
  dryRun?: boolean
}

/** Changes units under a model or a batch; a row that fails does not affect others. Throws `not_found`. */
export async function updateUnits(
  ctx: AccountContext,
  input: UnitChanges,
): Promise<{ updated: UpdatedUnit[]; errors: RowRejection[] }> {
  const { row: parent } = await getState(ctx, input.parentUuid)
  const names = input.units.map(parseName)
  const findUnit = await findNamedUnits(ctx, parent, names)
  if (!input.dryRun && isTransaction(ctx.sql)) {
    const found = names.flatMap(name => (name instanceof AppError ? [] : (findUnit(name)?.id ?? [])))
    await lockPassports(ctx, [...new Set(found)])
  }
  const errors: RowRejection[] = []
  const updated: UpdatedUnit[] = []
  const changes = listChanges(input, names, { findUnit, errors })
  const out = { updated, errors }
  if (input.dryRun) await previewUnitChanges(ctx, changes, out)
  else if (isTransaction(ctx.sql)) await writeUnitChanges(ctx, changes, out)
  // Calls for the same units would read and check all of them again. A transaction must not wait here for one
  // that waits for its locks.
  else await queueByPassport(ctx.sql, parent.id, () => writeUnitChanges(ctx, changes, out))
  await markOutdated(ctx, input, updated)
  return { updated: updated.sort(byIndex), errors: errors.sort(byIndex) }
}

type FindUnit = Awaited<ReturnType<typeof findNamedUnits>>

/** The changes of the rows that name a unit and have data; the other rows are added to `errors`. */
function listChanges(
  { units, changeType, note, strict }: UnitChanges,
  names: readonly (UnitName | AppError)[],
  { findUnit, errors }: { findUnit: FindUnit; errors: RowRejection[] },
): UnitChange[] {
  const seen = new Set<string>()
  return names.flatMap((name, index) => {
    try {
      const sent = collectErrors({
        uuid: () => requireFound(name, findUnit, seen),
        data: () => parseData(units[index]),
      })
      return [{ index, change: { ...sent, changeType, note, strict, expects: () => true } }]
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      errors.push({ index, error })
      return []
    }
  })
}

/** A correction of a batch makes its items outdated, also those that the same call has changed. */
async function markOutdated(
  { sql, accountId }: AccountContext,
  { changeType, dryRun }: UnitChanges,
  updated: readonly UpdatedUnit[],
): Promise<void> {
  const passports = updated.map(({ written }) => written.passport)
  const batches = new Set(passports.filter(({ level }) => level === 'b').map(({ id }) => id))
  const items = passports.filter(({ parent_id }) => parent_id !== null && batches.has(parent_id))
  if (changeType !== 'correction' || dryRun === true || items.length === 0) return
  const ids = items.map(({ id }) => id)
  const rows = await sql<{ id: string }[]>`
    select p.id from passport p join content c on c.id = p.content_id and c.account_id = p.account_id ${joinOwners(sql)}
    where p.account_id = ${accountId} and p.id = any(${ids}::text[]::uuid[]) and ${isOutdated(sql)}`
  const outdated = new Set(rows.map(({ id }) => id))
  for (const item of items) item.outdated = outdated.has(item.id)
}

function parseName(sent: unknown): UnitName | AppError {
  const details: Detail[] = []
  const wrong = (name: string, code: Detail['code'], message: string) =>
    details.push({ path: [name], code, message })
  if (sent instanceof AppError) return sent
  if (!isObject(sent)) {
    const message = 'A row must be an object with serial or lot, and data.'
    return invalid([{ path: [], code: 'type', message }])
  }
  const unit = removeNulls(sent)
  for (const name of Object.keys(unit).filter(member => !['serial', 'lot', 'data'].includes(member))) {
    wrong(name, 'unknown_field', `${name} is not a member of a row. A row has serial or lot, and data.`)
  }
  const named = (['serial', 'lot'] as const).filter(member => unit[member] !== undefined)
  const [member = 'serial', more] = named
  const value = unit[member]
  if (typeof value === 'string' && more === undefined && details.length === 0) return { member, value }
  if (typeof value !== 'string' || more !== undefined) {
    const message = 'Identify an item by its serial or a batch by its lot. Send one of the two, as text.'
    const code = more !== undefined ? 'duplicate' : value === undefined ? 'required' : 'type'
    wrong(more ?? member, code, message)
  }
  return invalid(details)
}

/** Empty for anything but an object, which `parseName` reports. */
const parseData = (sent: unknown): PassportData =>
  isObject(sent) && !(sent instanceof AppError) ? requireData(sent.data) : {}

function requireFound(name: UnitName | AppError, findUnit: FindUnit, seen: Set<string>): string {
  if (name instanceof AppError) throw name
  const key = `${name.member} ${name.value}`
  const uuid = findUnit(name)?.id
  if (uuid === undefined) throw new AppError('not_found', `There is no unit with ${key} under this product.`)
  if (seen.has(key)) {
    const message = `${key} is given twice in this call; send each unit once.`
    throw invalid([{ path: [name.member], code: 'duplicate', message }])
  }
  seen.add(key)
  return uuid
}
