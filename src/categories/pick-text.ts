/** Chooses which of a field's translations a reader gets. */
import type { Field } from './field.ts'

type PickedText = { text: string; language: string }

/**
 * Returns the text in the first requested language that has one, else that in the primary language, else the
 * first. A language is looked up by its tag, then by shorter forms (`pt-BR`, then `pt`; RFC 4647), without
 * case; the tags of Norwegian are equivalent. `language` is the key of the text. Accepts any input.
 */
export function pickText(
  localized: unknown,
  wanted: readonly string[],
  primary: string,
): PickedText | undefined {
  if (typeof localized !== 'object' || localized === null) return undefined
  const texts = new Map<string, PickedText>()
  for (const [language, text] of Object.entries(localized)) {
    const key = language.toLowerCase()
    if (typeof text === 'string' && text.trim() !== '' && !texts.has(key)) texts.set(key, { text, language })
  }
  const chosen = pickTag(texts, wanted, primary)
  return chosen === undefined ? undefined : texts.get(chosen)
}

/** Returns the tag of the text that the reader gets. `tags` are in lower case. */
function pickTag(
  tags: Pick<ReadonlySet<string>, 'has' | 'keys'>,
  wanted: readonly string[],
  primary: string,
): string | undefined {
  for (const tag of [...wanted.flatMap(listLookupTags), primary.toLowerCase()]) if (tags.has(tag)) return tag
  return tags.keys().next().value
}

/** Tags of Norwegian and its two written forms: readers of one can read the others. */
const NORWEGIAN = ['no', 'nb', 'nn', 'nb-no', 'nn-no', 'no-no']

/** `zh-Hant-TW` → `zh-hant-tw`, `zh-hant`, `zh`; for Norwegian also its other tags. */
function listLookupTags(tag: string): string[] {
  const parts = tag.toLowerCase().split('-', 10)
  const tags = parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))
  const [base = ''] = parts
  return NORWEGIAN.includes(base) ? [...tags, `${base}-no`, ...NORWEGIAN] : tags
}

/** Languages of texts in lower case: of all texts, and each distinct combination that a text has. */
export type TranslationLanguages = { all: ReadonlySet<string>; ofTexts: readonly ReadonlySet<string>[] }

export function listTranslationLanguages(
  fields: readonly Field[],
  data: Readonly<Record<string, unknown>>,
): TranslationLanguages {
  const all = new Set<string>()
  const combinations = new Map<string, ReadonlySet<string>>()
  const add = (texts: object): void => {
    const filled = Object.entries(texts).filter(([, text]) => typeof text === 'string' && text.trim() !== '')
    const tags = new Set(filled.map(([tag]) => tag.toLowerCase()))
    for (const tag of tags) all.add(tag)
    combinations.set([...tags].join(), tags)
  }
  const walk = (field: Field, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (field.localized) add(value)
    else if (Array.isArray(value)) for (const entry of value) walkMembers(field.of, entry)
    else walkMembers(field.fields, value)
  }
  const walkMembers = (members: readonly Field[] = [], value: unknown): void => {
    for (const field of members) walk(field, field.name === '' ? value : Object(value)[field.name])
  }
  walkMembers(fields, data)
  return { all, ofTexts: [...combinations.values()] }
}

/** Lists the tag that is chosen for each text. Readers with the same list get the same page. */
export const listChosenTags = (
  { ofTexts }: TranslationLanguages,
  wanted: readonly string[],
  primary: string,
): (string | undefined)[] => ofTexts.map(tags => pickTag(tags, wanted, primary))

/** Keeps the requested languages that texts have, each once, in its longest form among `tags`. */
export const filterTags = (wanted: readonly string[], tags: ReadonlySet<string>): string[] => [
  ...new Set(wanted.flatMap(tag => listLookupTags(tag).find(form => tags.has(form)) ?? [])),
]
