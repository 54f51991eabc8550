/** A submitted form: handlers read its fields by name and ignore all others. */
import { parseEmail } from '../../accounts/people/email.ts'
import { isLongerThan, isOneLine } from '../../kernel/characters.ts'
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

export function readForm(
  body: string | readonly (readonly [string, string])[] | URLSearchParams,
): PostedForm {
  const fields = new URLSearchParams(
    typeof body === 'string' ? body : Array.from(body, ([name, value]) => [name, value]),
  )
  const under = new Map<string, Set<string>>()
  for (const name of fields.keys()) note(under, name)
  return {
    raw: name => fields.get(name) ?? '',
    text: name => (fields.get(name) ?? '').trim(),
    all: name => fields.getAll(name),
    under: path => [...(under.get(path) ?? [])],
    entries: () => [...fields],
  }
}

function note(under: Map<string, Set<string>>, name: string): void {
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const path = name.slice(0, dot)
    under.set(path, (under.get(path) ?? new Set()).add(name.slice(dot + 1).split('.', 1)[0] ?? ''))
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

/** What is wrong with a one-line name of at most `max` characters. */
export function nameProblem(texts: Texts, name: string, max: number): string | undefined {
  if (name === '') return texts.errors.required
  if (isLongerThan(name, max)) return texts.errors.tooLong({ max })
  return isOneLine(name) ? undefined : texts.errors.characters
}

/** What is wrong with a typed e-mail address. */
export function emailProblem({ errors }: Texts, typed: string): string | undefined {
  if (typed === '') return errors.required
  return parseEmail(typed) === undefined ? errors.emailFormat : undefined
}

/** The search text, cut to at most `max` characters that PostgreSQL accepts. */
export const getSearchText = (query: URLSearchParams, name: string, max: number): string =>
  (query.get(name) ?? '').trim().slice(0, max).toWellFormed().replaceAll('\0', '')
