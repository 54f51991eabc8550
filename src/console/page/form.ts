/** A submitted form: handlers read its fields by name and ignore all others. */
import { parseEmail } from '../../accounts/people/email.ts'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import type { Texts } from './texts.ts'

export type PostedForm = {
  /** The first value of a field as typed, or ''. */
  raw: (name: string) => string
  /** The first value without surrounding white space. */
  text: (name: string) => string
  /** All values of a field that may be sent several times. */
  all: (name: string) => string[]
  /** The next parts of the names below `path`: for `a.b` and `a.c.d`, those below `a` are `b` and `c`. */
  under: (path: string) => string[]
  /** All fields with their values, as they were sent. */
  entries: () => readonly (readonly [name: string, value: string])[]
}

/** Fields of a whole form: as many as a passport has values. */
export const MAX_FORM_FIELDS = 20_000
/** Names of inputs have fewer parts. Each part of a longer one would cost as much as the whole name. */
const MAX_NAME_PARTS = 16

/** True if a form is parsed at all. A megabyte can hold half a million fields, and each costs some work. */
export function hasTooManyFields(body: string): boolean {
  let count = 1
  for (let at = body.indexOf('&'); at >= 0; at = body.indexOf('&', at + 1)) {
    if (++count > MAX_FORM_FIELDS) return true
  }
  return false
}

/** Parsed when it is first used, because most forms that are refused are never looked at. */
export function readForm(
  body: string | readonly (readonly [string, string])[] | URLSearchParams,
): PostedForm {
  let parsed: ParsedForm | undefined
  const parse = () => {
    parsed ??= parseForm(body)
    return parsed
  }
  const raw = (name: string) => parse().values.get(name)?.[0] ?? ''
  return {
    raw,
    text: name => raw(name).trim(),
    all: name => [...(parse().values.get(name) ?? [])],
    under: path => [...(parse().under.get(path) ?? [])],
    entries: () => parse().entries,
  }
}

type ParsedForm = {
  entries: readonly (readonly [string, string])[]
  values: ReadonlyMap<string, readonly string[]>
  under: ReadonlyMap<string, ReadonlySet<string>>
}

function parseForm(body: Parameters<typeof readForm>[0]): ParsedForm {
  const entries = typeof body === 'string' ? [...new URLSearchParams(body)] : [...body]
  const values = new Map<string, string[]>()
  const under = new Map<string, Set<string>>()
  for (const [name, value] of entries) {
    const before = values.get(name)
    if (before !== undefined) before.push(value)
    else {
      values.set(name, [value])
      note(under, name)
    }
  }
  return { entries, values, under }
}

function note(under: Map<string, Set<string>>, name: string): void {
  let dot = name.indexOf('.')
  for (let part = 1; dot > 0 && part < MAX_NAME_PARTS; part++) {
    const next = name.indexOf('.', dot + 1)
    const path = name.slice(0, dot)
    const known = under.get(path)
    const below = next < 0 ? name.slice(dot + 1) : name.slice(dot + 1, next)
    if (known === undefined) under.set(path, new Set([below]))
    else known.add(below)
    dot = next
  }
}

/** Field name → sentence, in the order of the form. */
export type Problems = Readonly<Record<string, string>>

/** Keeps only the fields with an error. */
export function problemsOf(checked: Readonly<Record<string, string | undefined>>): Problems {
  const problems: Record<string, string> = {}
  for (const [name, sentence] of Object.entries(checked))
    if (sentence !== undefined) problems[name] = sentence
  return problems
}

export const isFine = (problems: Problems) => Object.keys(problems).length === 0

/** Returns the problem of a one-line name of at most `max` characters. */
export function nameProblem(texts: Texts, name: string, max: number): string | undefined {
  if (name === '') return texts.errors.required
  if (isLongerThan(name, max)) return texts.errors.tooLong({ max })
  return isOneLine(name) ? undefined : texts.errors.characters
}

/** Returns the problem of a typed e-mail address. */
export function emailProblem({ errors }: Texts, typed: string): string | undefined {
  if (typed === '') return errors.required
  return parseEmail(typed) === undefined ? errors.emailFormat : undefined
}

/** The search text, cut to at most `max` characters that PostgreSQL accepts. */
export const getSearchText = (query: URLSearchParams, name: string, max: number): string =>
  (query.get(name) ?? '').trim().slice(0, max).toWellFormed().replaceAll('\0', '')
