/** Which characters a text may hold: what every database, page and file can carry unharmed, for years. */

import { type Problem, problem } from '../problems.ts'

/** Unicode's control characters (C0, DEL, C1) but tab and newline. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/

/** What is wrong with the characters of a text, or of a key; undefined when nothing is. */
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

/** Length in characters (Unicode code points), as JSON Schema counts. */
export function countCharacters(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--
      i++
    }
  }
  return count
}
