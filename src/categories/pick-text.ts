/** Chooses which of a field's translations a reader gets. */
import { chooseLanguage, type Tags } from '../i18n/choose-language.ts'
import type { Field } from './field.ts'

type PickedText = { text: string; language: string }

/**
 * Returns the text in the first requested language that has one (see `chooseLanguage`), else that in the
 * primary language, else the first. `language` is the key of the text. Accepts any input.
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
const pickTag = (tags: Tags, wanted: readonly string[], primary: string): string | undefined =>
  chooseLanguage(tags, [...wanted, primary]) ?? tags.keys().next().value

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

/** Keeps the requested languages for which some text has one, each once. */
export const filterTags = (wanted: readonly string[], tags: Tags): string[] =>
  [...new Set(wanted)].filter(tag => chooseLanguage(tags, [tag]) !== undefined)
