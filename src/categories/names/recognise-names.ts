/**
 * Recognises names of fibres, furniture materials, battery chemistries and countries in 24 languages:
 * `Baumwolle`, `LINEN`, `NMC811` and `Deutschland` become `cotton`, `flax`, `nmc` and `DE`.
 */
import {
  findLabel,
  getLabels,
  isFibreCode,
  LANGUAGES,
  type Labels,
  listFibreCodes,
} from '../../i18n/catalogue.ts'
import { once } from '../../kernel/values/memo.ts'
import type { Field } from '../field.ts'
import { findCountryByName } from './country-names.ts'
import { findValueByName, listSpellings, normalizeName } from './name-lookup.ts'
import { findNearestName } from './nearest-name.ts'
import { FIBRE_KINDS, FIBRE_SYNONYMS, QUALIFIERS } from './synonyms.ts'

export type Recognition = {
  /** The stored value, which pages show in every language: `cotton`, `engineeredWood`, `nmc`, `DE`. */
  code: string
  /**
   * `exact`: the text is a name in some language, nothing more. `qualified`: it says more than the name
   * ("organic cotton"), so it must be kept. `similar`: probably misspelled; suggest the name, never assume
   * it.
   */
  certainty: 'exact' | 'qualified' | 'similar'
}

/**
 * Finds the fibre of Annex I of Regulation (EU) No 1007/2011 that a text names: in any of the 24 languages,
 * as a synonym, a short code or a brand. Case, spaces, hyphens and accents do not matter. No name means two
 * fibres (a test checks that), so the language of the text is not needed.
 */
export function recogniseFibre(text: string): Recognition | undefined {
  return recogniseKnownFibre(text) ?? findSimilarFibre(text)
}

/** Like `recogniseFibre`, but without guessing, for pages and imports. One or two look-ups. */
export function recogniseKnownFibre(text: string): Recognition | undefined {
  if (isFibreCode(text)) return { code: text, certainty: 'exact' }
  if (text.length > MAX_NAME_LENGTH) return undefined
  return getFibreNames().get(normalizeName(text)) ?? withoutQualifiers(text)
}

/**
 * Returns what forms and imports store for a text: the code of an exact name, else the text itself. `path` is
 * the key of the field's label (`fiberComposition.fiber`).
 */
export function toCanonicalName(path: string, field: Field, text: string): string {
  const known = recogniseName(path, field, text)
  return known?.certainty === 'exact' ? known.code : text
}

/**
 * Returns what a page in the language of `labels` shows for a fibre: its own name and, if the text says more,
 * the text. Undefined if the text is shown unchanged.
 */
export function buildFibreLabel(labels: Labels, text: string): { name: string; more?: string } | undefined {
  const known = recogniseKnownFibre(text)
  const name = known && findLabel(labels, 'fibres', known.code)
  if (known === undefined || name === undefined) return undefined
  if (known.certainty === 'exact') return { name }
  const own = listSpellings(name).map(normalizeName)
  const includesName = text.split(/\s+/).some(word => own.some(one => normalizeName(word).endsWith(one)))
  return includesName ? undefined : { name, more: text.trim() }
}

/** Recognises a value, country or fibre by the field, without guessing; undefined for other fields. */
export function recogniseName(path: string, field: Field, text: string): Recognition | undefined {
  if (field.values !== undefined) return exact(findValueByName(path, field, text))
  if (field.format === 'country') return exact(findCountryByName(text))
  return field.dictionary === 'fibres' ? recogniseKnownFibre(text) : undefined
}

const exact = (code: string | undefined): Recognition | undefined =>
  code === undefined ? undefined : { code, certainty: 'exact' }

/** Security bound: names are compared letter by letter. No name is longer. */
const MAX_NAME_LENGTH = 100

/** All names of fibres by `normalizeName`. If two become equal, the first one counts. */
const getFibreNames = once(() => {
  const names = new Map<string, Recognition>()
  for (const [name, found] of listFibreNames()) {
    const key = normalizeName(name)
    if (key !== '' && !names.has(key)) names.set(key, found)
  }
  return names
})

/** Lists every name as written with its meaning; exact names first. */
export function* listFibreNames(): Generator<readonly [name: string, Recognition]> {
  const codes = listFibreCodes()
  for (const code of codes) yield [code, { code, certainty: 'exact' }]
  for (const { code: language } of LANGUAGES) {
    for (const code of codes) {
      const own = findLabel(getLabels(language), 'fibres', code) ?? ''
      for (const name of listSpellings(own)) yield [name, { code, certainty: 'exact' }]
    }
  }
  for (const [code, names] of Object.entries(FIBRE_SYNONYMS))
    for (const name of names) yield [name, { code, certainty: 'exact' }]
  for (const [code, names] of Object.entries(FIBRE_KINDS))
    for (const name of names) yield [name, { code, certainty: 'qualified' }]
}

const IGNORED_WORDS: ReadonlySet<string> = new Set(QUALIFIERS.map(normalizeName))

/** "recycled polyester (GRS)": removes known extra words and finds the rest. */
function withoutQualifiers(text: string): Recognition | undefined {
  const words = text.split(/[^\p{L}\p{M}\p{N}]+/u).filter(word => word !== '')
  const rest = words.filter(word => !/^\p{N}+$/u.test(word) && !IGNORED_WORDS.has(normalizeName(word)))
  if (rest.length === 0 || rest.length === words.length) return undefined
  const found = getFibreNames().get(normalizeName(rest.join('')))
  return found && { code: found.code, certainty: 'qualified' }
}

const getFibresByLetter = once(() => Map.groupBy(getFibreNames().keys(), ([first = '']) => first))

/** Compares names with the same first letter, which is seldom wrong: 20 µs instead of 200. */
function findSimilarFibre(text: string): Recognition | undefined {
  const key = normalizeName(text)
  const [first = ''] = key
  const nearest = findNearestName(key, getFibresByLetter().get(first) ?? [])
  const found = nearest === undefined ? undefined : getFibreNames().get(nearest)
  return found && { code: found.code, certainty: 'similar' }
}
