/** Checks texts for characters that databases, pages or files cannot hold. */
import { type Problem, problem } from '../problems.ts'

/** Control characters (C0, DEL, C1) except tab and newline. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/

export function findTextProblem(text: string, of: '' | 'key_' = ''): Problem | undefined {
  const control = CONTROL.exec(text)
  if (control !== null) {
    const code = text.charCodeAt(control.index).toString(16).toUpperCase().padStart(4, '0')
    return problem(`${of}control`, { character: `U+${code}`, position: control.index + 1 })
  }
  return text.isWellFormed() ? undefined : problem(`${of}half`)
}

const VISIBLE = /\S/u

/** Empty, or nothing but white space. */
export const isBlank = (text: string) => !VISIBLE.test(text)

/** Counts code points, as JSON Schema does. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
