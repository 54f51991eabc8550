/** The languages of the console, one for each file of texts: the one that the browser likes best, else English. */
import { isLanguage, type Language } from '../../i18n/catalogue.ts'
import { listConsoleLanguages, readTexts, type Texts } from './texts.ts'

export type Words = {
  language: Language
  texts: Texts
  number: (value: number) => string
  decimalMark: 'point' | 'comma'
  /** Day, in UTC. */
  date: (time: string) => string
  /** Day and minute, in UTC. */
  minute: (time: string) => string
  /** Day and month, in UTC. */
  dayOfYear: (time: string) => string
  /** Of 1: whole per cent, below one with a digit. */
  percent: (share: number) => string
  /** The name of an ISO 3166-1 code; undefined for one that stands for no country. */
  country: (code: string) => string | undefined
}

function createWords(language: Language): Words {
  const texts = readTexts(language)
  const { locale } = texts
  const number = new Intl.NumberFormat(locale)
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
  const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const percent = new Intl.NumberFormat(locale, { style: 'percent' })
  const smallPercent = new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: 1 })
  const countries = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
  return {
    language,
    texts,
    number: value => number.format(value),
    decimalMark: number.formatToParts(0.5).some(part => part.value === ',') ? 'comma' : 'point',
    date: text => date.format(new Date(text)),
    minute: text => `${date.format(new Date(text))}, ${time.format(new Date(text))} UTC`,
    dayOfYear: text => dayOfYear.format(new Date(text)),
    percent: share => (share < 0.01 ? smallPercent : percent).format(share),
    country: code => countries.of(code),
  }
}

/** The official languages of the EU that have a file of texts. */
export const CONSOLE_LANGUAGES: readonly Language[] = listConsoleLanguages().filter(isLanguage)

const WORDS = new Map(CONSOLE_LANGUAGES.map(language => [language, createWords(language)]))
const ENGLISH = createWords('en')

/** Undefined for a language that the console does not have. */
export const findWords = (language: string | undefined): Words | undefined =>
  language !== undefined && isLanguage(language) ? WORDS.get(language) : undefined

/** Security bound: a real header has under 200 characters. */
const MAX_HEADER_LENGTH = 1_000

/** By `Accept-Language` (RFC 9110 §12.5.4): the highest quality among ours wins, the earlier one of equals. */
export function chooseWords(acceptLanguage: string | undefined): Words {
  let best = { words: ENGLISH, quality: 0 }
  for (const range of (acceptLanguage ?? '').slice(0, MAX_HEADER_LENGTH).split(',')) {
    const [, tag = '', q = '1'] =
      /^\s*([a-z]{2})(?:-[a-z\d-]*)?\s*(?:;\s*q=(\d(?:\.\d*)?)\s*)?$/i.exec(range) ?? []
    const words = findWords(tag.toLowerCase())
    if (words !== undefined && Number(q) > best.quality) best = { words, quality: Number(q) }
  }
  return best.words
}
