/** Language tags come in many spellings (`en-us`, `iw`); they are compared and stored in one. */

/** RFC 5646 sets no limit; 35 characters hold every tag without extensions (section 4.4.1). */
export const MAX_LANGUAGE_TAG_LENGTH = 64

/** Tags that name no language a text could be in. */
const NO_LANGUAGE = new Set(['und', 'mul'])

/** Canonicalising takes about 1 µs and the same few tags come again and again; bounded, as tags come from outside. */
const KNOWN_MAX = 1000
const known = new Map<string, string | undefined>()

/** The canonical BCP-47 form of a tag, or undefined when it is not well formed, or is `und` or `mul`. */
export function canonicalizeLanguage(tag: string): string | undefined {
  if (known.has(tag)) return known.get(tag)
  const canonical = canonicalise(tag)
  if (tag.length <= MAX_LANGUAGE_TAG_LENGTH) {
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(tag, canonical)
  }
  return canonical
}

/** Grandfathered tags (RFC 5646 §2.2.8) that `Intl` does not know, with what the registry prefers; of `zh-min` nothing. */
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

/** The languages that have extended ones (`zh-yue`), each of which is the language of the canonical tag (§4.5). */
const EXTENDED = /^(?:ar|kok|lv|ms|sgn|sw|uz|zh)-(?=[a-z]{3}(?:-|$))/i

/** Language, script and region, and the variants behind them, whose order has a meaning (§4.5) that `Intl` does not keep. */
const VARIANTS =
  /^([a-z]{2,8}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?)((?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))+)(?=-|$)/i

function canonicalise(sent: string): string | undefined {
  if (sent.length > MAX_LANGUAGE_TAG_LENGTH) return undefined
  const whole = sent.toLowerCase()
  const tag = GRANDFATHERED.has(whole) ? GRANDFATHERED.get(whole) : sent.replace(EXTENDED, '')
  if (tag === undefined) return undefined
  try {
    const canonical = Intl.getCanonicalLocales(tag)[0]
    return canonical === undefined || NO_LANGUAGE.has(canonical.split('-', 1)[0] ?? '')
      ? undefined
      : withVariantsOf(tag, canonical)
  } catch {
    return undefined
  }
}

function withVariantsOf(tag: string, canonical: string): string {
  const sent = VARIANTS.exec(tag)?.[2]?.toLowerCase()
  return canonical.replace(VARIANTS, (all, language: string, variants: string) =>
    sent !== undefined && sorted(sent) === sorted(variants) ? language + sent : all,
  )
}

const sorted = (variants: string) => variants.split('-').sort().join()

/** The tag that was probably meant by one with underscores (`en_US`), or undefined. */
export const repairLanguage = (tag: string): string | undefined =>
  tag.includes('_') ? canonicalizeLanguage(tag.replaceAll('_', '-')) : undefined
