/** Checks one unit that is to be issued under a model or a batch. */

import type { CompleteCategory } from '../../categories/catalogue.ts'
import { collectErrors } from '../../kernel/errors/collect-errors.ts'
import { AppError, type Detail, invalid } from '../../kernel/errors/errors.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { checkUnitData, type PassportData, removeNulls } from '../core/check-data.ts'
import { requireKnownRules } from '../core/check-declared-rules.ts'
import type { PassportState } from '../core/state.ts'
import { unitGtinProblem } from '../write/plan-version.ts'
import { UNIT_MEMBERS } from './unit-members.ts'

export type SentUnit = Readonly<Record<string, unknown>>
export type UnitLevel = 'batch' | 'item'

export type CheckedUnit = {
  lot: string | null
  serial: string | null
  own: PassportData | null
  data: PassportData
  search: string | null
  warnings: readonly Detail[]
}

const MEMBERS = Object.keys(UNIT_MEMBERS)

/** `inherited` is the parent's effective data, shared by all units. `bulk`: the unit was sent in a list. */
type UnitCheck = {
  level: UnitLevel
  category: CompleteCategory
  inherited: PassportData
  strict: boolean
  bulk: boolean
  ownHost?: string | undefined
}

/** Throws `validation` with every violation. */
export function checkUnit(sent: unknown, parent: PassportState, call: UnitCheck): CheckedUnit {
  if (sent instanceof AppError) throw sent
  if (!isObject(sent)) {
    const message = 'A unit must be an object with lot or serial, and data.'
    throw invalid([{ path: [], code: 'type', message }])
  }
  const unit = removeNulls(sent)
  const details = [...findUnknownMembers(unit, call.bulk), ...findIdentityProblems(unit, parent, call)]
  const data = parseOwnData(unit, details)
  const lot = call.level === 'batch' ? textOrEmpty(unit.lot) : parent.row.lot
  const serial = call.level === 'item' ? textOrEmpty(unit.serial) : null
  const { inside } = collectErrors({
    unit: () => {
      if (details.length > 0) throw invalid(details)
    },
    inside: () => checkOwnData(data, parent, call, lot),
  })
  return { lot, serial, ...inside }
}

/** Empty for anything but a text, which `findIdentityProblems` reports. */
const textOrEmpty = (value: unknown) => (typeof value === 'string' ? value : '')

function findUnknownMembers(unit: SentUnit, bulk: boolean): Detail[] {
  return Object.keys(unit)
    .filter(name => !MEMBERS.includes(name) && (bulk || name !== 'level'))
    .map(name => ({
      path: [name],
      code: 'unknown_field',
      message: `${name} is not a member of a unit. A unit has ${MEMBERS.join(', ')}.`,
    }))
}

/** A batch has a lot, an item a serial. An item may repeat the lot of its batch. */
function findIdentityProblems(unit: SentUnit, parent: PassportState, { level }: UnitCheck): Detail[] {
  const [wanted, foreign] = level === 'batch' ? (['lot', 'serial'] as const) : (['serial', 'lot'] as const)
  const details: Detail[] = []
  const value = unit[wanted]
  const report = (name: string, code: Detail['code'], message: string) =>
    details.push({ path: [name], code, message })
  if (value === undefined)
    report(wanted, 'required', `${wanted} is missing: ${level === 'item' ? 'an item' : 'a batch'} needs one.`)
  else details.push(...[UNIT_MEMBERS[wanted].findError(value) ?? []].flat())
  if (unit[foreign] !== undefined && !(foreign === 'lot' && unit.lot === parent.row.lot)) {
    const why = level === 'batch' ? 'a batch has none' : 'an item has the lot of its batch'
    report(foreign, 'immutable', `${foreign} cannot be sent here: ${why}. Leave it out.`)
  }
  return details
}

function parseOwnData(unit: SentUnit, details: Detail[]): PassportData {
  const { data = {} } = unit
  const wrong = UNIT_MEMBERS.data.findError(data)
  if (wrong !== undefined) details.push(wrong)
  if (!isObject(data)) return {}
  if (Object.hasOwn(data, 'gtin')) details.push(unitGtinProblem)
  // Otherwise the validator would report gtin a second time.
  const { gtin: _gtin, ...own } = removeNulls(data)
  return own
}

function checkOwnData(
  data: PassportData,
  parent: PassportState,
  { level, category, inherited, strict, ownHost }: UnitCheck,
  lot: string | null,
): Omit<CheckedUnit, 'lot' | 'serial'> {
  const names = Object.keys(data)
  // Inherited data was checked when the content was created.
  if (names.length === 0 && level === 'item')
    return { own: null, data: inherited, search: null, warnings: [] }
  const options = { strict, validatedWith: parent.row.schema_version, ownHost }
  const checked = checkUnitData(category, { ...inherited, ...data }, names, options)
  if (checked.schemaVersion > 1) requireKnownRules(data)
  return {
    own: names.length === 0 ? null : Object.fromEntries(names.map(name => [name, checked.data[name]])),
    data: checked.data,
    search: level === 'batch' ? `${checked.search}\n${(lot ?? '').toLowerCase()}` : null,
    warnings: checked.warnings,
  }
}
