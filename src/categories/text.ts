/** Which characters a text may hold: what every database, page and file can carry unharmed, for years. */

/** Unicode's control characters (C0, DEL, C1) but tab and newline. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/

/** What is wrong with the characters of a text, continuing a sentence that begins with its name; or undefined. */
export function findTextFault(text: string): string | undefined {
  const control = CONTROL.exec(text)
  if (control !== null) {
    const code = text.charCodeAt(control.index).toString(16).toUpperCase().padStart(4, '0')
    return `has the control character U+${code} at position ${control.index + 1}; only tab and newline are allowed.`
  }
  if (!text.isWellFormed()) {
    return 'has half of a surrogate pair, which is no character; the text was probably cut in the middle of one.'
  }
  return undefined
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
