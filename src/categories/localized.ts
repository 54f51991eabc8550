/** Chooses which of a field's translations a reader gets. */

export type PickedText = { text: string; language: string }

/**
 * The text in the wanted language, else in a shorter form of its tag (`pt-BR`, then `pt`; RFC 4647 lookup), else in
 * the passport's primary language, else the first there is. Undefined when there is no text at all, whatever is passed.
 * `language` is the key under which the text stands. Tags are compared without regard to case.
 */
export function pickText(
  localized: unknown,
  wanted: string | undefined,
  primary: string,
): PickedText | undefined {
  if (typeof localized !== 'object' || localized === null) return undefined
  const texts = new Map<string, PickedText>()
  for (const [language, text] of Object.entries(localized)) {
    const key = language.toLowerCase()
    if (typeof text === 'string' && text.trim() !== '' && !texts.has(key)) texts.set(key, { text, language })
  }
  for (const tag of [...shorterTags(wanted), primary.toLowerCase()]) {
    const found = texts.get(tag)
    if (found !== undefined) return found
  }
  return texts.values().next().value
}

/** `zh-Hant-TW` → `zh-hant-tw`, `zh-hant`, `zh`. */
function shorterTags(tag: string | undefined): string[] {
  if (tag === undefined) return []
  const parts = tag.toLowerCase().split('-', 10)
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))
}
