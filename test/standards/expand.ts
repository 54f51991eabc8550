/**
 * A strict JSON-LD processor that knows the contexts which our documents name, and loads nothing else. UNTP's
 * own context is not kept here: `schemas/NOTICE.md`.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
// @ts-expect-error: the package has no types
import integrity from '@digitalbazaar/data-integrity-context'
import jsonld from 'jsonld'
import type { DataObject } from '../../src/kernel/values/data-object.ts'
import { readContextVersions, readEnContexts } from '../../src/site/json-ld/context-versions.ts'
import { renderContext } from '../../src/site/json-ld/vocabulary.ts'
import { UNTP_CONTEXT } from '../../src/standards/untp/untp-0.7.0.ts'

const readContext = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`schemas/${file}.context.jsonld`, import.meta.url), 'utf8'))

const [CREDENTIALS, UNTP] = UNTP_CONTEXT
const SHARED = new Map<string, unknown>([
  ...integrity.contexts,
  [CREDENTIALS, readContext('credentials-v2')],
  [UNTP, readContext('untp-0.7.0-terms')],
])

/** The contexts of a server whose terms begin with `nsUrl` and `#`. */
function readOwnContexts(nsUrl: string): Map<string, unknown> {
  const versions = readContextVersions().map(({ name, buildText }) => ({ path: name, buildText }))
  return new Map([
    [nsUrl, JSON.parse(renderContext(nsUrl))],
    ...[...versions, ...readEnContexts()].map(
      ({ path, buildText }) => [`${nsUrl}/${path}`, JSON.parse(buildText(nsUrl))] as const,
    ),
  ])
}

// biome-ignore lint/suspicious/noExplicitAny: the types of jsonld lack some options, and documents have any shape
type Any = any

export type StrictProcessor = {
  /** Throws if a member has no term. */
  expand(document: DataObject): Promise<Any>
  /** Throws, too, if only the conversion to RDF would lose data. */
  toQuads(document: DataObject): Promise<string>
}

export function createStrictProcessor(nsUrl: string): StrictProcessor {
  const contexts = new Map([...SHARED, ...readOwnContexts(nsUrl)])
  const documentLoader = async (url: string) => {
    const document = contexts.get(url)
    assert.ok(document, `${url} is a local copy`)
    return { contextUrl: undefined, documentUrl: url, document }
  }
  const options: Any = { documentLoader, safe: true }
  return {
    expand: async document => jsonld.expand(document as Any, options),
    toQuads: document =>
      jsonld.toRDF(document as Any, {
        ...options,
        format: 'application/n-quads',
      }) as unknown as Promise<string>,
  }
}

/** Every text, number and boolean in a document or in its expanded form, sorted. */
export function listScalars(value: unknown): string[] {
  const walk = (one: unknown): string[] => {
    if (typeof one !== 'object' || one === null) return [JSON.stringify(one)]
    return (Array.isArray(one) ? one : Object.values(one)).flatMap(walk)
  }
  return walk(value).sort()
}
