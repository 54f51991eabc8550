/** Query parameters: each read by its own rule, all problems told at once, nothing clamped and nothing ignored. */
import { isLongerThan } from '../../kernel/characters.ts'
import { type Detail, type DetailCode, invalid } from '../../kernel/errors.ts'
import { parseDateTime } from '../../kernel/text/parse-date-time.ts'
import type { RawQuery } from './endpoint.ts'

type Problem = { problem: DetailCode; message: string }
/** A rule turns the text of one parameter into its value, or says what is wrong with it. */
export type Rule<T> = (text: string, name: string) => T | Problem

export const MOST_TEXT = 500

export function integer(min: number, max: number): Rule<number> {
  return (text, name) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
    if (value === undefined) return { problem: 'type', message: `${name} must be a whole number.` }
    if (value < min) return { problem: 'min', message: `${name} must be at least ${min}.` }
    if (value > max) return { problem: 'max', message: `${name} must be at most ${max}.` }
    return value
  }
}

export function oneOf<const T extends string>(...allowed: readonly T[]): Rule<T> {
  return (text, name) =>
    allowed.find(one => one === text) ?? {
      problem: 'enum',
      message: `${name} must be one of ${allowed.join(', ')}.`,
    }
}

export const flag: Rule<boolean> = (text, name) => {
  if (text === 'true' || text === 'false') return text === 'true'
  return { problem: 'enum', message: `${name} must be true or false.` }
}

/** Any text that can be looked for: no NUL, no lone surrogate. */
export function searchable(most: number): Rule<string> {
  return (text, name) => {
    if (text.length === 0 || isLongerThan(text, most)) {
      return { problem: 'length', message: `${name} must have 1 to ${most} characters.` }
    }
    if (!text.isWellFormed() || text.includes('\0'))
      return { problem: 'format', message: `${name} is not valid text.` }
    return text
  }
}

/** A text of which a part is looked for: spaces around it were hardly meant. */
export const words: Rule<string> = (text, name) => searchable(MOST_TEXT)(text.trim(), name)

const DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2}))?$/

/** RFC 3339 date-time, or a date alone for its first moment in UTC. */
export const dateTime: Rule<Date> = (text, name) => {
  const moment = DATE_TIME.test(text) ? parseDateTime(text) : undefined
  if (moment !== undefined) return moment
  if (/ \d{2}:\d{2}$/.test(text)) {
    return {
      problem: 'format',
      message: `${name} has a space before its offset; write + as %2B in an address.`,
    }
  }
  return {
    problem: 'format',
    message: `${name} must be a date-time such as 2026-11-21T10:00:00Z, from the year 1 to 9999.`,
  }
}

type Values<S> = { [K in keyof S]?: S[K] extends Rule<infer T> ? T : never }

/** The values of the parameters that were sent. Throws `validation` naming every wrong, repeated or unknown one. */
export function readQuery<S extends Record<string, Rule<unknown>>>(query: RawQuery, rules: S): Values<S> {
  const details: Detail[] = []
  const values: Record<string, unknown> = {}
  for (const [name, sent] of Object.entries(query)) {
    if (name === 'api_key') continue
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) details.push(unknownParameter(name, Object.keys(rules)))
    else if (typeof sent !== 'string')
      details.push(detail(name, 'duplicate', `${name} is given more than once; send it once.`))
    else {
      const value = rule(sent, name)
      if (isProblem(value)) details.push(detail(name, value.problem, value.message))
      else values[name] = value
    }
  }
  if (details.length > 0) throw invalid(details)
  return values as Values<S>
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'problem' in value

function unknownParameter(sent: string, known: readonly string[]): Detail {
  const name = sent.toWellFormed().slice(0, 100)
  const message = known.length === 0 ? 'this call takes none.' : `this call takes ${known.join(', ')}.`
  return detail(name, 'unknown_field', `${name} is not a parameter of this call; ${message}`)
}

export const detail = (name: string, code: DetailCode, message: string): Detail => ({
  field: name,
  pointer: `/query/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  code,
  message,
})
