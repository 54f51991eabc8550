/**
 * Recognises what a text means where the service has words in 24 languages: fibres, furniture materials, chemistries of
 * batteries, countries. `Baumwolle`, `LINEN`, `NMC811` and `Deutschland` lead to `cotton`, `flax`, `nmc` and `DE`.
 * A known name costs one look-up; only a text that is none is compared with them all. The table is made at first use.
 */
import {
  findLabel,
  getLabels,
  isFibreCode,
  LANGUAGES,
  type Labels,
  listFibreCodes,
} from '../../i18n/catalogue.ts'
import type { Field } from '../field.ts'
import {
  findCountryByName,
  findValueByName,
  getCountryNames,
  getValueNames,
  normalizeName,
} from './name-lookup.ts'
import { FIBRE_KINDS, FIBRE_SYNONYMS, PARTICLES, QUALIFIERS } from './name-synonyms.ts'
import { findNearestName } from './nearest-name.ts'

export type Recognition = {
  /** What is stored so that pages show it in every language: `cotton`, `engineeredWood`, `nmc`, `DE`. */
  code: string
  /**
   * `exact`: a name of it in some language, nothing more. `qualified`: says more than the name ("organic cotton"), so
   * the text must be kept. `similar`: probably misspelt, to be asked, never assumed.
   */
  certainty: 'exact' | 'qualified' | 'similar'
}

/**
 * The fibre of Annex I of Regulation (EU) No 1007/2011 that a text names, in any of the 24 languages, as a synonym, a
 * short code or a brand. Case, spaces, hyphens and accents do not count. No name means two fibres (a test holds that),
 * so the language of the text is not needed. Undefined for what is none.
 */
export function recogniseFibre(text: string): Recognition | undefined {
  return recogniseKnownFibre(text) ?? similar(text, fibreNames())
}

/** The same without a guess: what pages and imports may rely on. One or two look-ups. */
export function recogniseKnownFibre(text: string): Recognition | undefined {
  if (isFibreCode(text)) return { code: text, certainty: 'exact' }
  if (text.length > MAX_NAME_LENGTH) return undefined
  return fibreNames().get(normalizeName(text)) ?? withoutQualifiers(text)
}

/** The listed value that a text names: a label in any of the 24 languages or a synonym. `path` as the labels have it. */
export function recogniseValue(path: string, field: Field, text: string): Recognition | undefined {
  if (text.length > MAX_NAME_LENGTH) return undefined
  const code = findValueByName(path, field, text)
  return code === undefined ? similar(text, getValueNames(path, field)) : { code, certainty: 'exact' }
}

/** The country that a text names, by its code or its name in any of the 24 languages. */
export function recogniseCountry(text: string): Recognition | undefined {
  if (text.length > MAX_NAME_LENGTH) return undefined
  const code = findCountryByName(text)
  return code === undefined ? similar(text, getCountryNames()) : { code, certainty: 'exact' }
}

/**
 * What to store for a text where Carnet chooses (forms, imports): the code of an exact name, else the text as it is.
 * `path` as the labels have it (`fiberComposition.fiber`).
 */
export function toCanonicalName(path: string, field: Field, text: string): string {
  const known = recogniseName(path, field, text)
  return known?.certainty === 'exact' ? known.code : text
}

/**
 * What a page in the language of `labels` shows for a fibre's name: its own word, and after it the text where that says
 * more. Undefined for a text that is shown as it is.
 */
export function buildFibreLabel(labels: Labels, text: string): { name: string; more?: string } | undefined {
  const known = recogniseKnownFibre(text)
  const name = known && findLabel(labels, 'fibres', known.code)
  if (known === undefined || name === undefined) return undefined
  if (known.certainty === 'exact') return { name }
  const own = namesIn(name).map(normalizeName)
  const saysItself = text.split(/\s+/).some(word => own.some(one => normalizeName(word).endsWith(one)))
  return saysItself ? undefined : { name, more: text.trim() }
}

/** Whichever of the above the field calls for, without a guess; undefined for a field that has no known names. */
export function recogniseName(path: string, field: Field, text: string): Recognition | undefined {
  if (field.values !== undefined) return exact(findValueByName(path, field, text))
  if (field.format === 'country') return exact(findCountryByName(text))
  return field.dictionary === 'fibres' ? recogniseKnownFibre(text) : undefined
}

const exact = (code: string | undefined): Recognition | undefined =>
  code === undefined ? undefined : { code, certainty: 'exact' }

/** Security bound: names are compared letter by letter. Longer texts are no name. */
const MAX_NAME_LENGTH = 100

let fibres: ReadonlyMap<string, Recognition> | undefined

/** All names of fibres, folded; the first of two that fold together stays. */
function fibreNames(): ReadonlyMap<string, Recognition> {
  if (fibres !== undefined) return fibres
  const names = new Map<string, Recognition>()
  for (const [name, found] of listFibreNames()) {
    const key = normalizeName(name)
    if (key !== '' && !names.has(key)) names.set(key, found)
  }
  fibres = names
  return names
}

/** Every name with what it means, as it is written; the surest first. */
export function* listFibreNames(): Generator<readonly [name: string, Recognition]> {
  const codes = listFibreCodes()
  for (const code of codes) yield [code, { code, certainty: 'exact' }]
  for (const { code: language } of LANGUAGES) {
    for (const code of codes) {
      const own = findLabel(getLabels(language), 'fibres', code) ?? ''
      for (const name of namesIn(own)) yield [name, { code, certainty: 'exact' }]
    }
  }
  for (const [code, names] of Object.entries(FIBRE_SYNONYMS))
    for (const name of names) yield [name, { code, certainty: 'exact' }]
  for (const [code, names] of Object.entries(FIBRE_KINDS))
    for (const name of names) yield [name, { code, certainty: 'qualified' }]
}

/** "flax (linen)" is also written by either of its names alone. */
const namesIn = (own: string): readonly string[] => {
  const inBrackets = /\(([^)]*)\)/.exec(own)?.[1]
  return inBrackets === undefined ? [own] : [own, own.replace(/\s*\(.*\)/, ''), inBrackets]
}

const BESIDE: ReadonlySet<string> = new Set([...QUALIFIERS, ...PARTICLES].map(normalizeName))

/** "recycled polyester (GRS)": what is left without words known to stand beside a name, if that is a name. */
function withoutQualifiers(text: string): Recognition | undefined {
  const words = text.split(/[^\p{L}\p{M}\p{N}]+/u).filter(word => word !== '')
  const rest = words.filter(word => !/^\p{N}+$/u.test(word) && !BESIDE.has(normalizeName(word)))
  if (rest.length === 0 || rest.length === words.length) return undefined
  const found = fibreNames().get(normalizeName(rest.join('')))
  return found && { code: found.code, certainty: 'qualified' }
}

type Names = ReadonlyMap<string, Recognition | string>
const letters = new WeakMap<Names, ReadonlyMap<string, readonly string[]>>()

/** Names under their first letters, sorted out once. */
function namesByLetter(names: Names): ReadonlyMap<string, readonly string[]> {
  const known = letters.get(names) ?? Map.groupBy(names.keys(), ([first = '']) => first)
  letters.set(names, known)
  return known
}

/** The name nearest to a text that is none. Few err in the first letter: 10 to 20 µs instead of 70 to 200. */
function similar(text: string, names: Names): Recognition | undefined {
  const key = normalizeName(text)
  const [first = ''] = key
  const nearest = findNearestName(key, namesByLetter(names).get(first) ?? [])
  const found = nearest === undefined ? undefined : names.get(nearest)
  if (found === undefined) return undefined
  return { code: typeof found === 'string' ? found : found.code, certainty: 'similar' }
}
