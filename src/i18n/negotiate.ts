/**
 * Decides the language of a page, and which texts of the account its reader gets: what the reader asked for, then what
 * the browser prefers, then the passport's own.
 */

import { isLanguage, type Language } from './catalogue.ts'

/** Security bounds: a real header has under 200 characters and a dozen ranges; the rest of a longer one is not read. */
const HEADER_LENGTH_MAX = 1000
const RANGES_MAX = 32
const TAG_LENGTH_MAX = 100

/** RFC 9110, 12.4.2: at most three decimals, at most 1. */
const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

const TAG = /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i

export type LanguagePreferences = {
  /** The value of `?lang=`. */
  query?: string | undefined
  /** The `Accept-Language` header as received. */
  acceptLanguage?: string | undefined
  /** The passport's primary language, a BCP-47 tag. */
  primary?: string | undefined
}

type Range = { tag: string; quality: number }

/**
 * `?lang=` over `Accept-Language` (RFC 4647 lookup) over the primary language over English. A tag counts by its
 * base language (`pt-BR` is `pt`); one outside the 24 is passed over. Never throws, whatever the input.
 */
export function negotiateLanguage({ query, acceptLanguage, primary }: LanguagePreferences): Language {
  return baseLanguage(query) ?? preferred(acceptLanguage) ?? baseLanguage(primary) ?? 'en'
}

/**
 * What the reader asked for in the order of liking, down to the one that decides the language of the page: for texts,
 * which may be in any language. Lower case; none when nothing was asked for. Never throws.
 */
export function listRequestedLanguages({ query, acceptLanguage }: LanguagePreferences): string[] {
  const asked = query === undefined || query.length > TAG_LENGTH_MAX ? '' : query.trim().replaceAll('_', '-')
  const tags = TAG.test(asked) ? [asked.toLowerCase()] : []
  if (baseLanguage(asked) !== undefined) return tags
  for (const tag of ranked(acceptLanguage)) {
    tags.push(tag)
    if (baseLanguage(tag) !== undefined) break
  }
  return tags
}

/** The one of the 24 that a tag belongs to. All 24 are bare base languages, so lookup ends at the first subtag. */
function baseLanguage(tag: string | undefined): Language | undefined {
  if (tag === undefined || tag.length > TAG_LENGTH_MAX) return undefined
  const base = tag.trim().split(/[-_]/, 1)[0]?.toLowerCase() ?? ''
  return isLanguage(base) ? base : undefined
}

function preferred(header: string | undefined): Language | undefined {
  for (const tag of ranked(header)) {
    const language = baseLanguage(tag)
    if (language !== undefined) return language
  }
  return undefined
}

/** What the header asks for, the most wanted first, without what it excludes. */
function ranked(header: string | undefined): string[] {
  const ranges = parseRanges(header ?? '')
  const refused = new Set(ranges.filter(({ quality }) => quality === 0).map(({ tag }) => tag))
  const wanted = ranges.filter(({ quality }) => quality > 0)
  // Stable: ranges of equal quality stay in the header's order.
  wanted.sort((a, b) => b.quality - a.quality)
  return wanted.map(({ tag }) => tag).filter(tag => !refused.has(tag.split('-', 1)[0] ?? ''))
}

/** The ranges of the header in its order, lower case; those that are not well formed are left out, and so is `*`. */
function parseRanges(header: string): Range[] {
  const parts = header.slice(0, HEADER_LENGTH_MAX).split(',')
  // The cut may fall inside a range and change its meaning.
  if (header.length > HEADER_LENGTH_MAX) parts.pop()
  const ranges: Range[] = []
  for (const part of parts.slice(0, RANGES_MAX)) {
    const [tag = '', parameter, ...more] = part.split(';').map(text => text.trim())
    const quality = parameter === undefined ? '1' : QUALITY.exec(parameter)?.[1]
    if (quality === undefined || more.length > 0 || !TAG.test(tag)) continue
    ranges.push({ tag: tag.toLowerCase(), quality: Number(quality) })
  }
  return ranges
}
