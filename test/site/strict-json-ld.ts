/** A strict JSON-LD processor that knows only our context, and the terms that this context defines. */
import assert from 'node:assert/strict'
import jsonld from 'jsonld'
import { renderContext } from '../../src/site/json-ld/vocabulary.ts'
import { ADDRESSES } from '../harness.ts'

export const NS = `${ADDRESSES.publicUrl}/ns/dpp`
const context = JSON.parse(renderContext(NS)) as { '@context': Record<string, unknown> }

const documentLoader = async (url: string) => {
  assert.equal(url, NS, 'only our own context is asked for')
  return { contextUrl: undefined, documentUrl: url, document: context }
}
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
type Any = any
const options = { documentLoader, safe: true } as Any

/** The only node of a document, expanded; throws if expansion would lose data. */
export const expand = async (document: Any): Promise<Any> =>
  ((await jsonld.expand(document, options)) as Any)[0]

/** The document as N-Quads; also throws if only the conversion to RDF would lose data. */
export const toQuads = async (document: Any): Promise<string> =>
  (await jsonld.toRDF(document, { ...options, format: 'application/n-quads' })) as unknown as string

/** Every IRI for which the context defines a term. */
const known = new Set(
  Object.keys(context['@context'])
    .filter(term => !term.startsWith('@'))
    .map(term => {
      const value = context['@context'][term]
      const compact = typeof value === 'string' ? value : (value as { '@id': string })['@id']
      const [prefix, name] = compact.split(':', 2)
      const base = { dpp: `${NS}#`, schema: 'http://schema.org/', gs1: 'https://ref.gs1.org/voc/' }[
        prefix ?? ''
      ]
      return base === undefined ? compact : base + name
    }),
)

/** Asserts that every term of an expanded node is defined in the context. */
export function assertKnown(node: unknown): void {
  if (Array.isArray(node)) for (const one of node) assertKnown(one)
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return
  for (const [key, value] of Object.entries(node)) {
    if (key === '@type')
      for (const type of [value].flat()) assert.ok(known.has(type) || '@value' in node, type)
    else if (!key.startsWith('@')) assert.ok(known.has(key), `${key} is in the context`)
    assertKnown(value)
  }
}
