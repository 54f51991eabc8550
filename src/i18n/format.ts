/** Numbers, dates, countries, languages and units as each language writes them; what was given is never rounded. */

import type { Language } from './catalogue.ts'

/** Ireland's and Portugal's habits; the other languages are used bare. */
const LOCALES: Readonly<Partial<Record<Language, string>>> = { en: 'en-IE', pt: 'pt-PT' }

/** From here on, and below its counterpart, JSON itself writes an exponent. */
const PLAIN_MAX = 1e21
const PLAIN_MIN = 1e-20

const numbers = perLanguage(locale => new Intl.NumberFormat(locale, { maximumFractionDigits: 100 }))
const exponents = perLanguage(
  locale => new Intl.NumberFormat(locale, { notation: 'scientific', maximumFractionDigits: 20 }),
)
const percents = perLanguage(percentAffixes)
const months = perLanguage(
  locale => new Intl.NumberFormat(locale, { style: 'unit', unit: 'month', unitDisplay: 'long' }),
)
const maltesePlural = new Intl.PluralRules('mt')
const dates = perLanguage(locale => ({
  year: new Intl.DateTimeFormat(locale, { year: 'numeric', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' }),
  day: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }),
  minute: new Intl.DateTimeFormat(locale, {
    ...{ year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  }),
}))
const regions = perLanguage(locale => new Intl.DisplayNames([locale], { type: 'region', fallback: 'code' }))
/** Names by their code, 676 of them at most: each costs as much as ten lines of a page. */
const countries = perLanguage(() => new Map<string, string>())
const tongues = perLanguage(locale => new Intl.DisplayNames([locale], { type: 'language', fallback: 'code' }))

/** Makes an Intl object (tens of microseconds each) on first use, one per language. */
function perLanguage<T>(make: (locale: string) => T): (language: Language) => T {
  const made = new Map<Language, T>()
  return language => {
    const known = made.get(language)
    if (known !== undefined) return known
    const fresh = make(LOCALES[language] ?? language)
    made.set(language, fresh)
    return fresh
  }
}

/** All digits of `n` with the language's decimal sign and grouping. Given as decimal text, so that no digit is added. */
export function formatNumber(language: Language, n: number): string {
  const size = Math.abs(n)
  const plain = size === 0 || (size < PLAIN_MAX && size >= PLAIN_MIN)
  const digits: `${number}` = `${n}`
  return (plain ? numbers : exponents)(language).format(digits)
}

/** `n` is in percent already: 12.5 gives `12,5 %` in German, `12.5%` in English. */
export function formatPercent(language: Language, n: number): string {
  const [before, after] = percents(language)
  return before + formatNumber(language, n) + after
}

function percentAffixes(locale: string): [string, string] {
  const parts = new Intl.NumberFormat(locale, { style: 'percent' }).formatToParts(1)
  const at = parts.findIndex(({ type }) => type === 'integer')
  const text = (some: typeof parts) => some.map(({ value }) => value).join('')
  return [text(parts.slice(0, at)), text(parts.slice(at + 1))]
}

/** A number of months in words, with the language's plural: `24 Monate`. */
export function formatMonths(language: Language, n: number): string {
  // CLDR has only `m` for Maltese, which reads as metres.
  if (language === 'mt') return `${formatNumber(language, n)} ${malteseMonths(n)}`
  const words = months(language)
    .formatToParts(n)
    .filter(({ type }) => type === 'literal' || type === 'unit')
  return formatNumber(language, n) + words.map(({ value }) => value).join('')
}

function malteseMonths(n: number): string {
  const plural = maltesePlural.select(n)
  if (plural === 'two') return 'xahrejn'
  return plural === 'few' ? 'xhur' : 'xahar'
}

const PARTIAL_DATE = /^([1-9]\d{3})(-\d{2})?(-\d{2})?$/
const DATE_TIME = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/**
 * `YYYY`, `YYYY-MM`, `YYYY-MM-DD`, or an ISO date-time with its offset, of which the UTC date is shown. Anything
 * else, a day that the calendar lacks included, comes back as it was.
 */
export function formatDate(language: Language, date: string): string {
  const [, year, month, day] = PARTIAL_DATE.exec(date) ?? []
  if (year === undefined && !DATE_TIME.test(date)) return date
  const time = new Date(date)
  if (Number.isNaN(time.getTime())) return date
  // The engine turns 30 February into 1 March.
  if (year !== undefined && !time.toISOString().startsWith(date)) return date
  const formats = dates(language)
  if (year === undefined || day !== undefined) return formats.day.format(time)
  return (month === undefined ? formats.year : formats.month).format(time)
}

/** A moment to the minute, in UTC and saying so: Greek and Lithuanian put its name in other ways than the rest. */
export const formatMinute = (language: Language, time: Date) =>
  `${dates(language).minute.format(time)}\u00a0UTC`

/** A country's name in the language, the code itself when it has none or is no code. */
export function formatCountry(language: Language, code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code
  const known = countries(language)
  const name = known.get(code) ?? regions(language).of(code) ?? code
  known.set(code, name)
  return name
}

/**
 * A language's name in another (`de`, `en-GB` → `Britisches Englisch`); the tag itself when it has none, names no language
 * (`und`) or is malformed.
 */
export function formatLanguage(language: Language, tag: string): string {
  if (tag.length > 100 || /^und(?:-|$)/i.test(tag)) return tag
  try {
    return tongues(language).of(tag) ?? tag
  } catch (error) {
    if (error instanceof RangeError) return tag
    throw error
  }
}

/** Written the same in every language (SI), because Intl lacks most of them and translates some. */
const UNITS = new Map([
  ['kg CO2e', 'kg CO₂e'],
  ['kg CO2e/kWh', 'kg CO₂e/kWh'],
  ['kg CO2e per kWh', 'kg CO₂e/kWh'],
  ['l', 'l'],
  ['L', 'l'],
  ['litre', 'l'],
  ['litres', 'l'],
  ['percent', '%'],
  ['months', ''],
  ['cycles', ''],
])

/**
 * The symbol to print for a field's unit; one that is a symbol already (`kg`, `Ah`, `Wh`, `V`, `cm`, `%`) comes back
 * as it is. Empty for what has no symbol: months are `formatMonths`, cycles are named by the field's label.
 */
export function formatUnit(unit: string): string {
  return UNITS.get(unit) ?? unit
}

/** A number with its unit, held together on one line. */
export function formatAmount(language: Language, unit: string | undefined, value: number): string {
  // The label of a count says what is counted.
  if (unit === undefined || unit === 'cycles') return formatNumber(language, value)
  if (unit === '%') return formatPercent(language, value)
  if (unit === 'months') return formatMonths(language, value)
  return `${formatNumber(language, value)}\u00a0${formatUnit(unit).replaceAll(' ', '\u00a0')}`
}
