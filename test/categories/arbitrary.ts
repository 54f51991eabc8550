/**
 * Random data of any category, valid and invalid, generated from its field table, for all tests of passports.
 */
import fc from 'fast-check'
import type { CompleteCategory } from '../../src/categories/catalogue.ts'
import { type Field, findScalarEntry } from '../../src/categories/field.ts'
import { formatValue } from './format-values.ts'

export type Body = Record<string, unknown>

/**
 * The primary language first. The sets are fixed, because new arbitraries for each body cost more than the
 * bodies.
 */
const LANGUAGE_SETS = [
  ['en'],
  ['de', 'en', 'fr'],
  ['pt-BR', 'pt', 'en-US', 'en'],
  ['zh-Hant-TW', 'el'],
  ['sr-Latn', 'mt', 'zh-Hant-TW'],
] as const

const CHARACTERS = [
  'a',
  'Z',
  '7',
  ' ',
  '\n',
  '\t',
  'é',
  'ß',
  '漢',
  '😀',
  '<',
  '"',
  '&',
  "'",
  '/',
  '\\',
  '\u202e',
  '٣',
  '{',
  '%',
]

const text = fc
  .string({ unit: fc.constantFrom(...CHARACTERS), minLength: 1, maxLength: 40 })
  .filter(one => one.trim() !== '')

/** Keys that no schema knows, some of them members of every JavaScript object. */
const FREE_KEYS = [
  'erpNumber',
  'constructor',
  'toString',
  'hasOwnProperty',
  'a.b',
  'a/b',
  'c~d',
  '',
  'season',
  '漢',
]

const freeForm = fc.dictionary(
  fc.constantFrom(...FREE_KEYS),
  fc.oneof(
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text, { maxLength: 3 }),
    fc.record({ inner: text }),
  ),
  { maxKeys: 3 },
)

/** Data that must be accepted and returned unchanged: as `JSON.parse` returns it, in normal form. */
export function validData(category: CompleteCategory): fc.Arbitrary<Body> {
  const known = LANGUAGE_SETS.map(languages =>
    members(category.fields, languages).map(data => ({ ...data, languages })),
  )
  return fc
    .tuple(fc.oneof(...known), freeForm)
    .map(([data, free]) => JSON.parse(JSON.stringify({ ...free, ...data })) as Body)
}

const members = (fields: readonly Field[], languages: readonly string[]): fc.Arbitrary<Body> =>
  fc.record(Object.fromEntries(fields.map(field => [field.name, value(field, languages)])), {
    requiredKeys: fields.filter(field => field.required).map(field => field.name),
  })

function value(field: Field, languages: readonly string[]): fc.Arbitrary<unknown> {
  if (field.localized) return translations(languages)
  switch (field.type) {
    case 'name':
    case 'text':
      if (field.values !== undefined) return fc.constantFrom(...field.values)
      return field.format === undefined ? text : formatValue(field.format)
    case 'number':
      return number(field)
    case 'boolean':
      return fc.boolean()
    case 'object':
      return members(field.fields ?? [], languages)
    case 'list':
      return list(field, languages)
  }
}

function number({ min = -1e9, max = 1e9 }: Field): fc.Arbitrary<number> {
  const whole = fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
  return fc.oneof(whole, fc.double({ min, max, noNaN: true }), fc.constantFrom(min, max))
}

function translations([primary = 'en', ...others]: readonly string[]): fc.Arbitrary<unknown> {
  const other = fc.dictionary(fc.constantFrom('sv', 'fi', ...others), text, { maxKeys: 3 })
  return fc.tuple(text, other).map(([first, rest]) => ({ [primary]: first, ...rest }))
}

/** A rule that does not apply: only rules that an act has can be named. */
const declaration = fc.record({ rule: fc.constantFrom('batt.1', 'batt.14', 'batt.71'), reason: text })

function list(field: Field, languages: readonly string[]): fc.Arbitrary<unknown> {
  if (field.name === 'notApplicable') return fc.array(declaration, { maxLength: 4 })
  const scalar = findScalarEntry(field)
  const entry = scalar === undefined ? entries(field, languages) : value(scalar, languages)
  const share = field.sumsTo100
  if (share === undefined) return fc.array(entry, { minLength: field.required ? 1 : 0, maxLength: 4 })
  const all = fc.array(entry, { minLength: SHARES_MAX, maxLength: SHARES_MAX })
  return fc
    .tuple(all, shares)
    .map(([bodies, parts]) => parts.map((part, i) => ({ ...(bodies[i] as Body), [share]: part })))
}

/** Each has one of the members of which it needs one. */
function entries({ of = [], needsOneOf = [] }: Field, languages: readonly string[]): fc.Arbitrary<Body> {
  const entry = members(of, languages)
  const needed = of.find(({ name }) => name === needsOneOf[0])
  if (needed === undefined) return entry
  return fc
    .tuple(entry, value(needed, languages))
    .map(([one, filled]) => (needsOneOf.some(name => name in one) ? one : { ...one, [needed.name]: filled }))
}

const SHARES_MAX = 6

/** One to `SHARES_MAX` numbers with up to four decimals, whose decimal sum is exactly 100. */
const shares = fc
  .tuple(fc.array(fc.nat(1_000_000), { maxLength: SHARES_MAX - 1 }), fc.constantFrom(1, 10, 100, 10_000))
  .map(([cuts, scale]) => {
    const places = [0, ...cuts.map(cut => cut % (100 * scale)).sort((a, b) => a - b), 100 * scale]
    // An integer divided by a power of ten is the double nearest to that decimal, and prints as that decimal.
    return places.slice(1).map((place, i) => (place - (places[i] ?? 0)) / scale)
  })
