/**
 * The texts of the public page in the 24 official languages of the EU: one JSON file each, with the keys of the English
 * one, which the compiler checks. All 24 take 16 ms and 0.8 MB to load, so they are loaded at start.
 */

import bg from '../../locales/bg.json' with { type: 'json' }
import cs from '../../locales/cs.json' with { type: 'json' }
import da from '../../locales/da.json' with { type: 'json' }
import de from '../../locales/de.json' with { type: 'json' }
import el from '../../locales/el.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import es from '../../locales/es.json' with { type: 'json' }
import et from '../../locales/et.json' with { type: 'json' }
import fi from '../../locales/fi.json' with { type: 'json' }
import fr from '../../locales/fr.json' with { type: 'json' }
import ga from '../../locales/ga.json' with { type: 'json' }
import hr from '../../locales/hr.json' with { type: 'json' }
import hu from '../../locales/hu.json' with { type: 'json' }
import it from '../../locales/it.json' with { type: 'json' }
import lt from '../../locales/lt.json' with { type: 'json' }
import lv from '../../locales/lv.json' with { type: 'json' }
import mt from '../../locales/mt.json' with { type: 'json' }
import nl from '../../locales/nl.json' with { type: 'json' }
import pl from '../../locales/pl.json' with { type: 'json' }
import pt from '../../locales/pt.json' with { type: 'json' }
import ro from '../../locales/ro.json' with { type: 'json' }
import sk from '../../locales/sk.json' with { type: 'json' }
import sl from '../../locales/sl.json' with { type: 'json' }
import sv from '../../locales/sv.json' with { type: 'json' }

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

/** A language may lack labels of fields and values; then the English ones are shown. */
type OwnLabels = Omit<Labels, 'fields' | 'values'> & {
  fields: Partial<Labels['fields']>
  values: Partial<Labels['values']>
}

const OTHERS = {
  bg,
  cs,
  da,
  de,
  el,
  es,
  et,
  fi,
  fr,
  ga,
  hr,
  hu,
  it,
  lt,
  lv,
  mt,
  nl,
  pl,
  pt,
  ro,
  sk,
  sl,
  sv,
} satisfies Record<Exclude<Language, 'en'>, OwnLabels>

/** The keys of all other languages: a key that English lacks does not compile. */
type EveryKey = typeof bg &
  typeof cs &
  typeof da &
  typeof de &
  typeof el &
  typeof es &
  typeof et &
  typeof fi &
  typeof fr &
  typeof ga &
  typeof hr &
  typeof hu &
  typeof it &
  typeof lt &
  typeof lv &
  typeof mt &
  typeof nl &
  typeof pl &
  typeof pt &
  typeof ro &
  typeof sk &
  typeof sl &
  typeof sv

const OWN: Readonly<Record<Language, OwnLabels>> = { ...OTHERS, en: en satisfies EveryKey }

const CATALOGUES: ReadonlyMap<string, Labels> = new Map(
  Object.entries(OWN).map(([language, own]) => [
    language,
    { ...own, fields: { ...en.fields, ...own.fields }, values: { ...en.values, ...own.values } },
  ]),
)

const CODES: ReadonlySet<string> = new Set(LANGUAGES.map(({ code }) => code))

export function isLanguage(text: string): text is Language {
  return CODES.has(text)
}

/** All labels of a language, with English ones where it lacks some. The object is shared: never change it. */
export function getLabels(language: Language): Labels {
  return CATALOGUES.get(language) ?? en
}

/** Returns `en` if the label is the English one because the language lacks it. */
export function getFallbackLanguage(
  language: Language,
  section: 'fields' | 'values',
  key: string,
): 'en' | undefined {
  return Object.hasOwn(en[section], key) && !Object.hasOwn(OWN[language][section], key) ? 'en' : undefined
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

/**
 * Finds the label of a key built at run time, such as a field's path or `<path>.<value>`. Undefined for unknown keys, also
 * for inherited names such as `constructor`.
 */
export function findLabel(labels: Labels, section: keyof Labels, key: string): string | undefined {
  const entries: Readonly<Record<string, string>> = labels[section]
  return Object.hasOwn(entries, key) ? entries[key] : undefined
}

/** Lowercases a label for use within a phrase, except in German, which capitalises nouns, and except abbreviations. */
export function toLowerWithinPhrase(language: Language, words: string): string {
  if (language === 'de') return words
  return words.replace(/^\p{Lu}(?!\p{Lu})/u, character => character.toLocaleLowerCase(language))
}

/** Lists the keys of the fibres' labels, which are English names. */
export const listFibreCodes = (): readonly string[] => Object.keys(en.fibres)
export const isFibreCode = (text: string): boolean => Object.hasOwn(en.fibres, text)

/**
 * Replaces each `{name}` by its value in one pass, so braces in values stay. Placeholders without a value stay too. The
 * result is text, not markup: escape it.
 */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )
}
