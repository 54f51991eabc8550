/** The `dpp:` namespace: a JSON-LD context for programs, and a page that describes each term for people. */
import { hash } from 'node:crypto'
import { html } from 'ghtml'
import { allCategories, type CompleteCategory, findCategory } from '../../categories/catalogue.ts'
import { buildRequestSchema } from '../../categories/schema/json-schema.ts'
import { once } from '../../kernel/values/memo.ts'
import { buildTermUrn } from '../../standards/term-urn.ts'
import type { Representation } from '../http/content-negotiation.ts'
import { ALLOW_ANY_ORIGIN } from '../http/cors.ts'
import { type Headers, type PreparedResponse, prepareResponse } from '../http/prepared-response.ts'
import { buildHtmlHeaders, buildSecurityHeaders, HTML_MEDIA_TYPES, renderDocument } from '../page/shell.ts'
import { readContextVersions, readEnContexts } from './context-versions.ts'
import {
  listDictionaryEntries,
  listExternalTerms,
  listOwnClasses,
  listOwnTerms,
  type OwnClass,
  renderContext,
  renderTerms,
} from './vocabulary.ts'

const SHARED_HEADERS: Headers = {
  ...ALLOW_ANY_ORIGIN,
  'cache-control': 'public, max-age=86400',
  vary: 'Accept, Accept-Encoding',
}

/** The path of the namespace; undefined if its address is not below `publicUrl`. */
export function findNamespacePath(publicUrl: string, nsUrl: string): string | undefined {
  if (!nsUrl.startsWith(`${publicUrl}/`)) return undefined
  const path = nsUrl.slice(publicUrl.length)
  return /^(?:\/[\w.~-]+)+$/.test(path) ? path : undefined
}

type NamespaceFormat = Representation & { response: PreparedResponse }

/** The page, which is the default, and the context. */
export function prepareNamespace(publicUrl: string, nsUrl: string): [NamespaceFormat, NamespaceFormat] {
  const page = prepareResponse({
    body: renderVocabularyPage(nsUrl),
    etagPrefix: 'vocabulary',
    headers: { ...buildHtmlHeaders(publicUrl), ...SHARED_HEADERS, 'content-language': 'en' },
  })
  const context = prepareResponse({
    body: renderContext(nsUrl),
    etagPrefix: 'context',
    headers: { 'content-type': 'application/ld+json', ...buildSecurityHeaders(publicUrl), ...SHARED_HEADERS },
  })
  return [
    { mediaTypes: HTML_MEDIA_TYPES, response: page },
    { mediaTypes: ['application/ld+json', 'application/json'], response: context },
  ]
}

const IMMUTABLE_HEADERS: Headers = {
  ...SHARED_HEADERS,
  'cache-control': 'public, max-age=31536000, immutable',
  vary: 'Accept-Encoding',
}

/**
 * By path below the namespace. Built at the first request: a start would wait a tenth of a second for all.
 */
export type NamespaceDocuments = ReadonlyMap<string, () => PreparedResponse>

/** All documents at addresses of their own. */
export const listNamespaceDocuments = (publicUrl: string, nsUrl: string): NamespaceDocuments =>
  new Map([
    ...prepareContextVersions(publicUrl, nsUrl),
    ...prepareContentSpecifications(publicUrl, nsUrl),
    ['terms', once(() => prepareTerms(publicUrl, nsUrl))] as const,
    ...prepareTypeMetadata(publicUrl, nsUrl),
  ])

/**
 * The published contexts (`v1`, `en18223/textile/v1`). They never change, so that signed and stored documents
 * can refer to them.
 */
function prepareContextVersions(publicUrl: string, nsUrl: string): NamespaceDocuments {
  const own = readContextVersions().map(({ name, buildText }) => ({ path: name, buildText }))
  const headers = {
    'content-type': 'application/ld+json',
    ...buildSecurityHeaders(publicUrl),
    ...IMMUTABLE_HEADERS,
  }
  return new Map(
    [...own, ...readEnContexts()].map(({ path, buildText }) => [
      path,
      once(() =>
        prepareResponse({
          body: buildText(nsUrl),
          etagPrefix: `context.${path.replaceAll('/', '.')}`,
          headers,
        }),
      ),
    ]),
  )
}

/** The terms as linked data. */
const prepareTerms = (publicUrl: string, nsUrl: string): PreparedResponse =>
  prepareResponse({
    body: renderTerms(nsUrl),
    etagPrefix: 'terms',
    headers: {
      'content-type': 'application/ld+json',
      ...buildSecurityHeaders(publicUrl),
      ...SHARED_HEADERS,
      vary: 'Accept-Encoding',
    },
  })

/** The JSON Schemas of categories (`textile/v2`), which documents name as their content specifications. */
function prepareContentSpecifications(publicUrl: string, nsUrl: string): NamespaceDocuments {
  const headers = {
    'content-type': 'application/schema+json',
    ...buildSecurityHeaders(publicUrl),
    ...SHARED_HEADERS,
    vary: 'Accept-Encoding',
  }
  return new Map(
    listSpecifications(nsUrl).map(({ path, buildSchema }) => [
      path,
      once(() =>
        prepareResponse({ body: buildSchema(), etagPrefix: `schema.${path.replaceAll('/', '.')}`, headers }),
      ),
    ]),
  )
}

/** `buildSchema` returns JSON. */
type Specification = { path: string; category: CompleteCategory; buildSchema: () => string }

/** Each version of each category has one. */
function listSpecifications(nsUrl: string): Specification[] {
  return allCategories().flatMap(({ id, schemaVersion }) =>
    Array.from({ length: schemaVersion }, (_, i) => i + 1).flatMap(version => {
      const category = findCategory(id, version)
      const path = `${id}/v${version}`
      if (category === undefined) return []
      const buildSchema = () => JSON.stringify(buildRequestSchema(category, `${nsUrl}/${path}`))
      return [{ path, category, buildSchema }]
    }),
  )
}

/**
 * Type metadata of SD-JWT VCs (`types/textile/v2`), which these name as `vct`. Later drafts have no schema,
 * and ignore its members.
 */
function prepareTypeMetadata(publicUrl: string, nsUrl: string): NamespaceDocuments {
  const headers = {
    'content-type': 'application/json',
    ...buildSecurityHeaders(publicUrl),
    ...SHARED_HEADERS,
    vary: 'Accept-Encoding',
  }
  return new Map(
    listSpecifications(nsUrl).map(specification => {
      const etagPrefix = `type.${specification.path.replaceAll('/', '.')}`
      const prepare = () =>
        prepareResponse({ body: renderTypeMetadata(nsUrl, specification), etagPrefix, headers })
      return [`types/${specification.path}`, once(prepare)]
    }),
  )
}

function renderTypeMetadata(nsUrl: string, { path, category, buildSchema }: Specification): string {
  const [id, version] = path.split('/')
  return JSON.stringify({
    vct: `${nsUrl}/types/${path}`,
    name: `Digital product passport: ${id}`,
    description: `The passport of a product of the category ${id}, fields of ${version}.`,
    claims: category.fields.map(({ name }) => ({ path: [name], sd: 'always' })),
    schema_uri: `${nsUrl}/${path}`,
    'schema_uri#integrity': `sha256-${hash('sha256', buildSchema(), 'base64')}`,
  })
}

function renderVocabularyPage(nsUrl: string): string {
  const rows = listOwnTerms().map(renderRow)
  const classes = listOwnClasses().map(renderRow)
  const entries = listDictionaryEntries().map(renderRow)
  const externalTerms = listExternalTerms().map(
    term => html`<li>${term.includes(':') ? term : `schema:${term}`}</li>`,
  )
  const versions = readContextVersions()
    .map(({ name }) => html`<a href="${nsUrl}/${name}">${nsUrl}/${name}</a>`)
    .join(', ')
  return renderDocument({
    language: 'en',
    title: 'Vocabulary of digital product passports',
    isIndexable: true,
    head: html`<link rel="alternate" type="application/ld+json" href="${nsUrl}">`,
    body: html`<a class="skip" href="#content">Skip to content</a>
<header><p class="kind"><span>Vocabulary</span></p><h1>Terms of digital product passports</h1>
<p>Passports as JSON-LD use the terms of schema.org and of GS1 where these exist, and the terms below for everything
else. A term’s address is <span class="code">${nsUrl}#</span> and its name. A request that accepts
<span class="code">application/ld+json</span> gets the JSON-LD context from the same address. Each term also has a name that is the same on every server of this software:
<a href="${nsUrl}/terms">${nsUrl}/terms</a> says so for programs.</p></header>
<main id="content"><section><h2>Versions</h2><p>New fields of passports are added to the context. Each of its versions
has an address where it never changes: !${versions}.</p></section><section><h2>Our terms</h2><dl class="terms">!${rows}</dl></section>
<section><h2>Our classes</h2><p>Nodes inside a passport have one of these classes, or a class of schema.org.</p>
<dl class="terms">!${classes}</dl></section>
<section><h2>Entries of our dictionary</h2><p>Documents of EN 18223 and of UNTP also refer to these entries. An entry
has one unit.</p><dl class="terms">!${entries}</dl></section>
<section><h2>Terms of other vocabularies</h2>
<p>schema: is <span class="code">http://schema.org/</span>, gs1: is <span class="code">https://ref.gs1.org/voc/</span>.</p>
<ul class="words">!${externalTerms}</ul></section></main>`,
  })
}

function renderRow({ name, description, isLocalized, places }: OwnClass & { isLocalized?: boolean }): string {
  const localized = isLocalized ? ' A text for each language.' : ''
  const where = places.length === 0 ? '' : html`<br><small>${places.join(', ')}</small>`
  return html`<div id="${name}"><dt>dpp:${name}</dt><dd>${description}${localized}!${where}<br><small class="code">${buildTermUrn(name)}</small></dd></div>`
}
