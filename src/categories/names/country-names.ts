/** Finds countries by what people and programs write: names in 24 languages, codes, and "Made in …". */
import { LANGUAGES } from '../../i18n/catalogue.ts'
import { COUNTRIES, COUNTRIES_BY_ALPHA_3, isCountry } from '../../kernel/values/countries.ts'
import { once } from '../../kernel/values/memo.ts'
import { normalizeName } from './name-lookup.ts'
import { COUNTRY_SYNONYMS, MADE_IN } from './synonyms.ts'

/**
 * Kosovo in EU customs and trade statistics: Annex I of Implementing Regulation (EU) 2020/1470 of 12 October
 * 2020. Finnish customs name XK as its exception from ISO 3166 (tulli.fi/sv/statistik, read on 27 November
 * 2026). ISO 3166-1 has not assigned it, so no field can store it.
 */
const KOSOVO = 'XK'
/** The name of two countries, although some language uses it for one. */
const AMBIGUOUS = ['Congo', 'Kongo', 'Конго', 'Κονγκό']
const KOSOVO_NAMES = [KOSOVO, 'XKX', 'XKK', 'Republic of Kosovo', 'Kosova']

/** 249 names in 24 languages. A name that two languages use for two countries is left out. */
const getCountryNames = once(() => {
  const codes = new Map<string, string | undefined>()
  const add = (name: string, code: string) => {
    const key = normalizeName(name)
    if (key === '') return
    codes.set(key, codes.has(key) && codes.get(key) !== code ? undefined : code)
  }
  for (const { code: language } of LANGUAGES) {
    const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' })
    for (const code of [...COUNTRIES, KOSOVO]) {
      const name = names.of(code) ?? ''
      const plain = name.replace(/\s*\(.*\)/, '')
      for (const one of new Set([name, plain])) add(one, code)
    }
  }
  for (const [code, names] of Object.entries(COUNTRY_SYNONYMS))
    for (const name of names) codes.set(normalizeName(name), code)
  for (const name of KOSOVO_NAMES) codes.set(normalizeName(name), KOSOVO)
  for (const name of AMBIGUOUS) codes.delete(normalizeName(name))
  return codes
})

const getPrefixes = once(() => [...MADE_IN, 'the'].map(normalizeName).toSorted((a, b) => b.length - a.length))

/** `de` and `DEU`. `na` in small letters and `N/A` say "not available", not Namibia. */
function findByCode(text: string): string | undefined {
  if (!/^[A-Za-z]{2,3}$/.test(text) || text === 'na') return undefined
  const code = text.toUpperCase()
  return isCountry(code) ? code : COUNTRIES_BY_ALPHA_3.get(code)
}

function findByName(text: string): string | undefined {
  const names = getCountryNames()
  const key = normalizeName(text)
  const found = findByCode(text.trim()) ?? names.get(key) ?? names.get(key.replace(/the$/, ''))
  if (found !== undefined) return found
  const prefix = getPrefixes().find(one => key.startsWith(one) && key.length > one.length)
  if (prefix === undefined) return undefined
  const rest = key.slice(prefix.length)
  return names.get(rest) ?? findByCode(rest)
}

/** Security bound: no name of a country is longer, with what stands before it. */
const MAX_LENGTH = 150
const BETWEEN = /[-–—/|,;:()[\]]/

/** "DE - Deutschland" and "Italy (IT)" name one country twice. */
function findMeant(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const whole = findByName(text)
  if (whole !== undefined) return whole
  const parts = text.split(BETWEEN).filter(part => part.trim() !== '')
  const found = new Set(parts.map(findByName))
  return parts.length > 1 && found.size === 1 ? found.values().next().value : undefined
}

/** `Deutschland`, `DEU` and `Made in Germany` → `DE` */
export function findCountryByName(text: string): string | undefined {
  const code = findMeant(text)
  return code === KOSOVO ? undefined : code
}

export const namesKosovo = (text: string): boolean => findMeant(text) === KOSOVO
