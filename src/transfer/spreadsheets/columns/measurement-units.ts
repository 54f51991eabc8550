/** Units in spreadsheets, and their conversion to the unit of a field. */
import SPELLINGS from '../../../../assets/spreadsheets/unit-spellings.json' with { type: 'json' }
import type { Field } from '../../../categories/field.ts'
import { shorten } from '../../../kernel/errors/detail-json.ts'
import { type DecimalMark, normalizeDigits, parseNumber } from '../files/cell.ts'

/** Units of one kind, each with its factor to a common base. */
type UnitKind = {
  units: Readonly<Record<string, number>>
  /** A title without a unit would be ambiguous, so a person must choose one. */
  isAsked: boolean
}

const KINDS: readonly UnitKind[] = [
  { units: { g: 1, kg: 1e3, mg: 1e-3, t: 1e6, oz: 28.349523125, lb: 453.59237 }, isAsked: true },
  { units: { cm: 1, mm: 0.1, m: 100, in: 2.54 }, isAsked: true },
  { units: { Wh: 1, kWh: 1e3, MWh: 1e6 }, isAsked: true },
  { units: { Ah: 1, mAh: 1e-3 }, isAsked: true },
  { units: { V: 1, mV: 1e-3, kV: 1e3 }, isAsked: false },
  { units: { l: 1, ml: 1e-3, 'm³': 1e3 }, isAsked: true },
  { units: { months: 1, years: 12 }, isAsked: true },
  { units: { 'kg CO2e': 1, 'g CO2e': 1e-3, 't CO2e': 1e3 }, isAsked: true },
  { units: { 'kg CO2e/kWh': 1, 'g CO2e/kWh': 1e-3 }, isAsked: true },
  // The cells, not the title, show whether a share is written as 98.5 or 0.985.
  { units: { '%': 1, fraction: 100 }, isAsked: false },
]

const unitKey = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('₂', '2')
    .replaceAll(/[\s._-]+/g, '')

const byKey = new Map<string, string>()
for (const { units } of KINDS) for (const unit of Object.keys(units)) byKey.set(unitKey(unit), unit)
// Spellings are normalised by `unitKey`.
for (const [unit, spellings] of Object.entries(SPELLINGS)) for (const one of spellings) byKey.set(one, unit)

export const findUnit = (text: string): string | undefined => byKey.get(unitKey(text))

const findKind = (unit: string | undefined): UnitKind | undefined =>
  KINDS.find(({ units }) => Object.hasOwn(units, unit ?? ''))

export const canConvertUnit = (unit: string): boolean => findKind(unit) !== undefined

/** Lists the possible units of a field, its own first; empty if there is no choice. */
export function listUnits({ type, unit = '' }: Field): readonly string[] {
  const kind = type === 'number' ? findKind(unit) : undefined
  if (kind === undefined) return []
  return [unit, ...Object.keys(kind.units).filter(one => one !== unit)]
}

/** Returns true if a person must choose the unit of this field if the title has none. */
export const isUnitRequired = (field: Field): boolean =>
  field.type === 'number' && findKind(field.unit)?.isAsked === true

/** Excel's format of percentages: 0.985 for 98.5 %. */
export const FRACTION = 'fraction'

/** Converts between units, exactly if their ratio is a power of ten. */
function convert(digits: string, from: string, to: string): number {
  const units = findKind(to)?.units ?? {}
  const ratio = (units[from] ?? 1) / (units[to] ?? 1)
  const power = Math.round(Math.log10(ratio))
  if (Math.abs(ratio / 10 ** power - 1) > 1e-9) return Number((Number(digits) * ratio).toPrecision(12))
  const [, plain = '', exponent = '0'] = /^(.*?)(?:e(.*))?$/i.exec(digits) ?? []
  return Number(`${plain}e${Number(exponent) + power}`)
}

const WITH_UNIT = /^(?<amount>[^\p{L}%]*\d[.,]?)\s*(?<unit>(?:\p{L}|%)[\p{L}\d%³²₂/.\s]*)$/u
/** Security bound: the expression above is quadratic in the length. */
const MAX_AMOUNT_LENGTH = 60

/**
 * A number in the field's unit, converted from the unit after the number, or else from the column's `unit`.
 * Other text is returned unchanged, and the validator rejects it.
 */
export function parseAmount(
  cell: string | number,
  field: Field,
  mark: DecimalMark,
  unit: string | undefined,
): unknown {
  const to = field.unit ?? ''
  if (typeof cell === 'number') return unit === undefined ? cell : convert(String(cell), unit, to)
  const stated = findStatedUnit(cell, field)
  const digits = normalizeDigits(stated?.amount ?? cell, mark, stated === undefined ? to : '')
  const from = stated?.unit ?? unit
  if (digits === undefined || from === undefined) return parseNumber(cell, mark, to)
  return convert(digits, from, to)
}

/**
 * Splits "0,62 kg" for a field in grams; undefined for a number without a unit or with a unit of another
 * kind.
 */
export function findStatedUnit(cell: string, field: Field): Amount | undefined {
  const stated = splitAmount(cell)
  return stated !== undefined && listUnits(field).includes(stated.unit) ? stated : undefined
}

/** A number with a word after it. */
const WITH_WORD = /^[+-]?[\d.,'’\s\u00a0\u202f]*\d[.,]?\s*(?<word>[\p{L}%°"'″].*)$/su
const MAX_WORD_LENGTH = 30

/**
 * Explains a number with a unit that its field cannot have; undefined for any other value.
 * `beside`: the unit in a column of its own.
 */
export function explainUnit(cell: string, field: Field, beside = '') {
  if (field.type !== 'number' || cell.length > MAX_AMOUNT_LENGTH) return undefined
  const word = beside === '' ? (WITH_WORD.exec(cell.trim())?.groups?.word ?? '') : beside
  if (word === '') return undefined
  const unit = shorten(word, MAX_WORD_LENGTH)
  const units = listUnits(field)
  if (units.includes(findUnit(word) ?? '')) return undefined
  if (units.length > 0) {
    const known = units.join(', ')
    const message = `The number has the unit “${unit}”, which this column cannot have. Known units: ${known}.`
    return { code: 'unit', message, said: { key: 'unknown', facts: { unit, units: known } } } as const
  }
  const own = field.unit ?? ''
  return own === ''
    ? ({
        code: 'unit',
        message: `Only a number can stand here. Leave “${unit}” out.`,
        said: { key: 'none', facts: { unit } },
      } as const)
    : ({
        code: 'unit',
        message: `The number must be in ${own}. Convert it, and leave “${unit}” out.`,
        said: { key: 'one', facts: { unit, own } },
      } as const)
}

type Amount = { amount: string; unit: string }

export function splitAmount(cell: string): Amount | undefined {
  if (cell.length > MAX_AMOUNT_LENGTH) return undefined
  const { amount = '', unit: word = '' } = WITH_UNIT.exec(cell.trim())?.groups ?? {}
  const unit = word === '' ? undefined : findUnit(word)
  return unit === undefined ? undefined : { amount, unit }
}
