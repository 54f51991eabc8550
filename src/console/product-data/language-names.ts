/** Finds languages by name, so that nobody has to know that Greek is `el`. */
import { normalizeName } from '../../categories/names/name-lookup.ts'
import { LANGUAGES } from '../../i18n/catalogue.ts'
import { formatLanguage } from '../../i18n/format.ts'
import type { Words } from '../page/route.ts'
import { CONSOLE_LANGUAGES } from '../page/words.ts'
import { sortOptions } from './labels.ts'

/** Offered besides the Union's own languages: spoken near it or by many buyers. */
const NEARBY = ['ar', 'bs', 'he', 'hi', 'is', 'ja', 'ko', 'mk', 'nb', 'ru', 'sq', 'sr', 'tr', 'uk', 'zh']
const OFFERED: readonly string[] = [...LANGUAGES.map(({ code }) => code), ...NEARBY]

const codesByName = new Map<string, string>()

/** `Deutsch`, `German`, `deutsch` → `de`, by the console's languages; undefined otherwise. */
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

export const listLanguageOptions = ({ language }: Words) =>
  sortOptions(language, OFFERED, code => formatLanguage(language, code))

export const splitLanguages = (text: string): string[] => text.split(/[\s,;]+/).filter(tag => tag !== '')
