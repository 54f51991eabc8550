/** Canonicalises language tags: of many spellings (`en-us`, `iw`) one is stored and compared. */
import { BoundedMap } from '../kernel/values/bounded-map.ts'

/** RFC 5646 sets no limit; tags without extensions fit into 35 characters (section 4.4.1). */
export const MAX_LANGUAGE_TAG_LENGTH = 64

/** Tags that name no particular language. */
const NO_LANGUAGE = new Set(['und', 'mul'])

/** Cached, because canonicalising takes 1 µs and tags repeat; bounded, because tags come from users. */
const known = new BoundedMap<string, string | undefined>(1000)

/** Returns the canonical BCP-47 form; undefined for a malformed tag, `und` and `mul`. */
export function canonicalizeLanguage(tag: string): string | undefined {
  if (known.has(tag)) return known.get(tag)
  const canonical = computeCanonical(tag)
  if (tag.length <= MAX_LANGUAGE_TAG_LENGTH) known.set(tag, canonical)
  return canonical
}

/** Grandfathered tags (RFC 5646 §2.2.8) that `Intl` lacks, with the preferred tag; `zh-min` has none. */
const GRANDFATHERED: ReadonlyMap<string, string | undefined> = new Map([
  ['en-gb-oed', 'en-GB-oxendict'],
  ['i-ami', 'ami'],
  ['i-bnn', 'bnn'],
  ['i-hak', 'hak'],
  ['i-klingon', 'tlh'],
  ['i-lux', 'lb'],
  ['i-navajo', 'nv'],
  ['i-pwn', 'pwn'],
  ['i-tao', 'tao'],
  ['i-tay', 'tay'],
  ['i-tsu', 'tsu'],
  ['no-bok', 'nb'],
  ['no-nyn', 'nn'],
  ['sgn-be-fr', 'sfb'],
  ['sgn-be-nl', 'vgt'],
  ['sgn-ch-de', 'sgg'],
  ['zh-min', undefined],
  ['zh-min-nan', 'nan'],
])

/** Prefixes of extended languages: the canonical form of `zh-yue` is `yue` (§4.5). */
const EXTENDED = /^(?:ar|kok|lv|ms|sgn|sw|uz|zh)-(?=[a-z]{3}(?:-|$))/i

/** Language, script, region, and variants, whose order matters (§4.5). `Intl` sorts them. */
const VARIANTS =
  /^([a-z]{2,8}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?)((?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))+)(?=-|$)/i

function computeCanonical(sent: string): string | undefined {
  if (sent.length > MAX_LANGUAGE_TAG_LENGTH) return undefined
  const whole = sent.toLowerCase()
  const tag = GRANDFATHERED.has(whole) ? GRANDFATHERED.get(whole) : sent.replace(EXTENDED, '')
  if (tag === undefined) return undefined
  try {
    const canonical = Intl.getCanonicalLocales(tag)[0]
    return canonical === undefined || NO_LANGUAGE.has(canonical.split('-', 1)[0] ?? '')
      ? undefined
      : keepVariantOrder(tag, canonical)
  } catch {
    return undefined
  }
}

function keepVariantOrder(tag: string, canonical: string): string {
  const sent = VARIANTS.exec(tag)?.[2]?.toLowerCase()
  return canonical.replace(VARIANTS, (all, language: string, variants: string) =>
    sent !== undefined && sortVariants(sent) === sortVariants(variants) ? language + sent : all,
  )
}

const sortVariants = (variants: string) => variants.split('-').sort().join()

/** Repairs a tag with underscores (`en_US`). */
export const repairLanguage = (tag: string): string | undefined =>
  tag.includes('_') ? canonicalizeLanguage(tag.replaceAll('_', '-')) : undefined

const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
const named = new BoundedMap<string, boolean>(1000)

/** Returns true if CLDR has a name for the language of the tag. It has none for `english`, `zz` and `qaa`. */
export const isNamedLanguage = (canonical: string): boolean =>
  named.getOrMake(canonical.split('-', 1)[0] ?? '', base => languageNames.of(base) !== undefined)
