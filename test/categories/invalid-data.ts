/**
 * Random data with up to four errors and the path of each: validation must name all of them and nothing else.
 */
import fc from 'fast-check'
import type { CompleteCategory } from '../../src/categories/catalogue.ts'
import { type Field, findScalarEntry } from '../../src/categories/field.ts'
import { type Body, validData } from './arbitrary.ts'
import { WRONG_TEXTS } from './format-values.ts'

/** `wrong`: paths as in a Detail's `field`, such as `fiberComposition[1].percentage`. */
export type InvalidData = { data: Body; wrong: string[] }

const ABSENT = Symbol('absent')

/** An invalid value for a field, and the path of its error. */
type Fault = { wrong: string; value: unknown }

const WRONG_CHARACTERS = ['a\0b', '\u0007', 'a\rb', 'a\u0085b', '\ud800', 'a\udc00b', '\udc00\ud800']

/** Each error is in a different top-level field, so that none hides another. */
export function invalidData(category: CompleteCategory): fc.Arbitrary<InvalidData> {
  const choice = fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000))
  return fc
    .tuple(validData(category), fc.array(choice, { minLength: 1, maxLength: 4 }))
    .map(([data, choices]) => spoil(category, data, choices))
}

function spoil(
  category: CompleteCategory,
  valid: Body,
  choices: readonly (readonly [number, number])[],
): InvalidData {
  const data: Body = { ...valid }
  const wrong: string[] = []
  const primary = String((valid.languages as string[])[0])
  const fields: Field[] = [...category.fields, { name: 'freeNote', type: 'text', description: '' }]
  for (const [fieldChoice, faultChoice] of choices) {
    const [field] = fields.splice(fieldChoice % fields.length, 1)
    if (field === undefined) break
    // Without a primary language, missing translations cannot be reported.
    if (field.name === 'languages' && wrong.length > 0) continue
    const faults =
      field.name === 'freeNote' ? freeFormFaults() : faultsOf(field, valid[field.name], field.name, primary)
    const fault = choose(faults, field.name, faultChoice)
    if (fault === undefined) continue
    wrong.push(fault.wrong)
    if (fault.value === ABSENT) delete data[field.name]
    else data[field.name] = fault.value
    if (field.name === 'languages') break
  }
  return { data, wrong }
}

/**
 * Chooses an error of the field itself or of a value inside it with equal probability, although most possible
 * errors are inside.
 */
function choose(faults: readonly Fault[], path: string, choice: number): Fault | undefined {
  const { own = [], inner = [] } = Object.groupBy(faults, fault => (fault.wrong === path ? 'own' : 'inner'))
  const pool = inner.length > 0 && (choice % 2 === 1 || own.length === 0) ? inner : own
  return pool[Math.floor(choice / 2) % pool.length]
}

const freeFormFaults = (): Fault[] =>
  WRONG_CHARACTERS.flatMap(value => [
    { wrong: 'freeNote', value },
    { wrong: 'freeNote.deep[1]', value: { deep: [1, value] } },
  ])

function faultsOf(field: Field, value: unknown, path: string, primary: string): Fault[] {
  const here = [...wrongTypes(field), ...(field.required ? [ABSENT] : [])].map(wrong => ({
    wrong: path,
    value: wrong,
  }))
  if (field.localized) return [...here, ...textFaults(value as Body | undefined, path, primary)]
  switch (field.type) {
    case 'name':
    case 'text':
      return [...here, ...wrongTexts(field).map(wrong => ({ wrong: path, value: wrong }))]
    case 'number':
      return [...here, ...wrongNumbers(field).map(wrong => ({ wrong: path, value: wrong }))]
    case 'boolean':
      return here
    case 'object':
      return [...here, ...memberFaults(field.fields ?? [], value as Body | undefined, path, primary)]
    case 'list':
      return [...here, ...listFaults(field, value as unknown[] | undefined, path, primary)]
  }
}

function wrongTypes(field: Field): unknown[] {
  const all = [null, true, 7, 'text', ['x'], { x: 1 }]
  if (field.localized || field.type === 'object') return all.slice(0, 5)
  const right = { name: 'string', text: 'string', number: 'number', boolean: 'boolean', list: 'list' }[
    field.type
  ]
  return all.filter(one => (Array.isArray(one) ? 'list' : typeof one) !== right)
}

function wrongTexts(field: Field): readonly string[] {
  if (field.values !== undefined) return ['', 'no such value', `${field.values[0]} `, '__proto__', 'toString']
  if (field.format !== undefined) return WRONG_TEXTS[field.format]
  const longest = field.type === 'name' ? 500 : 10_000
  return ['', ' ', '\n\t', '\u2003', '😀'.repeat(longest + 1), ...WRONG_CHARACTERS]
}

const wrongNumbers = ({ min, max }: Field): number[] => [
  ...(min === undefined ? [] : [min - 1, min - 1e-9]),
  ...(max === undefined ? [] : [max + 1, max + 1e-9, 1e300]),
]

function textFaults(texts: Body | undefined, path: string, primary: string): Fault[] {
  const { [primary]: first = 'text', ...others } = texts ?? {}
  const all = { [primary]: first, ...others }
  return [
    { wrong: path, value: {} },
    { wrong: path, value: others },
    { wrong: path, value: { ...all, [primary]: ' \n' } },
    // BCP 47 accepts `toString` as a language tag: it has eight letters.
    { wrong: path, value: { toString: 'x', ...others } },
    ...['en_US!', 'und', '', 'x-foo', 'constructor_'].map(tag => ({
      wrong: `${path}.${tag}`,
      value: { ...all, [tag]: 'text' },
    })),
    { wrong: `${path}.eo`, value: { ...all, eo: '' } },
    { wrong: `${path}.eo`, value: { ...all, eo: 7 } },
    { wrong: `${path}.${primary.toUpperCase()}`, value: { ...all, [primary.toUpperCase()]: 'again' } },
    ...[7, null, 'x'.repeat(10_001), ...WRONG_CHARACTERS].map(wrong => ({
      wrong: `${path}.${primary}`,
      value: { ...all, [primary]: wrong },
    })),
  ]
}

function memberFaults(
  fields: readonly Field[],
  object: Body | undefined,
  path: string,
  primary: string,
): Fault[] {
  if (object === undefined) return []
  const inner = fields.flatMap(field =>
    faultsOf(field, object[field.name], `${path}.${field.name}`, primary).map(fault => {
      const { [field.name]: _, ...others } = object
      return {
        wrong: fault.wrong,
        value: fault.value === ABSENT ? others : { ...object, [field.name]: fault.value },
      }
    }),
  )
  const unknown = ['noSuchMember', 'toString', 'constructor'].map(key => ({
    wrong: `${path}.${key}`,
    value: { ...object, [key]: 'x' },
  }))
  return [...inner, ...unknown]
}

function listFaults(
  list: Field,
  entries: readonly unknown[] | undefined,
  path: string,
  primary: string,
): Fault[] {
  if (entries === undefined || entries.length === 0) return []
  const scalar = findScalarEntry(list)
  const inner = entries.flatMap((entry, index) => {
    const place = `${path}[${index}]`
    const faults =
      scalar === undefined
        ? [
            ...memberFaults(list.of ?? [], entry as Body, place, primary),
            { wrong: place, value: 7 },
            { wrong: place, value: null },
          ]
        : faultsOf(scalar, entry, place, primary)
    return faults.map(fault => ({ wrong: fault.wrong, value: entries.with(index, fault.value) }))
  })
  const whole = (list.required ? [[] as unknown[]] : []).concat(
    wrongSums(list, entries),
    // Repeated languages would also be reported as duplicates.
    scalar === undefined ? [Array.from({ length: (list.maxItems ?? 1000) + 1 }, () => entries[0])] : [],
  )
  const again =
    scalar?.format === 'language'
      ? [{ wrong: `${path}[${entries.length}]`, value: [...entries, String(entries[0]).toUpperCase()] }]
      : []
  return [...inner, ...again, ...whole.map(value => ({ wrong: path, value }))]
}

/** Sums that differ by the smallest amount a double can represent. */
function wrongSums(list: Field, entries: readonly unknown[]): unknown[][] {
  const name = list.sumsTo100
  if (name === undefined) return []
  return [1e-10, -0.01, 0.01].flatMap(by =>
    entries.flatMap((entry, index) => {
      const share = Number((entry as Body)[name]) + by
      return share < 0 || share > 100 ? [] : [entries.with(index, { ...(entry as Body), [name]: share })]
    }),
  )
}
