/** Chooses which of a field's translations a reader gets. */
import type { Field } from './field.ts'

type PickedText = { text: string; language: string }

/**
 * The text in the first of the wanted languages that has one, under its tag or a shorter form of it (`pt-BR`, then `pt`;
 * RFC 4647 lookup; the tags of Norwegian stand for one another), else in the passport's primary language, else the first there is. Undefined when there is no text at
 * all, whatever is passed.
 * `language` is the key under which the text stands. Tags are compared without regard to case.
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

/** The tag among those of a text, in lower case, under which a reader gets it. */
function pickTag(
  tags: Pick<ReadonlySet<string>, 'has' | 'keys'>,
  wanted: readonly string[],
  primary: string,
): string | undefined {
  for (const tag of [...wanted.flatMap(shorterTags), primary.toLowerCase()]) if (tags.has(tag)) return tag
  return tags.keys().next().value
}

/** Norwegian, its two written forms, and how they are tagged: whoever reads one reads the others. */
const NORWEGIAN = ['no', 'nb', 'nn', 'nb-no', 'nn-no', 'no-no']

/** `zh-Hant-TW` → `zh-hant-tw`, `zh-hant`, `zh`; for Norwegian then its other tags. */
function shorterTags(tag: string): string[] {
  const parts = tag.toLowerCase().split('-', 10)
  const tags = parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))
  const [base = ''] = parts
  return NORWEGIAN.includes(base) ? [...tags, `${base}-no`, ...NORWEGIAN] : tags
}

/** The languages that texts are in, in lower case: of all of them, and each combination that a text has. */
export type TranslationLanguages = { all: ReadonlySet<string>; ofTexts: readonly ReadonlySet<string>[] }

/** The languages that texts of the data are in. */
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
    else if (Array.isArray(value)) for (const entry of value) inside(field.of, entry)
    else inside(field.fields, value)
  }
  const inside = (members: readonly Field[] = [], value: unknown): void => {
    for (const field of members) walk(field, field.name === '' ? value : Object(value)[field.name])
  }
  inside(fields, data)
  return { all, ofTexts: [...combinations.values()] }
}

/** The tags under which a reader gets each of the texts: who gets the same ones gets the same page. */
export const listChosenTags = (
  { ofTexts }: TranslationLanguages,
  wanted: readonly string[],
  primary: string,
): (string | undefined)[] => ofTexts.map(tags => pickTag(tags, wanted, primary))

/** The wanted languages as far as they matter among these: each as the longest form that is there, once. */
export const filterTags = (wanted: readonly string[], tags: ReadonlySet<string>): string[] => [
  ...new Set(wanted.flatMap(tag => shorterTags(tag).find(form => tags.has(form)) ?? [])),
]
