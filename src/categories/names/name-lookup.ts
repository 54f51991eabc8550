/**
 * Finds fields, values and yes or no by the names that people use: labels in all 24 languages and
 * synonyms.
 */
import { findLabel, getLabels, LANGUAGES, type Language } from '../../i18n/catalogue.ts'
import { once, perObject } from '../../kernel/values/memo.ts'
import type { CompleteCategory } from '../catalogue.ts'
import type { Field } from '../field.ts'
import { VALUE_SYNONYMS } from './synonyms.ts'

/**
 * Returns the letters and digits of a text in lower case without accents, so that "Pflege-Hinweise" and
 * "pflegehinweise" are equal, and so are "Élasthanne" and "elasthanne".
 */
export const normalizeName = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
    .replaceAll(/[łøđħßæœıς]/g, letter => PLAIN_LETTERS[letter] ?? letter)

/** Letters that Unicode does not decompose into a letter and a mark. */
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

/** "Artikelnummer (SKU)" is also written as "Artikelnummer" or "SKU". */
export function listSpellings(label: string): readonly string[] {
  const inBrackets = /\(([^)]*)\)/.exec(label)?.[1]
  return inBrackets === undefined ? [label] : [label, label.replace(/\s*\(.*\)/, ''), inBrackets]
}

/** `path` is the key in the label files (`repair.repairable`). */
export const findFieldLabel = (language: Language, path: string): string | undefined =>
  findLabel(getLabels(language), 'fields', path)

/**
 * Returns the paths (without indexes and languages) that a name can mean in a category, by `normalizeName`. A
 * member of an object or list has its own label, and its parent's label before its own. Several paths: the
 * name is ambiguous.
 */
export const getFieldNames = perObject((category: CompleteCategory) => {
  const words = new Map<string, readonly string[]>()
  const add = (text: string, path: string) => {
    const key = normalizeName(text)
    const paths = words.get(key) ?? []
    if (key !== '' && !paths.includes(path)) words.set(key, [...paths, path])
  }
  const addLabels = (path: string, parent: string) => {
    for (const { code } of LANGUAGES) {
      const own = findFieldLabel(code, path) ?? ''
      for (const name of listSpellings(own)) add(name, path)
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
  return words
})

/** True if a name (by `normalizeName`) is a member's path, or its parent's label followed by its own. */
export function includesParentName(path: string, key: string): boolean {
  const [parent = ''] = path.split('.')
  const full = LANGUAGES.map(
    ({ code }) => `${findFieldLabel(code, parent) ?? ''} ${findFieldLabel(code, path) ?? ''}`,
  )
  return [path, ...full].some(text => normalizeName(text) === key)
}

const valueNames = new WeakMap<Field, ReadonlyMap<string, string>>()

/** Finds the value of an enum by its own name in any case, by a label, or by a synonym. */
export function findValueByName(path: string, field: Field, text: string): string | undefined {
  const names = valueNames.get(field) ?? buildValueNames(path, field)
  valueNames.set(field, names)
  return names.get(normalizeName(text))
}

function buildValueNames(path: string, field: Field): ReadonlyMap<string, string> {
  const words = new Map<string, string>()
  const add = (name: string, value: string) => {
    const key = normalizeName(name)
    if (key !== '' && !words.has(key)) words.set(key, value)
  }
  // The field table's own names first, then labels, then synonyms: the first meaning of a name counts.
  const values = field.values ?? []
  for (const value of values) add(value, value)
  for (const value of values) for (const name of listValueLabels(path, value)) add(name, value)
  for (const value of values) for (const name of VALUE_SYNONYMS[path]?.[value] ?? []) add(name, value)
  return words
}

/** In all 24 languages, also without the part in brackets. */
function* listValueLabels(path: string, value: string): Generator<string> {
  for (const { code } of LANGUAGES) {
    const own = findLabel(getLabels(code), 'values', `${path}.${value}`) ?? ''
    yield own
    yield own.replace(/\s*\(.*\)/, '')
  }
}

const YES = ['true', '1', 'x', 'y', 'yes', 'wahr', 'vrai', 'verdadero', 'vero', 'waar']
const NO = ['false', '0', 'n', 'no', 'falsch', 'faux', 'falso', 'onwaar']
const getAnswers = once(() => {
  const labels = LANGUAGES.map(({ code }) => getLabels(code).ui)
  const yes = [...labels.map(one => normalizeName(one.yes)), ...YES]
  const no = [...labels.map(one => normalizeName(one.no)), ...NO]
  return new Map([...yes.map(word => [word, true] as const), ...no.map(word => [word, false] as const)])
})

/** `ja`, `x`, `WAHR` → true; undefined for anything else. */
export const parseYesNo = (text: string): boolean | undefined => getAnswers().get(normalizeName(text))
