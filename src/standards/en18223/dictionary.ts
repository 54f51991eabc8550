/** The dictionary entry that each element refers to. Elements have no unit: it belongs to the entry. */
import type { Field } from '../../categories/field.ts'
import { perObject } from '../../kernel/values/memo.ts'

/** The vocabularies of compact terms; our own entries are in the namespace of the JSON-LD terms. */
export const buildPrefixes = (nsUrl: string) => ({
  carnet: `${nsUrl}#`,
  schema: 'http://schema.org/',
  gs1: 'https://ref.gs1.org/voc/',
})

/**
 * The entry as a compact IRI: `carnet:weightKg`, `schema:name`. A term of another vocabulary stands for a
 * field without a unit only, because it says nothing about the unit.
 */
export function getDictionaryTerm({ name, term, unit, dictionaryEntry }: Field): string {
  if (dictionaryEntry !== undefined) return `carnet:${dictionaryEntry}`
  if (term?.startsWith('dpp:')) return `carnet:${term.slice('dpp:'.length)}`
  return term === undefined || unit !== undefined ? `carnet:${name}` : term
}

/** The address of the entry. Made once for each field, because each element of a document has one. */
export function buildDictionaryReference(field: Field, nsUrl: string): string {
  const known = references(field)
  const found = known.get(nsUrl)
  if (found !== undefined) return found
  const term = getDictionaryTerm(field)
  const end = term.indexOf(':')
  const [, base] =
    Object.entries(buildPrefixes(nsUrl)).find(([prefix]) => prefix === term.slice(0, end)) ?? []
  const reference = `${base}${term.slice(end + 1)}`
  known.set(nsUrl, reference)
  return reference
}

const references = perObject((_: Field) => new Map<string, string>())
