/** The console's languages, with one file of texts each: the browser's preference, else English. */

import { isLanguage, type Language } from '../../i18n/catalogue.ts'
import { chooseLanguage } from '../../i18n/choose-language.ts'
import { rankTags } from '../../i18n/negotiate.ts'
import type { Words } from './route.ts'
import { listConsoleLanguages, readTexts } from './texts.ts'

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

/** Undefined for a language without console texts. */
export const findWords = (language: string | undefined): Words | undefined =>
  language !== undefined && isLanguage(language) ? WORDS.get(language) : undefined

/** Chooses the console language that `Accept-Language` prefers, else English. */
export const chooseWords = (acceptLanguage: string | undefined): Words =>
  findWords(chooseLanguage(WORDS, rankTags(acceptLanguage))) ?? ENGLISH
