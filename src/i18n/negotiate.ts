/** Negotiates the language of a page and of the account's texts. */
import { isLanguage, LANGUAGES, type Language } from './catalogue.ts'
import { chooseLanguage } from './choose-language.ts'

/** Security bounds: a real header has under 200 characters and a dozen ranges; the rest is ignored. */
export const MAX_HEADER_LENGTH = 1000
const MAX_RANGES = 32
const MAX_TAG_LENGTH = 100

/** RFC 9110, 12.4.2: at most three decimals, at most 1. */
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

const TAG = /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i

export type LanguagePreferences = {
  /** The value of `?lang=`. */
  query?: string | undefined
  /** The `Accept-Language` header as received. */
  acceptLanguage?: string | undefined
  /** The passport's primary language, a BCP-47 tag. */
  primary?: string | undefined
}

/** A part of an `Accept…` header, in lower case. `parameters` has the weight too. */
export type Range = { value: string; quality: number; parameters: readonly string[] }

/**
 * `?lang=`, else `Accept-Language`, else the primary language, else English, as `chooseLanguage` finds them
 * (`pt-BR` is `pt`). Tags outside the 24 are skipped. Never throws.
 */
export function negotiateLanguage({ query, acceptLanguage, primary }: LanguagePreferences): Language {
  return findOwnLanguage(query) ?? findPreferred(acceptLanguage) ?? findOwnLanguage(primary) ?? 'en'
}

/**
 * Returns all requested tags for the account's texts, in lower case by preference: a reader of Finnish and
 * English gets English before the primary language.
 */
export function listRequestedLanguages({ query, acceptLanguage }: LanguagePreferences): string[] {
  const asked = query === undefined || query.length > MAX_TAG_LENGTH ? '' : query.trim().replaceAll('_', '-')
  const tags = TAG.test(asked) ? [asked.toLowerCase()] : []
  return [...new Set([...tags, ...rankTags(acceptLanguage)])]
}

const REGION = /^[a-z]{2,3}(?:-[a-z]{4})?-([a-z]{2})(?:-|$)/

/**
 * The region of an `Accept-Language` header as a code in capitals: `AT` of `de-AT`. Only tags of the
 * preferred language count, because browsers add `en-US` after most languages.
 */
export function findRequestedRegion(header: string | undefined): string | undefined {
  const tags = rankTags(header)
  const preferred = tags[0]?.split('-', 1)[0]
  const [region] = tags
    .filter(tag => tag.split('-', 1)[0] === preferred)
    .flatMap(tag => REGION.exec(tag)?.[1] ?? [])
  return region?.toUpperCase()
}

const CODES: ReadonlySet<string> = new Set(LANGUAGES.map(({ code }) => code))

function findOwnLanguage(tag: string | undefined): Language | undefined {
  if (tag === undefined || tag.length > MAX_TAG_LENGTH) return undefined
  const found = chooseLanguage(CODES, [tag.trim().replaceAll('_', '-')])
  return found !== undefined && isLanguage(found) ? found : undefined
}

const findPreferred = (header: string | undefined): Language | undefined =>
  rankTags(header)
    .map(findOwnLanguage)
    .find(language => language !== undefined)

/** Lists the header's tags by quality, without excluded ones (`q=0`) and `*`. */
export function rankTags(header: string | undefined): string[] {
  // A language range has no parameter but its weight (RFC 9110 §12.5.4).
  const ranges = parseRanges(header ?? '').filter(
    ({ value, parameters }) =>
      TAG.test(value) && parameters.length < 2 && parameters.every(parameter => /^q=/i.test(parameter)),
  )
  const refused = new Set(ranges.filter(({ quality }) => quality === 0).map(({ value }) => value))
  // Stable: ranges of equal quality stay in the header's order.
  return ranges
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ value }) => value)
    .filter(tag => !refused.has(tag.split('-', 1)[0] ?? ''))
}

/** Returns the ranges of an `Accept…` header in their order, without malformed ones. */
export function parseRanges(header: string): Range[] {
  const parts = header.slice(0, MAX_HEADER_LENGTH).split(',')
  // The cut may fall inside a range and change its meaning.
  if (header.length > MAX_HEADER_LENGTH) parts.pop()
  return parts.slice(0, MAX_RANGES).flatMap(part => {
    const [value = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = parameters.find(parameter => /^q=/i.test(parameter))?.slice(2) ?? '1'
    return value === '' || !QUALITY.test(weight)
      ? []
      : [{ value: value.toLowerCase(), quality: Number(weight), parameters }]
  })
}
