/**
 * What people call things in sheets: the labels of fields and values in all 24 languages, names of countries, words for
 * yes and no. They lead back to what the field table calls them.
 */
import { findLabel, getLabels, LANGUAGES } from '../../i18n/catalogue.ts'
import type { CompleteCategory } from '../catalogue.ts'
import { COUNTRIES } from '../countries.ts'
import type { Field } from '../field.ts'
import { COUNTRY_SYNONYMS, VALUE_SYNONYMS } from './name-synonyms.ts'

/**
 * Letters and digits of a text, in lower case and without accents, whatever the locale: "Pflege-Hinweise" and
 * "pflegehinweise" are one word, "Élasthanne" and "elasthanne" are too.
 */
export const normalizeName = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
    .replaceAll(/[łøđħßæœıς]/g, letter => PLAIN_LETTERS[letter] ?? letter)

/** Letters that Unicode does not take apart into a letter and its mark. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ħ: 'h',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ς: 'σ',
}

/** A field's label in one of the 24 languages by its path in the label files (`repair.repairable`), else undefined. */
export const findFieldLabel = (
  language: (typeof LANGUAGES)[number]['code'],
  path: string,
): string | undefined => findLabel(getLabels(language), 'fields', path)

const fieldsOf = new WeakMap<CompleteCategory, ReadonlyMap<string, readonly string[]>>()

/**
 * Paths (without indexes and languages) that a word may mean in a category, by `normalizeName`; a member of an object or
 * list goes by its label alone and by its parent's and its own. Several: the word is not enough by itself.
 */
export function getFieldNames(category: CompleteCategory): ReadonlyMap<string, readonly string[]> {
  const known = fieldsOf.get(category)
  if (known !== undefined) return known
  const words = new Map<string, string[]>()
  const add = (text: string | undefined, path: string) => {
    const key = normalizeName(text ?? '')
    const paths = words.get(key) ?? []
    if (key !== '' && !paths.includes(path)) words.set(key, [...paths, path])
  }
  const addLabels = (path: string, parent: string) => {
    for (const { code } of LANGUAGES) {
      const own = findFieldLabel(code, path) ?? ''
      // "Artikelnummer (SKU)" is also written without what is in brackets, and by that alone.
      for (const name of [own, own.replace(/\s*\(.*\)/, ''), /\(([^)]*)\)/.exec(own)?.[1]]) add(name, path)
      if (parent !== '') add(`${findFieldLabel(code, parent) ?? ''} ${own}`, path)
    }
  }
  const walk = (fields: readonly Field[], parent: string) => {
    for (const field of fields.filter(({ name }) => name !== '')) {
      const path = parent === '' ? field.name : `${parent}.${field.name}`
      for (const name of [field.name, path]) add(name, path)
      addLabels(path, parent)
      walk(field.fields ?? field.of ?? [], path)
    }
  }
  walk(category.fields, '')
  fieldsOf.set(category, words)
  return words
}

/** Whether a word (by `normalizeName`) is a member's path, or its label together with that of its parent. */
export function includesParentName(path: string, key: string): boolean {
  const [parent = ''] = path.split('.')
  const full = LANGUAGES.map(
    ({ code }) => `${findFieldLabel(code, parent) ?? ''} ${findFieldLabel(code, path) ?? ''}`,
  )
  return [path, ...full].some(text => normalizeName(text) === key)
}

let countryCodes: ReadonlyMap<string, string> | undefined

/** 249 names in 24 languages; made at first use. */
export function getCountryNames(): ReadonlyMap<string, string> {
  if (countryCodes !== undefined) return countryCodes
  const codes = new Map<string, string>()
  for (const { code } of LANGUAGES) {
    const names = new Intl.DisplayNames([code], { type: 'region', fallback: 'none' })
    for (const country of COUNTRIES) {
      const key = normalizeName(names.of(country) ?? '')
      if (key !== '' && !codes.has(key)) codes.set(key, country)
    }
  }
  for (const [country, names] of Object.entries(COUNTRY_SYNONYMS)) {
    for (const name of names) codes.set(normalizeName(name), country)
  }
  for (const country of COUNTRIES) codes.set(country.toLowerCase(), country)
  countryCodes = codes
  return codes
}

/** `Deutschland` → `DE`; undefined for what is no country's name or code. */
export const findCountryByName = (text: string): string | undefined =>
  getCountryNames().get(normalizeName(text))

const values = new WeakMap<Field, ReadonlyMap<string, string>>()

/** The value of an enum that a word stands for: as the table has it in any case, or a label; undefined when none. */
export function findValueByName(path: string, field: Field, text: string): string | undefined {
  return getValueNames(path, field).get(normalizeName(text))
}

/** All words for the values of an enum, by `normalizeName`. */
export function getValueNames(path: string, field: Field): ReadonlyMap<string, string> {
  const known = values.get(field) ?? valueWords(path, field)
  values.set(field, known)
  return known
}

function valueWords(path: string, field: Field): ReadonlyMap<string, string> {
  const words = new Map<string, string>()
  const add = (name: string, value: string) => {
    const key = normalizeName(name)
    if (key !== '' && !words.has(key)) words.set(key, value)
  }
  // The table's own words first, then labels, then synonyms: the first meaning of a word stays.
  const values = field.values ?? []
  for (const value of values) add(value, value)
  for (const value of values) for (const name of labelsOfValue(path, value)) add(name, value)
  for (const value of values) for (const name of VALUE_SYNONYMS[path]?.[value] ?? []) add(name, value)
  return words
}

/** In all 24 languages, also without what is in brackets. */
function* labelsOfValue(path: string, value: string): Generator<string> {
  for (const { code } of LANGUAGES) {
    const own = findLabel(getLabels(code), 'values', `${path}.${value}`) ?? ''
    yield own
    yield own.replace(/\s*\(.*\)/, '')
  }
}

const YES = ['true', '1', 'x', 'y', 'yes', 'wahr', 'vrai', 'verdadero', 'vero', 'waar']
const NO = ['false', '0', 'n', 'no', 'falsch', 'faux', 'falso', 'onwaar']
let answers: ReadonlyMap<string, boolean> | undefined

/** `ja`, `x`, `WAHR` → true; undefined for what is neither. */
export function parseYesNo(text: string): boolean | undefined {
  if (answers === undefined) {
    const words = new Map<string, boolean>()
    for (const { code } of LANGUAGES) {
      const { yes, no } = getLabels(code).ui
      words.set(normalizeName(yes), true)
      words.set(normalizeName(no), false)
    }
    for (const word of YES) words.set(word, true)
    for (const word of NO) words.set(word, false)
    answers = words
  }
  return answers.get(normalizeName(text))
}
