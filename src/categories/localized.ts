/** Chooses which of a field's translations a reader gets. */
import type { Field } from './field.ts'

export type PickedText = { text: string; language: string }

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
  for (const tag of [...wanted.flatMap(shorterTags), primary.toLowerCase()]) {
    const found = texts.get(tag)
    if (found !== undefined) return found
  }
  return texts.values().next().value
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

/** The languages that texts of the data are in, in lower case. */
export function tagsOfTexts(fields: readonly Field[], data: Readonly<Record<string, unknown>>): Set<string> {
  const tags = new Set<string>()
  const walk = (field: Field, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (field.localized) for (const tag of Object.keys(value)) tags.add(tag.toLowerCase())
    else if (Array.isArray(value)) for (const entry of value) inside(field.of, entry)
    else inside(field.fields, value)
  }
  const inside = (members: readonly Field[] = [], value: unknown): void => {
    for (const field of members) walk(field, field.name === '' ? value : Object(value)[field.name])
  }
  inside(fields, data)
  return tags
}

/** The wanted languages as far as they matter among these: each as the longest form that is there, once. */
export const amongTags = (wanted: readonly string[], tags: ReadonlySet<string>): string[] => [
  ...new Set(wanted.flatMap(tag => shorterTags(tag).find(form => tags.has(form)) ?? [])),
]
