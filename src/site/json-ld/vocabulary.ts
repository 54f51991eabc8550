/**
 * Every term of a JSON-LD passport, from the field table and the shapes, for contexts and the vocabulary
 * page.
 */
import terms from '../../../assets/json-ld-terms.json' with { type: 'json' }
import { allCategories } from '../../categories/catalogue.ts'
import type { Field } from '../../categories/field.ts'
import { getDictionaryTerm } from '../../standards/en18223/dictionary.ts'
import { RECORD_FIELD } from '../../standards/en18223/header.ts'
import { buildTermUrn } from '../../standards/term-urn.ts'
import { getJsonLdClass, getJsonLdTerm, hasSchemaClass } from './shapes.ts'

/**
 * Terms that belong to no field: those of schema.org and GS1, and our own with their descriptions. The values
 * of `ownLists` are lists, those of `ownTexts` translations.
 */
const { schemaTerms, schemaTypes, gs1Terms, ownTerms, ownLists, ownTexts, ownClasses, linkTypes } = terms

export type OwnClass = {
  /** Without the prefix: the fragment of its address. */
  name: string
  description: string
  /** Where it occurs: `textile: repair.instructions`. */
  places: readonly string[]
}

type OwnTerm = OwnClass & {
  isLocalized: boolean
  /** Its value is a list even with a single entry. */
  isList: boolean
}

type Place = { field: Field; place: string }

/** The fields of all categories, by term. */
function groupPlacesByTerm(): Map<string, Place[]> {
  const found = new Map<string, Place[]>()
  const walk = (fields: readonly Field[], category: string, parent: string) => {
    for (const field of fields) {
      const path = parent === '' ? field.name : `${parent}.${field.name}`
      if (field.name !== '') {
        const term = getJsonLdTerm(field)
        found.set(term, [...(found.get(term) ?? []), { field, place: `${category}: ${path}` }])
      }
      walk(field.fields ?? field.of ?? [], category, path)
    }
  }
  for (const category of allCategories()) walk(category.fields, category.id, '')
  return found
}

/** In alphabetical order. Throws if a term is localized, or a list, in one field and not in another. */
export function listOwnTerms(): OwnTerm[] {
  const terms: OwnTerm[] = Object.entries({ ...ownTerms, ...ownTexts }).map(([name, description]) => ({
    name,
    description,
    isLocalized: name in ownTexts,
    isList: ownLists.includes(name),
    places: [],
  }))
  for (const [term, places] of groupPlacesByTerm()) {
    if (!term.startsWith('dpp:')) continue
    const name = term.slice('dpp:'.length)
    const isLocalized = requireSameEverywhere(name, 'localized', places, field => field.localized === true)
    const isList = requireSameEverywhere(name, 'a list', places, field => field.type === 'list')
    const description = [...new Set(places.map(({ field }) => field.description))].join(' ')
    terms.push({
      name,
      description,
      isLocalized,
      isList,
      places: places.map(({ place }) => place),
    })
  }
  return terms.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The classes of the nodes inside a passport, in alphabetical order. */
export function listOwnClasses(): OwnClass[] {
  const found = new Map<string, OwnClass>(
    Object.entries(ownClasses).map(([name, description]) => [name, { name, description, places: [] }]),
  )
  for (const { field, place } of [...groupPlacesByTerm().values()].flat()) {
    const isNode = field.type === 'object' || (field.type === 'list' && field.of?.[0]?.name !== '')
    if (!isNode || field.localized || hasSchemaClass(field)) continue
    const name = getJsonLdClass(field).slice('dpp:'.length)
    const kind = field.type === 'list' ? 'An entry' : 'The value'
    found.set(name, {
      name,
      description: `${kind} of dpp:${field.name}.`,
      places: [...(found.get(name)?.places ?? []), place],
    })
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Terms that documents of other standards refer to and JSON-LD lacks: dictionary entries of EN 18223, and
 * types of links. In alphabetical order.
 */
export function listDictionaryEntries(): OwnClass[] {
  const found = new Map<string, { descriptions: Set<string>; places: string[] }>()
  const walk = (fields: readonly Field[], prefix: string) => {
    for (const field of fields) {
      const path = field.name === '' ? prefix : prefix + field.name
      const term = getDictionaryTerm(field)
      if (field.name !== '' && term.startsWith('carnet:')) {
        const name = term.slice('carnet:'.length)
        const { descriptions, places } = found.get(name) ?? { descriptions: new Set(), places: [] }
        found.set(name, { descriptions: descriptions.add(field.description), places: [...places, path] })
      }
      walk(field.fields ?? field.of ?? [], `${path}.`)
    }
  }
  for (const { id, fields } of allCategories()) walk(fields, `${id}: `)
  walk([RECORD_FIELD], '')
  const anchors = new Set([...listOwnTerms(), ...listOwnClasses()].map(({ name }) => name))
  const entries = Array.from(found, ([name, { descriptions, places }]) => ({
    name,
    places,
    description: [...descriptions].join(' '),
  })).filter(({ name }) => !anchors.has(name))
  const links = Object.entries(linkTypes).map(([name, description]) => ({ name, description, places: [] }))
  return [...entries, ...links].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function requireSameEverywhere(
  name: string,
  property: string,
  places: readonly Place[],
  test: (field: Field) => boolean,
): boolean {
  const results = new Set(places.map(({ field }) => test(field)))
  if (results.size === 1) return results.has(true)
  throw new Error(
    `"${name}" is ${property} in one field and not in another: define a separate term for one of them`,
  )
}

/** The terms of other vocabularies that passports use. */
export function listExternalTerms(): string[] {
  const fromTable = [...groupPlacesByTerm().keys()].filter(term => !term.startsWith('dpp:'))
  return [...new Set([...schemaTerms, ...gs1Terms.map(term => `gs1:${term}`), ...fromTable])].sort()
}

/**
 * The context is self-contained. Numbers are not coerced: `xsd:decimal` would turn 66.7 into the invalid
 * "6.67E1". Keywords have no aliases: `id` is the language tag of Indonesian.
 */
export function renderContext(nsUrl: string): string {
  const context: Record<string, unknown> = {
    '@version': 1.1,
    '@vocab': null,
    dpp: `${nsUrl}#`,
    schema: 'http://schema.org/',
    gs1: 'https://ref.gs1.org/voc/',
  }
  for (const name of [...schemaTypes, ...listExternalTerms()]) {
    context[name] = name.includes(':') ? { '@id': name } : `schema:${name}`
  }
  for (const { name, isLocalized, isList } of listOwnTerms()) {
    const container = isLocalized ? '@language' : isList ? '@set' : undefined
    context[`dpp:${name}`] = { '@id': `dpp:${name}`, '@container': container }
  }
  for (const { name } of listOwnClasses()) context[`dpp:${name}`] = { '@id': `dpp:${name}` }
  return `${JSON.stringify({ '@context': context }, null, 2)}\n`
}

/**
 * Our terms as linked data, each with the name that it has on every server: whoever reads passports of
 * several servers can treat them as one.
 */
export function renderTerms(nsUrl: string): string {
  const describe =
    (type: string, relation: string) =>
    ({ name, description }: OwnClass): Record<string, unknown> => ({
      '@id': `dpp:${name}`,
      '@type': type,
      'rdfs:comment': { '@value': description, '@language': 'en' },
      [relation]: { '@id': buildTermUrn(name) },
    })
  const graph = [
    ...listOwnTerms().map(describe('rdf:Property', 'owl:equivalentProperty')),
    ...listOwnClasses().map(describe('rdfs:Class', 'owl:equivalentClass')),
    ...listDictionaryEntries().map(describe('skos:Concept', 'skos:exactMatch')),
  ]
  const context = {
    '@version': 1.1,
    dpp: `${nsUrl}#`,
    owl: 'http://www.w3.org/2002/07/owl#',
    rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
    rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
    skos: 'http://www.w3.org/2004/02/skos/core#',
  }
  return `${JSON.stringify({ '@context': context, '@graph': graph }, null, 1)}\n`
}
