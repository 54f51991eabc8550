/** Formats a value for an input and parses it again, with the language's decimal mark. */
import type { Field } from '../../categories/field.ts'
import { canonicalizeLanguage } from '../../categories/language.ts'
import { toCanonicalName } from '../../categories/names/recognise-names.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import { isExactNumber } from '../../kernel/text/exact-number.ts'
import {
  findAmbiguousNumbers,
  normalizeDigits,
  normalizeSpelling,
} from '../../transfer/spreadsheets/files/cell.ts'
import type { Words } from '../page/route.ts'
import { findLanguageByName } from './labels.ts'

/** '' if one input cannot show the value. A fibre code becomes the fibre's name. */
export function formatInputValue(words: Words, field: Field, value: unknown): string {
  if (typeof value === 'number') return formatPlainNumber(words, value)
  if (field.dictionary === 'fibres' && typeof value === 'string')
    return findLabel(getLabels(words.language), 'fibres', value) ?? value
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : ''
}

/** No thousands separator, so that parsing returns the same number. */
export const formatPlainNumber = ({ decimalMark }: Words, value: number | string) =>
  decimalMark === 'comma' ? String(value).replace('.', ',') : String(value)

/** `problem`: the text is ambiguous or not exact; `value` is then the text itself. */
type ParsedValue = { value: unknown; problem?: string }

/** Browsers submit a line break as CR LF, and show a lone CR as a line break too. */
export const normalizeLineBreaks = (text: string) => text.replaceAll(/\r\n?/g, '\n')

export function parseTypedValue(words: Words, field: Field, text: string): ParsedValue {
  const typed = normalizeLineBreaks(text)
  if (field.type === 'text') return { value: typed }
  const bare = typed.trim()
  if (field.type === 'number') return parseTypedNumber(words, bare, field.unit)
  if (field.type === 'boolean') return { value: bare === 'true' ? true : bare === 'false' ? false : bare }
  if (field.format === 'language') return { value: parseLanguage(bare) }
  if (field.dictionary !== undefined) return { value: toCanonicalName(field.name, field, bare) }
  return { value: normalizeSpelling(bare, field.format) }
}

/** Parses "12,5", "12.5" and "12,5 kg". Other text stays text, which validation then rejects. */
export function parseTypedNumber(words: Words, typed: string, unit = ''): ParsedValue {
  const { texts, decimalMark: mark } = words
  // Turns "CO₂e" into "CO2e".
  const text = typed.normalize('NFKC')
  const readings = findAmbiguousNumbers(text, mark, unit)
  if (readings !== undefined) {
    const [thousands, decimals] = readings.map(one => formatPlainNumber(words, one))
    return {
      value: typed,
      problem: texts.form.twoReadings({ typed, one: thousands ?? '', other: decimals ?? '' }),
    }
  }
  const digits = normalizeDigits(text, mark, unit)
  if (digits === undefined) return { value: typed }
  const value = Number(digits)
  // A number that is too large has its own error message.
  if (Number.isFinite(value) && !isExactNumber(digits)) return { value: typed, problem: texts.form.inexact }
  return { value }
}

/** `Deutsch` → `de`; a tag stays as typed. */
const parseLanguage = (typed: string): string => findLanguageByName(typed) ?? typed

/** The language tag of a typed name or tag; undefined for any other text. */
export function findLanguage(typed: string): string | undefined {
  const tag = parseLanguage(typed.trim())
  return canonicalizeLanguage(tag) === undefined ? undefined : tag
}
