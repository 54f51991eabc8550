/**
 * The parts of a passport that a form does not hold, or holds in another way: the table in
 * `docs/standards.md`, and what each of its rows does to the data.
 */
import { readFileSync } from 'node:fs'
import { AUDIENCES, ENTRY_AUDIENCES, type Field } from '../../src/categories/field.ts'
import { findLinkProblem } from '../../src/kernel/http/public-link.ts'
import type { Reading } from '../../src/standards/reading.ts'
import { omitEmpty } from './read-forms.ts'

// biome-ignore lint/suspicious/noExplicitAny: data of any shape
type Any = any

export const FORMS = ['EN 18223', 'JSON-LD', 'UNTP', 'AAS', 'SD-JWT VC'] as const
export type Form = (typeof FORMS)[number]

type Limit = (data: Any, reading: Reading) => Any

/** By the names in the first column of the table. */
export const LIMITS: Readonly<Record<string, Limit>> = {
  empty: (data, { category }) => omitEmpty(category, data),
  'empty dimensions': omitEmptyDimensions,
  'same country': omitSameCountry,
  characters: data => JSON.parse(JSON.stringify(data).replace(/[\ufffe\uffff]/g, '\ufffd')),
  addresses: (data, { category }) => mapFields(category.fields, data, spellAddress),
  caption: (data, { category }) => mapFields(category.fields, data, addCaptions),
  'order of documents': (data, { category }) => mapFields(category.fields, data, sortEntries),
}

/** The names in the table with the forms that each row is about, `page` among them. */
export function readLimits(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(new URL('../../docs/standards.md', import.meta.url), 'utf8')
  const [, section = ''] = text.split('\n### What a form does not hold\n')
  const rows = section.split(/\n#+ /)[0]?.split('\n') ?? []
  return new Map(
    rows.flatMap(row => {
      const [, name, forms] = /^\| `([^`]+)` \|.*\| ([^|]+) \|$/.exec(row) ?? []
      return name === undefined || forms === undefined ? [] : [[name, forms.trim().split(', ')]]
    }),
  )
}

/** The rows about the page are named by fields. Undefined: no row names the field, nor one that it is in. */
export const findPageLimit = (path: string): string | undefined =>
  [...readLimits()].find(
    ([name, forms]) => forms.includes('page') && (path === name || path.startsWith(`${name}.`)),
  )?.[0]

/** Changes each field with a value, also inside of others, which are changed first. */
export function mapFields(
  fields: readonly Field[],
  data: Any,
  change: (field: Field, value: Any) => Any,
): Any {
  return Object.fromEntries(
    Object.entries<Any>(data).map(([name, value]) => {
      const field = fields.find(one => one.name === name)
      return [name, field === undefined ? value : change(field, mapInside(field, value, change))]
    }),
  )
}

function mapInside(field: Field, value: Any, change: (field: Field, value: Any) => Any): Any {
  if (field.localized) return value
  if (field.type === 'object') return mapFields(field.fields ?? [], value, change)
  return field.type === 'list' && field.of?.[0]?.name !== ''
    ? value.map((entry: Any) => mapFields(field.of ?? [], entry, change))
    : value
}

/** Schema.org has the sides on the product itself, so an object without any leaves nothing. */
function omitEmptyDimensions({ dimensions, ...data }: Any): Any {
  const isEmpty = dimensions === undefined || Object.keys(dimensions).length === 0
  return isEmpty ? data : { ...data, dimensions }
}

export function omitSameCountry(data: Any): Any {
  const { manufacturingFacility, countryOfManufacture } = data
  if (manufacturingFacility?.country !== countryOfManufacture) return data
  const { country: _, ...plant } = manufacturingFacility
  return { ...data, manufacturingFacility: plant }
}

/** If it is a link, as the URL standard spells it, without characters that RFC 3987 has not. */
function spellAddress({ format, localized }: Field, value: Any): Any {
  if (format !== 'url' || localized || findLinkProblem(value) !== undefined) return value
  return new URL(value).href.replace(/[{}|\\^`<>"]/g, encodeURIComponent)
}

const addCaptions = ({ shape }: Field, value: Any): Any =>
  shape === 'pictures' ? value.map((one: Any) => ({ ...one, caption: one.caption ?? one.alt })) : value

/** Entries for everyone first, then by how many may see them. */
function sortEntries({ audienceMember }: Field, value: Any): Any {
  if (audienceMember === undefined) return value
  const count = (entry: Any) =>
    ENTRY_AUDIENCES[entry[audienceMember] as keyof typeof ENTRY_AUDIENCES]?.length ?? AUDIENCES.length
  return value.toSorted((a: Any, b: Any) => count(b) - count(a))
}
