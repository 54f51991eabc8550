/**
 * The texts of the public page in the 24 official languages of the EU. All take 16 ms and 0.8 MB, so they
 * load at start.
 */
import { createRequire } from 'node:module'
import en from '../../locales/en.json' with { type: 'json' }

/** In alphabetical order of their codes, each with its own name. */
export const LANGUAGES = [
  { code: 'bg', name: 'Български' },
  { code: 'cs', name: 'Čeština' },
  { code: 'da', name: 'Dansk' },
  { code: 'de', name: 'Deutsch' },
  { code: 'el', name: 'Ελληνικά' },
  { code: 'en', name: 'English' },
  { code: 'es', name: 'Español' },
  { code: 'et', name: 'Eesti' },
  { code: 'fi', name: 'Suomi' },
  { code: 'fr', name: 'Français' },
  { code: 'ga', name: 'Gaeilge' },
  { code: 'hr', name: 'Hrvatski' },
  { code: 'hu', name: 'Magyar' },
  { code: 'it', name: 'Italiano' },
  { code: 'lt', name: 'Lietuvių' },
  { code: 'lv', name: 'Latviešu' },
  { code: 'mt', name: 'Malti' },
  { code: 'nl', name: 'Nederlands' },
  { code: 'pl', name: 'Polski' },
  { code: 'pt', name: 'Português' },
  { code: 'ro', name: 'Română' },
  { code: 'sk', name: 'Slovenčina' },
  { code: 'sl', name: 'Slovenščina' },
  { code: 'sv', name: 'Svenska' },
] as const satisfies readonly { code: string; name: string }[]

export type Language = (typeof LANGUAGES)[number]['code']

/** Sections (`ui`, `fields`, `values`, `fibres`, `documents`) of flat keys. */
export type Labels = typeof en

const require = createRequire(import.meta.url)

/** A language may lack labels of fields and values; then the English ones are shown. */
type OwnLabels = Omit<Labels, 'fields' | 'values'> & {
  fields: Partial<Labels['fields']>
  values: Partial<Labels['values']>
}

/** `npm run check` tests that no file lacks other texts, or has keys that English lacks. */
const OWN = new Map<string, OwnLabels>(
  LANGUAGES.map(({ code }) => [code, require(`../../locales/${code}.json`)]),
)

const CATALOGUES: ReadonlyMap<string, Labels> = new Map(
  OWN.entries().map(([language, own]) => [
    language,
    { ...own, fields: { ...en.fields, ...own.fields }, values: { ...en.values, ...own.values } },
  ]),
)

export const isLanguage = (text: string): text is Language => CATALOGUES.has(text)

/** All labels of a language; English ones replace missing ones. The object is shared: never change it. */
export const getLabels = (language: Language): Labels => CATALOGUES.get(language) ?? en

/** Returns `en` if the label is the English one because the language lacks it. */
export function getFallbackLanguage(
  language: Language,
  section: 'fields' | 'values',
  key: string,
): 'en' | undefined {
  const own = OWN.get(language)?.[section] ?? {}
  return Object.hasOwn(en[section], key) && !Object.hasOwn(own, key) ? 'en' : undefined
}

/** Lists the labels that languages lack, each as `section.key`. */
export function listMissingLabels(): { language: Language; keys: readonly string[] }[] {
  return LANGUAGES.flatMap(({ code }) => {
    const keys = (['fields', 'values'] as const).flatMap(section =>
      Object.keys(en[section]).flatMap(key =>
        getFallbackLanguage(code, section, key) === undefined ? [] : [`${section}.${key}`],
      ),
    )
    return keys.length === 0 ? [] : [{ language: code, keys }]
  })
}

/** Finds the label of a key built at run time, such as a field's path or `<path>.<value>`. */
export function findLabel(labels: Labels, section: keyof Labels, key: string): string | undefined {
  const entries: Readonly<Record<string, string>> = labels[section]
  return Object.hasOwn(entries, key) ? entries[key] : undefined
}

/** Lowercases a label within a phrase, but neither German nouns nor abbreviations. */
export const toLowerWithinPhrase = (language: Language, words: string): string =>
  language === 'de'
    ? words
    : words.replace(/^\p{Lu}(?!\p{Lu})/u, character => character.toLocaleLowerCase(language))

/** Lists the keys of the fibres' labels, which are English names. */
export const listFibreCodes = (): readonly string[] => Object.keys(en.fibres)
export const isFibreCode = (text: string): boolean => Object.hasOwn(en.fibres, text)

/**
 * Replaces each `{name}` that has a value, in one pass, so braces in values stay. The result is text: escape
 * it.
 */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )
}
