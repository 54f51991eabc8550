/** Checks what an account sends as an offer, and reports everything that is wrong with it at once. */
import { findCategory } from '../../categories/catalogue.ts'
import { canonicalizeLanguage } from '../../categories/language.ts'
import { toEnglish } from '../../categories/problems.ts'
import { FORMAT_RULES } from '../../categories/schema/formats.ts'
import { isLongerThan, isOneLine } from '../../kernel/characters.ts'
import { collectErrors } from '../../kernel/collect-errors.ts'
import { isObject } from '../../kernel/data-object.ts'
import { type Detail, type DetailCode, invalid } from '../../kernel/errors.ts'
import { isSafeLink, SAFE_LINK_RULE } from '../../kernel/http/public-link.ts'
import { parseId } from '../../kernel/ids.ts'
import {
  isOfferKind,
  MAX_OFFER_LANGUAGES,
  MAX_OFFER_POSITION,
  MAX_OFFER_TEXT_LENGTH,
  MAX_OFFER_TITLE_LENGTH,
  OFFER_KINDS,
  type OfferContent,
  type OfferTexts,
} from './offer.ts'

/** Members as in the API. Undefined: not sent. */
export type SentOffer = {
  kind?: unknown
  category?: unknown
  product_id?: unknown
  countries?: unknown
  title?: unknown
  text?: unknown
  url?: unknown
  position?: unknown
}

/** `position` is undefined if none was sent: the offer then comes last. */
export type CheckedOffer = OfferContent & { position: number | undefined }

/** Throws `validation`. Whether the account has the product is not checked here. */
export function checkOffer(sent: SentOffer): CheckedOffer {
  const { scope, ...rest } = collectErrors({
    kind: () => readKind(sent.kind),
    scope: () => readScope(sent),
    countries: () => readCountries(sent.countries),
    title: () => readTexts('title', sent.title, MAX_OFFER_TITLE_LENGTH),
    text: () => (isNothing(sent.text) ? null : readTexts('text', sent.text, MAX_OFFER_TEXT_LENGTH)),
    url: () => readUrl(sent.url),
    position: () => readPosition(sent.position),
  })
  return { ...rest, ...scope }
}

const isNothing = (value: unknown): value is null | undefined => value === undefined || value === null

/** `message` continues after the name of the member. */
const fault = (path: Detail['path'], code: DetailCode, message: string): Detail => ({
  path,
  code,
  message: `${path.join('.')} ${message}`,
})

const error = (...args: Parameters<typeof fault>) => invalid([fault(...args)])

function readKind(kind: unknown): OfferContent['kind'] {
  if (isOfferKind(kind)) return kind
  const message = `must be one of ${OFFER_KINDS.join(', ')}.`
  throw error(['kind'], isNothing(kind) ? 'required' : 'enum', message)
}

function readScope({ category, product_id: product }: SentOffer) {
  if (!isNothing(category) && !isNothing(product)) {
    const message = 'must be null if product_id is set: an offer is for a category or for a product.'
    throw error(['category'], 'immutable', message)
  }
  return collectErrors({
    category: () => {
      if (isNothing(category)) return null
      const found = typeof category === 'string' ? findCategory(category) : undefined
      if (found !== undefined) return found.id
      throw error(['category'], 'enum', 'must be a category of GET /categories, or null for all.')
    },
    passportId: () => {
      if (isNothing(product)) return null
      const uuid = typeof product === 'string' ? parseId(product) : undefined
      if (uuid !== undefined) return uuid
      throw error(['product_id'], 'format', 'must be the id of a model, batch or item, or null for all.')
    },
  })
}

/** Sorted, because the order of countries means nothing. */
function readCountries(countries: unknown): string[] {
  if (countries === undefined) return []
  if (!Array.isArray(countries))
    throw error(['countries'], 'type', 'must be an array of country codes; an empty one means everywhere.')
  const faults = countries.flatMap((code, i) => {
    const wrong = typeof code === 'string' ? FORMAT_RULES.country.findViolation(code) : NO_TEXT
    if (wrong !== undefined) return fault(['countries', i], wrong.code, toEnglish(wrong.problem))
    return countries.indexOf(code) < i ? fault(['countries', i], 'duplicate', 'is in the list twice.') : []
  })
  if (faults.length > 0) throw invalid(faults)
  return countries.map(String).sort()
}

const NO_TEXT = FORMAT_RULES.country.findViolation('')

function readTexts(name: 'title' | 'text', texts: unknown, maxLength: number): OfferTexts {
  if (isNothing(texts))
    throw error([name], 'required', 'is missing: send a text for each language, as in {"en": "Repair"}.')
  if (!isObject(texts)) throw error([name], 'type', 'must have a text for each language: {"en": "Repair"}.')
  const entries = Object.entries(texts)
  if (entries.length === 0 || entries.length > MAX_OFFER_LANGUAGES)
    throw error([name], 'length', `must have texts in 1 to ${MAX_OFFER_LANGUAGES} languages.`)
  const checked = new Map<string, string>()
  const faults = entries.flatMap(([tag, text]): Detail | readonly Detail[] => {
    const path = [name, tag.toWellFormed().slice(0, 100)]
    const language = canonicalizeLanguage(tag)
    if (language === undefined) return fault(path, 'language_code', 'must be under a language such as "de".')
    if (checked.has(language)) return fault(path, 'duplicate', `is another text in ${language}.`)
    if (typeof text !== 'string') return fault(path, 'type', 'must be a text.')
    const trimmed = text.trim()
    checked.set(language, trimmed)
    if (trimmed === '' || isLongerThan(trimmed, maxLength))
      return fault(path, 'length', `must have 1 to ${maxLength} characters.`)
    return isOneLine(trimmed) ? [] : fault(path, 'format', 'must be one line of text.')
  })
  if (faults.length > 0) throw invalid(faults)
  return Object.fromEntries(checked)
}

function readUrl(url: unknown): string {
  if (isNothing(url))
    throw error(['url'], 'required', 'is missing: send an address that begins with https://.')
  if (typeof url !== 'string') throw error(['url'], 'type', 'must be a text.')
  const address = url.trim()
  const wrong = FORMAT_RULES.url.findViolation(address)
  if (wrong !== undefined) throw error(['url'], wrong.code, toEnglish(wrong.problem))
  if (isSafeLink(address)) return address
  throw error(['url'], 'format', SAFE_LINK_RULE)
}

function readPosition(position: unknown): number | undefined {
  if (isNothing(position)) return undefined
  const message = `must be a whole number from 0 to ${MAX_OFFER_POSITION}.`
  if (typeof position !== 'number' || !Number.isInteger(position)) throw error(['position'], 'type', message)
  if (position < 0) throw error(['position'], 'min', message)
  if (position > MAX_OFFER_POSITION) throw error(['position'], 'max', message)
  return position
}
