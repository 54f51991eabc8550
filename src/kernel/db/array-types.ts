/**
 * PostgreSQL's array types. If the driver fetched them itself and lost the connection, the rejection could
 * not be caught.
 */

type TypeHandler = {
  to: number
  from: number[]
  serialize: (value: unknown) => unknown
  parse: (text: string) => unknown
}
type Element = { array: number; parse?: (text: string) => unknown; serialize?: (value: unknown) => string }

const toDate = (text: string) => new Date(text)
const json = { parse: JSON.parse, serialize: JSON.stringify }

/**
 * The object ids are fixed in PostgreSQL's catalogue (pg_type.dat). Arrays of booleans, dates and bytes can
 * only be read. They cannot be parameters, because the driver would send them as the type of their first
 * element.
 */
const ELEMENTS: Readonly<Record<string, Element>> = {
  bool: { array: 1000, parse: text => text === 't' },
  bytea: { array: 1001, parse: text => Buffer.from(text.slice(2), 'hex') },
  char: { array: 1002 },
  name: { array: 1003 },
  int2: { array: 1005, parse: Number },
  int4: { array: 1007, parse: Number },
  text: { array: 1009 },
  bpchar: { array: 1014 },
  varchar: { array: 1015 },
  // Our values stay far below 2^53.
  int8: { array: 1016, parse: Number },
  float4: { array: 1021, parse: Number },
  float8: { array: 1022, parse: Number },
  oid: { array: 1028, parse: Number },
  timestamp: { array: 1115, parse: toDate },
  date: { array: 1182, parse: toDate },
  timestamptz: { array: 1185, parse: toDate },
  numeric: { array: 1231 },
  json: { array: 199, ...json },
  uuid: { array: 2951 },
  jsonb: { array: 3807, ...json },
}

/** The driver's option `types`; the names of the members do not matter. */
export const ARRAY_TYPES: Readonly<Record<string, TypeHandler>> = Object.fromEntries(
  Object.entries(ELEMENTS).map(([name, { array, parse = (text: string) => text, serialize = String }]) => [
    `${name}_array`,
    {
      to: array,
      from: [array],
      serialize: value => (Array.isArray(value) ? formatArray(value, serialize) : value),
      parse: text => parseArray(text, parse),
    },
  ]),
)

/** Formats a PostgreSQL array without quoting; `'null'` becomes null. Not for arbitrary text. */
export const formatUnquotedArray = (values: readonly (string | number | boolean)[]): string =>
  `{${values.join()}}`

const formatArray = (values: readonly unknown[], serialize: (value: unknown) => string): string =>
  `{${Array.from(values, value => formatElement(value, serialize)).join()}}`

function formatElement(value: unknown, serialize: (value: unknown) => string): string {
  if (value === null) return 'null'
  if (value === undefined) throw new TypeError('An array parameter contains undefined.')
  if (Array.isArray(value)) return formatArray(value, serialize)
  const text = serialize(value)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** An element in quotes with escapes, or one without quotes. No statement returns nested arrays. */
const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^{},"]+)/gs

function parseArray(literal: string, parse: (text: string) => unknown): unknown[] {
  if (literal === '{}') return []
  // Most arrays have no quoted element and no null, so they can be split, in a third of the time.
  if (!literal.includes('"') && !literal.includes('NULL')) {
    return literal
      .slice(1, -1)
      .split(',')
      .map(text => parse(text))
  }
  return Array.from(literal.matchAll(ELEMENT), ([, quoted, bare]) => {
    if (quoted !== undefined) return parse(quoted.replace(/\\(.)/gs, '$1'))
    return bare === undefined || bare === 'NULL' ? null : parse(bare)
  })
}
