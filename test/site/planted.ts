/** Data with every field of a category filled, whose values depend on who may see them. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import fc from 'fast-check'
import {
  AUDIENCES,
  type Audience,
  ENTRY_AUDIENCES,
  type Field,
  findScalarEntry,
  narrowAudience,
} from '../../src/categories/field.ts'
import type { DataObject } from '../../src/kernel/values/data-object.ts'
import { getRules } from '../../src/readiness/rules.ts'
import { formatValue } from '../categories/format-values.ts'

/** No other field's values must be ids of rules. */
const RULE_IDS = [...getRules().ruleIds]

/** A scalar field with the names on the path to it. */
export type Leaf = { path: readonly string[]; field: Field; audience: readonly Audience[] }

/** A number for each value: values of other numbers differ. Lists have one entry or two. */
type Numbering = (leaf: Leaf) => number

/** `schemaVersion`: nobody may see fields that are newer. */
type Scope = { path?: readonly string[]; outer?: readonly Audience[]; schemaVersion?: number }

export function plant(
  fields: readonly Field[],
  numberOf: Numbering,
  scope: Scope = {},
): Record<string, unknown> {
  return Object.fromEntries(fields.map(field => [field.name, plantValue(describe(field, scope), numberOf)]))
}

function describe(field: Field, { path = [], outer = AUDIENCES, schemaVersion = Infinity }: Scope): Leaf {
  const isNewer = (field.since ?? 1) > schemaVersion
  return { path: [...path, field.name], field, audience: isNewer ? [] : narrowAudience(outer, field) }
}

function plantValue(leaf: Leaf, numberOf: Numbering): unknown {
  const { path, field, audience } = leaf
  const n = numberOf(leaf)
  const inner = { path, outer: audience }
  if (path.length === 1 && field.name === 'languages') return ['en', 'de']
  if (field.type === 'object') return plant(field.fields ?? [], numberOf, inner)
  if (field.type !== 'list') return plantScalar(leaf, n)
  const scalar = findScalarEntry(field)
  if (scalar !== undefined) return [plantScalar({ path, field: scalar }, n)]
  const { audienceMember } = field
  if (audienceMember !== undefined)
    return Object.entries(ENTRY_AUDIENCES).map(([access, readers], i) => {
      const outer = audience.filter(one => (readers as readonly Audience[]).includes(one))
      const entry = plant(field.of ?? [], one => numberOf(one) + i / OTHER_ENTRY, { path, outer })
      return { ...entry, [audienceMember]: access }
    })
  const entry = plant(field.of ?? [], numberOf, inner)
  if (field.sumsTo100 !== undefined) return [{ ...entry, [field.sumsTo100]: 100 }]
  return n % 2 === 0 ? [entry] : [entry, entry]
}

/** The values of each entry differ by this part of a number, so that their texts contain the number. */
const OTHER_ENTRY = 8

const hashOf = (text: string) => hash('sha256', text, 'hex')

/** Valid, and the same for the same path and number. */
export function plantScalar({ path, field }: Pick<Leaf, 'path' | 'field'>, n: number): unknown {
  const { type, values, format, min = 0, max = min + 900 } = field
  const name = path.join('.')
  if (name === 'notApplicable.rule') return RULE_IDS[n % RULE_IDS.length]
  if (field.localized) return { en: `${name} text ${n}.`, de: `${name} text ${n}. Auf Deutsch.` }
  if (type === 'boolean') return n % 2 === 0
  if (values !== undefined) return values[n % values.length]
  const seed = Number.parseInt(hashOf(`${name} ${n}`).slice(0, 8), 16)
  // Four decimals, so that no other value is equal.
  if (type === 'number') return min + (seed % Math.floor(max - min)) + ((seed % 1_000) * 10 + 7) / 10_000
  if (format === 'url') return `https://planted.example/${name}/${n}`
  if (format === 'sha256' || format === 'picture_id' || format === 'document_id')
    return hashOf(`${name} ${n}`)
  if (format !== undefined) return fc.sample(formatValue(format), { seed, numRuns: 1 })[0]
  return `${name} value ${n}.`
}

export function listLeaves(fields: readonly Field[], scope: Scope = {}): Leaf[] {
  return fields.flatMap(field => {
    const leaf = describe(field, scope)
    const all = field.fields ?? (findScalarEntry(field) === undefined ? field.of : undefined)
    // The readers of an entry are the same in all planted data.
    const members = all?.filter(({ name }) => name !== field.audienceMember)
    return members === undefined ? [leaf] : listLeaves(members, { path: leaf.path, outer: leaf.audience })
  })
}

export type PlantedReader = Audience | 'owner'

/** A value of a field, as it appears in text, with those who may see it. */
export type PlantedText = { path: string; readers: readonly PlantedReader[]; text: string }

/** The owner sees every field. */
export const listReaders = (audience: readonly Audience[]): PlantedReader[] => [...audience, 'owner']

/** The texts in planted data that are those of one field only. */
export function listPlantedTexts(fields: readonly Field[], data: DataObject): PlantedText[] {
  const all = listTextsIn(fields, data, AUDIENCES, '')
  const unique = all.filter(({ path, text }) => all.every(one => one.text !== text || one.path === path))
  assert.ok(all.length - unique.length < 6, 'few texts are those of two fields')
  return unique
}

function listTextsIn(
  fields: readonly Field[],
  data: DataObject,
  outer: readonly Audience[],
  parent: string,
): PlantedText[] {
  return fields.flatMap(field => {
    const value = data[field.name]
    const path = parent + field.name
    const audience = narrowAudience(outer, field)
    if (field.type === 'object')
      return listTextsIn(field.fields ?? [], value as DataObject, audience, `${path}.`)
    const scalar = field.type === 'list' ? findScalarEntry(field) : field
    if (scalar !== undefined)
      return [value]
        .flat()
        .flatMap(one => listTexts(scalar, one))
        .map(text => ({ path, readers: listReaders(audience), text }))
    const { sumsTo100 = '', audienceMember = '', of = [] } = field
    return (value as DataObject[]).flatMap(entry => {
      const access = entry[audienceMember] as keyof typeof ENTRY_AUDIENCES | undefined
      const readers: readonly Audience[] = access === undefined ? AUDIENCES : ENTRY_AUDIENCES[access]
      const shown = { ...entry, [sumsTo100]: undefined, [audienceMember]: undefined }
      return listTextsIn(
        of,
        shown,
        audience.filter(one => readers.includes(one)),
        `${path}.`,
      )
    })
  })
}

/** Their values are words that stand in other places, too. */
const WORDS: readonly (string | undefined)[] = [
  'country',
  'language',
  'carbon_class',
  'partial_date',
  'cn_or_hs',
]

function listTexts({ type, values, format, localized }: Field, value: unknown): string[] {
  if (value === undefined || type === 'boolean' || values !== undefined || WORDS.includes(format)) return []
  if (localized) return Object.values(value as DataObject).map(String)
  return String(value).length < 6 ? [] : [String(value)]
}

/** True if `all` has the text as it is, as JSON, or as HTML. A number is not found in a longer one. */
export function containsText(all: string, text: string): boolean {
  if (/^[\d.]+$/.test(text)) {
    const digits = text.replaceAll('.', '\\.')
    return new RegExp(`(?<![\\d.])${digits}(?![\\d.])`).test(all)
  }
  const inHtml = text.replaceAll('&', '&amp;').replaceAll("'", '&#39;')
  return [text, JSON.stringify(text).slice(1, -1), inHtml].some(one => all.includes(one))
}
