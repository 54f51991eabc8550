/** Language tags come in many spellings (`en-us`, `iw`); they are compared and stored in one. */

/** RFC 5646 sets no limit; 35 characters hold every tag without extensions (section 4.4.1). */
export const LANGUAGE_TAG_MAX_LENGTH = 64

/** Tags that name no language a text could be in. */
const NO_LANGUAGE = new Set(['und', 'mul'])

/** Canonicalising takes about 1 µs and the same few tags come again and again; bounded, as tags come from outside. */
const KNOWN_MAX = 1000
const known = new Map<string, string | undefined>()

/** The canonical BCP-47 form of a tag, or undefined when it is not well formed, or is `und` or `mul`. */
export function canonicalLanguage(tag: string): string | undefined {
  if (known.has(tag)) return known.get(tag)
  const canonical = canonicalise(tag)
  if (tag.length <= LANGUAGE_TAG_MAX_LENGTH) {
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(tag, canonical)
  }
  return canonical
}

function canonicalise(tag: string): string | undefined {
  if (tag.length > LANGUAGE_TAG_MAX_LENGTH) return undefined
  try {
    const canonical = Intl.getCanonicalLocales(tag)[0]
    return canonical === undefined || NO_LANGUAGE.has(canonical.split('-', 1)[0] ?? '')
      ? undefined
      : canonical
  } catch {
    return undefined
  }
}

/** The tag that was probably meant by one with underscores (`en_US`), or undefined. */
export const repairedLanguage = (tag: string): string | undefined =>
  tag.includes('_') ? canonicalLanguage(tag.replaceAll('_', '-')) : undefined
