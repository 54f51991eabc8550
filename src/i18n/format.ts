/** Formats numbers, dates, countries, languages and units in each language. Numbers are never rounded. */
import type { Language } from './catalogue.ts'

/** Formats of Ireland and Portugal; the other languages need no region. */
const LOCALES: Readonly<Partial<Record<Language, string>>> = { en: 'en-IE', pt: 'pt-PT' }

/** Numbers outside this range are written with an exponent, as in JSON. */
const PLAIN_MAX = 1e21
const PLAIN_MIN = 1e-20

const numbers = perLanguage(locale => new Intl.NumberFormat(locale, { maximumFractionDigits: 100 }))
const exponents = perLanguage(
  locale => new Intl.NumberFormat(locale, { notation: 'scientific', maximumFractionDigits: 20 }),
)
/** The text before and after a number in percent. */
const percents = perLanguage(locale => {
  const parts = new Intl.NumberFormat(locale, { style: 'percent' }).formatToParts(1)
  const at = parts.findIndex(({ type }) => type === 'integer')
  return [parts.slice(0, at), parts.slice(at + 1)].map(some => some.map(({ value }) => value).join(''))
})
const months = perLanguage(
  locale => new Intl.NumberFormat(locale, { style: 'unit', unit: 'month', unitDisplay: 'long' }),
)
const maltesePlural = new Intl.PluralRules('mt')
const MALTESE_MONTHS = new Map([
  ['two', 'xahrejn'],
  ['few', 'xhur'],
])
const dates = perLanguage(locale => ({
  year: new Intl.DateTimeFormat(locale, { year: 'numeric', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' }),
  day: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }),
  minute: new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    timeZone: 'UTC',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }),
}))
const regions = perLanguage(locale => new Intl.DisplayNames([locale], { type: 'region', fallback: 'code' }))
/** Names by code, cached: a look-up costs as much as ten lines of a page. At most 676. */
const countries = perLanguage(() => new Map<string, string>())
const languageNames = perLanguage(locale => ({
  names: new Intl.DisplayNames([locale], { type: 'language', fallback: 'code' }),
  /** By tag. A page links to all languages of its texts. */
  known: new Map<string, string>(),
}))
/** Accounts choose the tags of their texts. */
const MAX_KNOWN_TAGS = 500
const collators = perLanguage(locale => new Intl.Collator(locale))

/** Creates one object per language on first use: an Intl object takes tens of microseconds. */
function perLanguage<T>(make: (locale: string) => T): (language: Language) => T {
  const made = new Map<Language, T>()
  return language => {
    const known = made.get(language) ?? make(LOCALES[language] ?? language)
    made.set(language, known)
    return known
  }
}

/** Keeps all digits of `n`. It is formatted from its decimal text, so that no digit is added. */
export function formatNumber(language: Language, n: number): string {
  const size = Math.abs(n)
  const plain = size === 0 || (size < PLAIN_MAX && size >= PLAIN_MIN)
  const digits: `${number}` = `${n}`
  return (plain ? numbers : exponents)(language).format(digits)
}

/** `n` is in percent: 12.5 gives `12,5 %` in German, `12.5%` in English. */
export function formatPercent(language: Language, n: number): string {
  return percents(language).join(formatNumber(language, n))
}

/** `24 Monate`, with the language's plural. */
export function formatMonths(language: Language, n: number): string {
  // For Maltese CLDR only has `m`, which reads as metres.
  if (language === 'mt') {
    return `${formatNumber(language, n)} ${MALTESE_MONTHS.get(maltesePlural.select(n)) ?? 'xahar'}`
  }
  const words = months(language)
    .formatToParts(n)
    .filter(({ type }) => type === 'literal' || type === 'unit')
  return formatNumber(language, n) + words.map(({ value }) => value).join('')
}

const PARTIAL_DATE = /^([1-9]\d{3})(-\d{2})?(-\d{2})?$/
const DATE_TIME = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/**
 * Formats `YYYY`, `YYYY-MM`, `YYYY-MM-DD`, or the UTC date of an ISO date-time with offset. Else returns the
 * text.
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

/** Appends UTC by hand, because Greek and Lithuanian place a time zone's name differently. */
export const formatMinute = (language: Language, time: Date) =>
  `${dates(language).minute.format(time)}\u00a0UTC`

const sizes = perLanguage(locale =>
  (['kilobyte', 'megabyte'] as const).map(
    unit => new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }),
  ),
)

/** The size of a file in the words of the language, rounded: `1,2 Mo` in French. */
export function formatFileSize(language: Language, bytes: number): string {
  const [kilobytes, megabytes] = sizes(language)
  const text =
    bytes < 1e6 ? kilobytes?.format(Math.max(1, Math.round(bytes / 1e3))) : megabytes?.format(bytes / 1e6)
  return (text ?? '').replace(/\s/g, '\u00a0')
}

/** Returns the code itself if it has no name. */
export function formatCountry(language: Language, code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code
  const known = countries(language)
  const name = known.get(code) ?? regions(language).of(code) ?? code
  known.set(code, name)
  return name
}

/**
 * A language's name in another one (`de`, `en-GB` → `Britisches Englisch`); the tag itself if it has no name.
 */
export function formatLanguage(language: Language, tag: string): string {
  const { names, known } = languageNames(language)
  const name = known.get(tag) ?? findLanguageName(names, tag)
  if (known.size < MAX_KNOWN_TAGS) known.set(tag, name)
  return name
}

function findLanguageName(names: Intl.DisplayNames, tag: string): string {
  if (tag.length > 100 || /^und(?:-|$)/i.test(tag)) return tag
  try {
    return names.of(tag) ?? tag
  } catch (error) {
    if (error instanceof RangeError) return tag
    throw error
  }
}

/** In the order of the language's dictionaries. */
export const sortNames = (language: Language, names: Iterable<string>): string[] =>
  [...names].sort(collators(language).compare)

/** Written the same in every language (SI), because Intl lacks most of these units and translates some. */
const UNITS = new Map([
  ['kg CO2e', 'kg CO₂e'],
  ['kg CO2e/kWh', 'kg CO₂e/kWh'],
  ['months', ''],
  ['cycles', ''],
])

/**
 * The symbol of a field's unit. Empty for months, which `formatMonths` writes, and cycles, which the label
 * names.
 */
export const formatUnit = (unit: string): string => UNITS.get(unit) ?? unit

/** A number with its unit; no line breaks between them. */
export function formatAmount(language: Language, unit: string | undefined, value: number): string {
  // The field's label says what is counted.
  if (unit === undefined || unit === 'cycles') return formatNumber(language, value)
  if (unit === '%') return formatPercent(language, value)
  if (unit === 'months') return formatMonths(language, value)
  return `${formatNumber(language, value)}\u00a0${formatUnit(unit).replaceAll(' ', '\u00a0')}`
}
