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

/** White space, and characters that are drawn as nothing (U+200B, U+3164, U+2800). */
const SOMETHING_VISIBLE = /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

export const isInvisible = (text: string) => !SOMETHING_VISIBLE.test(text)
export const hasInvisible = (text: string) => INVISIBLE.test(text)

/** Tags and entities as editors of shops write them. Other uses of `<` and `&` are text. */
const MARKUP =
  /<\/?(?:p|br|b|i|u|em|strong|small|su[bp]|ul|ol|li|dl|dt|dd|div|span|h[1-6]|a|img|table|tbody|thead|tr|t[dh]|font|hr|blockquote)(?:\s[^<>]{0,500})?\/?>|&(?:amp|lt|gt|quot|apos|nbsp|shy|ndash|mdash|hellip|bull|middot|euro|deg|copy|reg|trade|times|frac\d\d|sup\d|[lr][ad]quo|[a-z]{1,2}(?:acute|grave|uml|circ|tilde|cedil|ring|slash|lig|caron)|#\d{1,7}|#x[\da-f]{1,6});/i

/** The first tag or entity of HTML in a text. */
export const findMarkup = (text: string): string | undefined =>
  text.includes('<') || text.includes('&') ? MARKUP.exec(text)?.[0] : undefined

/** Counts code points, as JSON Schema does. */
export function countCharacters(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    if (isLowHalf(text.charCodeAt(at)) && isHighHalf(text.charCodeAt(at - 1))) count--
  }
  return count
}

/** Half of a surrogate pair. */
const isHighHalf = (unit: number) => (unit & 0xfc00) === 0xd800
const isLowHalf = (unit: number) => (unit & 0xfc00) === 0xdc00
