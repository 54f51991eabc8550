/** Languages by their names: nobody has to know that Greek is `el`. */
import { normalizeName } from '../../categories/names/name-lookup.ts'
import { LANGUAGES } from '../../i18n/catalogue.ts'
import { formatLanguage } from '../../i18n/format.ts'
import type { Words } from '../page/words.ts'

/** Spoken near the Union or by many of its buyers, beside its own. */
const NEARBY = ['ar', 'bs', 'he', 'hi', 'is', 'ja', 'ko', 'mk', 'nb', 'ru', 'sq', 'sr', 'tr', 'uk', 'zh']
const OFFERED: readonly string[] = [...LANGUAGES.map(({ code }) => code), ...NEARBY]

const named = new Map<string, string>()

/** `Deutsch`, `German`, `deutsch` → `de`; undefined for a text that names none of those offered. */
export function languageNamed(text: string): string | undefined {
  if (named.size === 0) {
    for (const code of OFFERED) {
      for (const speaker of ['en', 'de'] as const)
        named.set(normalizeName(formatLanguage(speaker, code)), code)
    }
    for (const { code, name } of LANGUAGES) named.set(normalizeName(name), code)
  }
  return named.get(normalizeName(text))
}

/** Codes and names in the order of the names. */
export function languageChoices({ language }: Words): readonly (readonly [code: string, name: string])[] {
  const collator = new Intl.Collator(language)
  return OFFERED.map(code => [code, formatLanguage(language, code)] as const).sort((a, b) =>
    collator.compare(a[1], b[1]),
  )
}

/** "en, de" as a list. */
export const languagesOf = (text: string): string[] => text.split(/[\s,;]+/).filter(tag => tag !== '')
