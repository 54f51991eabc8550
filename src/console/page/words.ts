/** The languages of the console: the one of them that the browser likes best, else English. */
import { de } from './texts-de.ts'
import { en, type Texts } from './texts-en.ts'

const CATALOGUE = { en, de } as const satisfies Record<string, Texts>
export type ConsoleLanguage = keyof typeof CATALOGUE

export type Words = {
  language: ConsoleLanguage
  texts: Texts
  number: (value: number) => string
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

/** The words of one part of the console, which keeps them beside its pages. English is the measure of the others. */
export const wordsOf = <T>({ language }: Words, catalogue: Readonly<Record<ConsoleLanguage, T>>): T =>
  catalogue[language]

/** `en-IE` writes days before months and the clock to 24 hours. */
const LOCALE = { en: 'en-IE', de: 'de-DE' } as const satisfies Record<ConsoleLanguage, string>

const words = (language: ConsoleLanguage): Words => {
  const locale = LOCALE[language]
  const number = new Intl.NumberFormat(locale)
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
  const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const percent = new Intl.NumberFormat(locale, { style: 'percent' })
  const smallPercent = new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: 1 })
  const countries = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
  return {
    language,
    texts: CATALOGUE[language],
    number: value => number.format(value),
    date: text => date.format(new Date(text)),
    minute: text => `${date.format(new Date(text))}, ${time.format(new Date(text))} UTC`,
    dayOfYear: text => dayOfYear.format(new Date(text)),
    percent: share => (share < 0.01 ? smallPercent : percent).format(share),
    country: code => countries.of(code),
  }
}

const WORDS = { en: words('en'), de: words('de') } as const satisfies Record<ConsoleLanguage, Words>

/** Undefined for a language that the console does not speak. */
export const wordsIn = (language: string | undefined): Words | undefined =>
  language !== undefined && isOurs(language) ? WORDS[language] : undefined

/** Security bound: a real header has under 200 characters. */
const HEADER_LENGTH_MAX = 1_000

/** By `Accept-Language` (RFC 9110 §12.5.4): the highest quality among ours wins, the earlier one of equals. */
export function chooseWords(acceptLanguage: string | undefined): Words {
  let best: { language: ConsoleLanguage; quality: number } = { language: 'en', quality: 0 }
  for (const range of (acceptLanguage ?? '').slice(0, HEADER_LENGTH_MAX).split(',')) {
    const [, tag = '', q = '1'] =
      /^\s*([a-z]{2})(?:-[a-z\d-]*)?\s*(?:;\s*q=(\d(?:\.\d*)?)\s*)?$/i.exec(range) ?? []
    const language = tag.toLowerCase()
    if (isOurs(language) && Number(q) > best.quality) best = { language, quality: Number(q) }
  }
  return WORDS[best.language]
}

const isOurs = (language: string): language is ConsoleLanguage => language in CATALOGUE
