/** A form as it was sent: fields are read by name, once; what is not asked for is not looked at. */
import type { Texts } from './texts-en.ts'

export type Form = {
  /** The first value of a field as it was typed, '' when there is none. */
  raw: (name: string) => string
  /** The same without the white space around it. */
  text: (name: string) => string
}

export function readForm(body: string): Form {
  const fields = new URLSearchParams(body)
  return { raw: name => fields.get(name) ?? '', text: name => (fields.get(name) ?? '').trim() }
}

/** Field name → sentence, in the order of the form. */
export type Problems = Readonly<Record<string, string>>

/** Leaves out the fields that are right. */
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
  if (name.length > max) return texts.errors.tooLong(max)
  return /\p{Cc}/u.test(name) || !name.isWellFormed() ? texts.errors.characters : undefined
}
