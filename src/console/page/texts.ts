/** The console's texts by language, from `locales/console`. English fills what a language lacks. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Texts } from '../../../locales/console/texts.d.ts'
import { fillPlaceholders } from '../../i18n/catalogue.ts'

export type { Texts }

type Values = Readonly<Record<string, string | number>>
/** A string, or a function if the text has placeholders. */
export type Text = string | ((values: never) => string)
type Compiled = Text | readonly string[] | { readonly [key: string]: Compiled }

/** A JSON file as written: texts, lists of texts, plurals by CLDR category, and groups of these. */
export type TextSource = string | readonly string[] | { readonly [key: string]: TextSource }
type Plural = { readonly [category in Intl.LDMLPluralRule]?: string } & { readonly other: string }

const FALLBACK = 'en'
const FOLDER = new URL('../../../locales/console/', import.meta.url)
const CATEGORIES = new Set(['zero', 'one', 'two', 'few', 'many', 'other'])

export const isPlural = (source: TextSource): source is Plural =>
  typeof source === 'object' && 'other' in source && Object.keys(source).every(key => CATEGORIES.has(key))

export const listConsoleLanguages = (folder: URL = FOLDER): string[] =>
  readdirSync(folder).flatMap(file => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []))

export const readTextSource = (language: string, folder: URL = FOLDER): TextSource =>
  JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8'))

/** All texts of a language. `texts.d.ts` is generated from the English file, whose keys the result has. */
export function readTexts(language: string, folder: URL = FOLDER): Texts {
  const english = readTextSource(FALLBACK, folder)
  const own = language === FALLBACK ? english : readTextSource(language, folder)
  return compile(own, english, language) as unknown as Texts
}

function compile(source: TextSource | undefined, english: TextSource, language: string): Compiled {
  if (source === undefined) return compile(english, english, FALLBACK)
  if (typeof source === 'string') return withPlaceholders(source, () => source, language)
  if (isList(source)) return source
  if (isPlural(source)) {
    const rules = new Intl.PluralRules(language)
    return withPlaceholders(
      '{count}',
      ({ count }) => source[rules.select(Number(count))] ?? source.other,
      language,
    )
  }
  const groups = typeof english === 'object' && !isList(english) ? english : {}
  const entries = Object.entries(groups).map(([key, text]) => [key, compile(source[key], text, language)])
  return Object.fromEntries(entries)
}

const isList = (source: TextSource): source is readonly string[] => Array.isArray(source)

/** Calling the result fills the placeholders; numbers are formatted for the language. */
function withPlaceholders(sample: string, choose: (values: Values) => string, language: string): Text {
  if (!/\{\w+\}/.test(sample)) return sample
  const numbers = new Intl.NumberFormat(language)
  return (values: Values) => {
    const written = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? numbers.format(value) : value,
    ])
    return fillPlaceholders(choose(values), Object.fromEntries(written))
  }
}

/** Renders a text that has placeholders only in some languages or variants. */
export const renderText = (text: Text, values: Values = {}): string =>
  typeof text === 'string' ? text : text(values as never)

/** The text of a key that comes from data, or undefined. */
export const findText = <T>(group: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(group, key) ? group[key] : undefined
