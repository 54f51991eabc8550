/** Labels in the console's language, the same as on the public page, and languages found by their names. */
import { findCategory } from '../../categories/catalogue.ts'
import { normalizeName } from '../../categories/names/name-lookup.ts'
import { findLabel, getLabels, LANGUAGES } from '../../i18n/catalogue.ts'
import { formatLanguage } from '../../i18n/format.ts'
import type { Words } from '../page/route.ts'
import { CONSOLE_LANGUAGES } from '../page/words.ts'

/** The label of a field, else the last part of its path. */
export function getFieldLabel({ language }: Words, path: string): string {
  return findLabel(getLabels(language), 'fields', path) ?? path.split('.').at(-1) ?? path
}

export const getValueLabel = ({ language }: Words, path: string, value: string): string =>
  findLabel(getLabels(language), 'values', `${path}.${value}`) ?? value

/** The kind of a document, which is free text, but usually a known name. */
export const getDocumentTypeLabel = ({ language }: Words, type: string): string =>
  findLabel(
    getLabels(language),
    'documents',
    type
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_'),
  ) ?? type

export const getCategoryName = ({ language }: Words, id: string): string =>
  findLabel(getLabels(language), 'ui', `category.${id}`) ?? findCategory(id)?.title ?? id

/** `d.fiberComposition.1.percentage` as "Fibres 2, Share". */
export function getInputLabel(words: Words, name: string): string {
  const [first = '', ...rest] = name.split('.').slice(1)
  const index = rest.find(part => /^\d+$/.test(part))
  const path = [first, ...rest.filter(part => !/^\d+$/.test(part))].join('.')
  const top = getFieldLabel(words, first) + (index === undefined ? '' : ` ${Number(index) + 1}`)
  return path === first ? top : `${top}, ${getFieldLabel(words, path)}`
}

export function sortOptions(language: string, codes: readonly string[], name: (code: string) => string) {
  const { compare } = new Intl.Collator(language)
  return codes.map(code => [code, name(code)] as const).sort((a, b) => compare(a[1], b[1]))
}

/** Offered besides the Union's own languages: spoken near it or by many buyers. */
const NEARBY = ['ar', 'bs', 'he', 'hi', 'is', 'ja', 'ko', 'mk', 'nb', 'ru', 'sq', 'sr', 'tr', 'uk', 'zh']
const OFFERED: readonly string[] = [...LANGUAGES.map(({ code }) => code), ...NEARBY]

const codesByName = new Map<string, string>()

/**
 * `Deutsch`, `German`, `deutsch` → `de`, by the console's languages, so that nobody has to know that Greek is
 * `el`; undefined otherwise.
 */
export function findLanguageByName(text: string): string | undefined {
  if (codesByName.size === 0) {
    for (const code of OFFERED) {
      for (const language of CONSOLE_LANGUAGES)
        codesByName.set(normalizeName(formatLanguage(language, code)), code)
    }
    for (const { code, name } of LANGUAGES) codesByName.set(normalizeName(name), code)
  }
  return codesByName.get(normalizeName(text))
}

/** `chosen`: a tag that must be among them, such as `en-US`. */
export function listLanguageOptions({ language }: Words, chosen?: string) {
  const tags = chosen === undefined ? OFFERED : [...new Set([...OFFERED, chosen])]
  return sortOptions(language, tags, tag => formatLanguage(language, tag))
}

export const splitLanguages = (text: string): string[] => text.split(/[\s,;]+/).filter(tag => tag !== '')
