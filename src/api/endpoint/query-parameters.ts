/** Query parameters: one definition describes, parses and checks each. Values are never clamped. */

import { type Detail, type DetailCode, invalid } from '../../kernel/errors/errors.ts'
import { parseDateTime } from '../../kernel/text/parse-date-time.ts'
import { isLongerThan } from '../../kernel/values/characters.ts'

/** A parsed query. A name that was sent more than once has a list. */
export type RawQuery = Readonly<Record<string, string | string[]>>

type Problem = { code: DetailCode; message: string }
/** Parses the text of a parameter, or explains why it is invalid. */
type ReadParameter<T> = (text: string, name: string) => T | Problem

export type QueryParameter<T> = {
  description: string
  schema: object
  example?: unknown
  fallback?: T
  /** It may be given several times; `read` gets the values separated by line feeds. */
  isRepeatable?: true
  read: ReadParameter<T>
}
export type QueryParameters = Readonly<Record<string, QueryParameter<unknown>>>

type ValueOf<P> = P extends QueryParameter<infer T> ? T : never
type WithFallback<Q> = { [K in keyof Q]: Q[K] extends { fallback: unknown } ? K : never }[keyof Q]
export type QueryValues<Q> = { [K in WithFallback<Q>]: ValueOf<Q[K]> } & {
  [K in Exclude<keyof Q, WithFallback<Q>>]?: ValueOf<Q[K]>
}

export const withDefault = <T extends string | number | boolean, V extends T>(
  parameter: QueryParameter<T>,
  fallback: V,
) => {
  const value: T = fallback
  return { ...parameter, schema: { ...parameter.schema, default: fallback }, fallback: value }
}

const MAX_INTEGER = 1_000_000_000
export const MAX_TEXT_LENGTH = 500

/** Without `max` the description has no maximum. */
export const integerParameter = (
  description: string,
  { min, max }: { min: number; max?: number },
): QueryParameter<number> => ({
  description,
  schema: { type: 'integer', minimum: min, maximum: max },
  read: readInteger(min, max ?? MAX_INTEGER),
})

export function readInteger(min: number, max: number): ReadParameter<number> {
  return (text, name) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
    if (value === undefined) return { code: 'type', message: `${name} must be a whole number.` }
    if (value < min) return { code: 'min', message: `${name} must be at least ${min}.` }
    if (value > max) return { code: 'max', message: `${name} must be at most ${max}.` }
    return value
  }
}

export const choiceParameter = <const T extends string | number>(
  description: string,
  allowed: readonly T[],
): QueryParameter<T> => ({
  description,
  schema: { type: typeof allowed[0] === 'number' ? 'integer' : 'string', enum: allowed },
  read: (text, name) =>
    allowed.find(choice => String(choice) === text) ?? {
      code: 'enum',
      message: `${name} must be one of ${allowed.join(', ')}.`,
    },
})

export const booleanParameter = (description: string): QueryParameter<boolean> => ({
  description,
  schema: { type: 'boolean' },
  read: (text, name) => {
    if (text === 'true' || text === 'false') return text === 'true'
    return { code: 'enum', message: `${name} must be true or false.` }
  },
})

/** Names, each in a parameter of its own: `metric=a&metric=b`. */
export const namesParameter = (description: string): QueryParameter<readonly string[]> => ({
  description,
  schema: { type: 'array', maxItems: MAX_NAMES, items: { type: 'string', minLength: 1, maxLength: 50 } },
  isRepeatable: true,
  read: (text, name) => {
    const names = [...new Set(text.split('\n'))]
    if (names.length <= MAX_NAMES && names.every(one => /^\w{1,50}$/.test(one))) return names
    return { code: 'format', message: `${name} must be a name, and may be given ${MAX_NAMES} times.` }
  },
})

const MAX_NAMES = 64

/** Any text that can be searched for: without NUL and lone surrogates. */
export const textParameter = (
  description: string,
  maxLength: number,
  { trims = false } = {},
): QueryParameter<string> => ({
  description,
  schema: { type: 'string', minLength: 1, maxLength },
  read: (sent, name) => {
    const text = trims ? sent.trim() : sent
    if (text.length === 0 || isLongerThan(text, maxLength)) {
      return { code: 'length', message: `${name} must have 1 to ${maxLength} characters.` }
    }
    if (!text.isWellFormed() || text.includes('\0')) {
      return { code: 'format', message: `${name} is not valid text.` }
    }
    return text
  },
})

const DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2}))?$/

/** An RFC 3339 date-time, or a date, which means its first moment in UTC. */
export const dateTimeParameter = (description: string, example: string): QueryParameter<Date> => ({
  description,
  schema: { type: 'string', format: 'date-time' },
  example,
  read: (text, name) => {
    const time = DATE_TIME.test(text) ? parseDateTime(text) : undefined
    if (time !== undefined) return time
    const message = / \d{2}:\d{2}$/.test(text)
      ? `${name} has a space before its offset. Write + as %2B in an address.`
      : `${name} must be a date-time such as 2026-11-21T10:00:00Z, from the year 1 to 9999.`
    return { code: 'format', message }
  },
})

export const DRY_RUN = withDefault(booleanParameter('Check everything, but write nothing.'), false)

export const PAGE = withDefault(
  integerParameter('Page number; cannot be combined with `cursor`.', { min: 1 }),
  1,
)
export const LIMIT = withDefault(integerParameter('Rows per page.', { min: 1, max: 100 }), 25)
export const CURSOR_TEXT = {
  description: '`next_cursor` of an earlier response; cannot be combined with `page`.',
  schema: { type: 'string' },
}

/** Throws `validation` for invalid, repeated or unknown parameters, or `page` with `cursor`. */
export function readQuery<Q extends QueryParameters>(sent: RawQuery, parameters: Q): QueryValues<Q> {
  const details: Detail[] = []
  const values: Record<string, unknown> = {}
  for (const name in parameters) {
    const fallback = parameters[name]?.fallback
    if (fallback !== undefined) values[name] = fallback
  }
  for (const [name, text] of Object.entries(sent)) {
    // Read in door.ts, where the key is checked.
    if (name === 'api_key') continue
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (parameter === undefined) details.push(unknownParameter(name, Object.keys(parameters)))
    else {
      const value = readParameter(name, text, parameter)
      if (isProblem(value)) details.push(queryDetail(name, value.code, value.message))
      else values[name] = value
    }
  }
  if (details.length > 0) throw invalid(details)
  if (sent.page !== undefined && sent.cursor !== undefined) {
    const message = 'cursor and page cannot be combined; send one of them.'
    throw invalidQuery('cursor', 'unknown_field', message)
  }
  return values as QueryValues<Q>
}

function readParameter(name: string, sent: string | string[], parameter: QueryParameter<unknown>): unknown {
  if (typeof sent === 'string') return parameter.read(sent, name)
  if (parameter.isRepeatable) return parameter.read(sent.join('\n'), name)
  return { code: 'duplicate', message: `${name} is given more than once; send it once.` }
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value

function unknownParameter(sent: string, known: readonly string[]): Detail {
  const name = sent.toWellFormed().slice(0, 100)
  const message = known.length === 0 ? 'this call takes none.' : `this call takes ${known.join(', ')}.`
  return queryDetail(name, 'unknown_field', `${name} is not a parameter of this call; ${message}`)
}

const queryDetail = (name: string, code: DetailCode, message: string): Detail => ({
  path: [name],
  in: 'query',
  code,
  message,
})

export const invalidQuery = (name: string, code: DetailCode, message: string) =>
  invalid([queryDetail(name, code, message)])
