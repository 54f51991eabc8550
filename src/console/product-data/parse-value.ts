/** One value and its text in a form, both ways: as the console's language writes it, and read as it was meant or not at all. */
import type { Field } from '../../categories/field.ts'
import { canonicalizeLanguage } from '../../categories/language.ts'
import { toCanonicalName } from '../../categories/names/recognise-names.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import { isExactNumber } from '../../kernel/text/strict-json.ts'
import {
  type DecimalMark,
  findAmbiguousNumbers,
  normalizeDigits,
  normalizeSpelling,
} from '../../transfer/spreadsheets/cell.ts'
import { FORM_TEXTS } from '../page/form-texts.ts'
import { type ConsoleLanguage, type Words, wordsOf } from '../page/words.ts'
import { languageNamed } from './language-names.ts'

const MARKS = { en: 'point', de: 'comma' } as const satisfies Record<ConsoleLanguage, DecimalMark>

/** '' for a value that one input cannot show. A fibre that is stored by its code has its name in the console's language. */
export function textOf(words: Words, field: Field, value: unknown): string {
  if (typeof value === 'number') return plainNumber(words, value)
  if (field.known === 'fibres' && typeof value === 'string')
    return findLabel(getLabels(words.language), 'fibres', value) ?? value
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : ''
}

/** Without separators of thousands, so that it is read back as the same. */
const plainNumber = ({ language }: Words, value: number) =>
  MARKS[language] === 'comma' ? String(value).replace('.', ',') : String(value)

/** `problem`: the text could be read, and yet it is not certain what was meant. It is the value then. */
export type Typed = { value: unknown; problem?: string }

/** A browser sends each line break as two characters, and shows a lone CR as a line break too. */
export const unbroken = (text: string) => text.replaceAll(/\r\n?/g, '\n')

export function readTyped(words: Words, field: Field, text: string): Typed {
  const typed = unbroken(text)
  if (field.type === 'text') return { value: typed }
  const bare = typed.trim()
  if (field.type === 'number') return readNumber(words, bare, field.unit)
  if (field.type === 'boolean') return { value: bare === 'true' ? true : bare === 'false' ? false : bare }
  if (field.format === 'language') return { value: readLanguage(bare) }
  if (field.known !== undefined) return { value: toCanonicalName(field.name, field, bare) }
  return { value: normalizeSpelling(bare, field.format) }
}

/** "12,5", "12.5" and "12,5 kg" are numbers; anything else stays a text, which the validator refuses by name. */
export function readNumber(words: Words, typed: string, unit = ''): Typed {
  const texts = wordsOf(words, FORM_TEXTS)
  const mark = MARKS[words.language]
  // "CO₂e" as "CO2e".
  const text = typed.normalize('NFKC')
  const readings = findAmbiguousNumbers(text, mark, unit)
  if (readings !== undefined) {
    const [thousands, decimals] = readings.map(one => plainNumber(words, one))
    return { value: typed, problem: texts.twoReadings(typed, thousands ?? '', decimals ?? '') }
  }
  const digits = normalizeDigits(text, mark, unit)
  if (digits === undefined) return { value: typed }
  const value = Number(digits)
  // What is too large for a number has its own sentence.
  if (Number.isFinite(value) && !isExactNumber(digits)) return { value: typed, problem: texts.inexact }
  return { value }
}

/** "Deutsch" is `de`; a tag stays as it was typed. */
const readLanguage = (typed: string): string => languageNamed(typed) ?? typed

/** The language that a text of the list of languages stands for; undefined when it is none. */
export function findLanguage(typed: string): string | undefined {
  const tag = readLanguage(typed.trim())
  return canonicalizeLanguage(tag) === undefined ? undefined : tag
}
