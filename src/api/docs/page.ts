/** The reference page: HTML made from the OpenAPI document, readable without its script. */
import { html } from 'ghtml'
import { DETAIL_CATALOGUE, ERROR_CATALOGUE } from '../endpoint/error-catalogue.ts'
import { STATUS } from '../endpoint/errors.ts'
import { GUIDES, renderGuide, SIGNATURE_SAMPLE, WEBHOOK_TEXTS } from './guides.ts'
import { renderOperation } from './operation.ts'
import {
  type ApiDocument,
  type DescribedEvent,
  listEventHeaders,
  listOperations,
  listWebhookEvents,
} from './read-document.ts'
import { renderMember, renderMembers, renderType, type Schema } from './schema.ts'
import { formatJson, renderBreakable, renderCodeBlock, renderInline, renderParagraphs } from './text.ts'

const TITLES: Readonly<Record<string, string>> = {
  products: 'Products',
  units: 'Batches and items',
  in_use: 'Measurements',
  events: 'Events of batches and items',
  recalls: 'Recalls',
  media: 'Pictures and documents',
  offers: 'Offers',
  drafts: 'Drafts',
  readiness: 'Readiness',
  registry: 'EU registry',
  scans: 'Scans',
  categories: 'Categories',
  service: 'Service',
}

type Chapter = {
  id: string
  title: string
  entries: readonly (readonly [id: string, title: string])[]
  body: string
}

/** `hrefs` are relative to the page. */
export function renderDocsPage(document: ApiDocument, hrefs: { style: string; script: string }): string {
  const chapters = buildChapters(document)
  const apiUrl = document.servers[0]?.url ?? ''
  const { pathname } = new URL(apiUrl)
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<title>Carnet API</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Reference of the Carnet REST API: digital product passports, their units, versions, QR codes and webhooks.">
<link rel="stylesheet" href="${hrefs.style}">
<script type="module" src="${hrefs.script}"></script></head>
<body data-api="${pathname}"><a class="skip" href="#content">To the content</a>
<header class="top"><a class="brand" href="#content">Carnet <span>API</span></a><a href="${pathname}/openapi.json">OpenAPI 3.1</a></header>
<details class="contents"><summary>Contents</summary>!${renderContents(chapters)}</details>
<main id="content" tabindex="-1"><div class="lead"><h1>Carnet API</h1>
<p>!${renderInline(document.info.description)}</p>
<dl><div><dt>Address</dt><dd><code>${apiUrl}</code></dd></div><div><dt>Version</dt><dd>${document.info.version}</dd></div></dl></div>
!${chapters.map(renderChapter).join('')}</main></body></html>
`
}

const renderContents = (chapters: readonly Chapter[]) =>
  `<nav aria-label="Contents">${chapters
    .map(({ id, title, entries }) => {
      const links = entries.map(([to, text]) => html`<li><a href="#${to}">${text}</a></li>`).join('')
      return html`<p><a href="#${id}">${title}</a></p><ul>!${links}</ul>`
    })
    .join('')}</nav>`

const renderChapter = ({ id, title, body }: Chapter) =>
  html`<section class="chapter" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>!${body}</section>`

function buildChapters(document: ApiDocument): readonly Chapter[] {
  const apiUrl = document.servers[0]?.url ?? ''
  const calls = document.tags
    .filter(tag => tag.name in TITLES)
    .map(tag => buildCallChapter(document, tag, apiUrl))
  return [
    {
      id: 'guides',
      title: 'Guides',
      entries: GUIDES.map(guide => [guide.id, guide.title] as const),
      body: GUIDES.map(guide => renderGuide(guide, apiUrl)).join(''),
    },
    ...calls,
    buildWebhookChapter(document),
    buildErrorChapter(),
    buildSchemaChapter(document, { id: 'fields', title: 'Fields of the categories', isOfCategories: true }),
    buildSchemaChapter(document, { id: 'schemas', title: 'Shapes', isOfCategories: false }),
  ]
}

function buildCallChapter(document: ApiDocument, tag: ApiDocument['tags'][number], apiUrl: string): Chapter {
  const operations = listOperations(document, tag.name)
  return {
    id: tag.name,
    title: TITLES[tag.name] ?? tag.name,
    entries: operations.map(({ operationId, summary }) => [operationId, summary] as const),
    body: `<p class="of">${renderInline(tag.description)}</p>${operations.map(operation => renderOperation(operation, apiUrl)).join('')}`,
  }
}

function buildWebhookChapter(document: ApiDocument): Chapter {
  const events = listWebhookEvents(document)
  const headers = listEventHeaders(document).map(({ name, description }) =>
    // Without the schema: the value of X-Service-Event differs from event to event.
    renderMember(name, { type: 'string', description }, true),
  )
  return {
    id: 'webhooks',
    title: 'Webhooks',
    entries: events.map(event => [event.id, event.name] as const),
    body: `<div class="guide"><div class="about">${renderParagraphs(WEBHOOK_TEXTS)}<h3>Headers of every event</h3><ul class="members">${headers.join('')}</ul></div><div class="shown">${renderCodeBlock('Checking a signature in Node.js', SIGNATURE_SAMPLE)}</div></div>${events.map(renderEvent).join('')}`,
  }
}

const renderEvent = ({ id, name, summary, description, schema, example }: DescribedEvent) =>
  html`<section class="call" id="${id}" aria-labelledby="${id}-title"><div class="about"><h3 id="${id}-title"><a href="#${id}">${summary}</a></h3><p class="address"><b class="post">EVENT</b> <code>${name}</code></p><p>!${renderInline(description)}</p>!${renderMembers(schema)}</div><div class="shown">!${renderCodeBlock('Body', formatJson(example))}</div></section>`

function buildErrorChapter(): Chapter {
  const statuses: Readonly<Record<string, number>> = STATUS
  const codes = Object.entries(ERROR_CATALOGUE).map(
    ([code, { when }]) =>
      html`<tr id="error-${code}"><td>${statuses[code]}</td><th scope="row"><code>!${renderBreakable(code)}</code></th><td>!${renderInline(when)}</td></tr>`,
  )
  const details = Object.entries(DETAIL_CATALOGUE).map(
    ([code, meaning]) =>
      html`<tr><th scope="row"><code>!${renderBreakable(code)}</code></th><td>!${renderInline(meaning)}</td></tr>`,
  )
  const head = (...names: readonly string[]) =>
    `<thead><tr>${names.map(name => `<th scope="col">${name}</th>`).join('')}</tr></thead>`
  return {
    id: 'errors',
    title: 'Errors',
    entries: [
      ['codes', 'Codes'],
      ['details', 'Codes of details'],
    ],
    body: `<h3 id="codes">Codes</h3><table>${head('Status', 'Code', 'When')}<tbody>${codes.join('')}</tbody></table>
<h3 id="details">Codes of details</h3><p>In <code>errors</code>, one for each violation, with its field and pointer; in bulk calls also the index of its row.</p><table>${head('Code', 'Meaning')}<tbody>${details.join('')}</tbody></table>`,
  }
}

function buildSchemaChapter(
  document: ApiDocument,
  { isOfCategories, ...chapter }: Pick<Chapter, 'id' | 'title'> & { isOfCategories: boolean },
): Chapter {
  const schemas = Object.entries(document.components.schemas)
    .filter(([, schema]) => 'x-schema-version' in schema === isOfCategories)
    .map(([name, schema]) => ({ name, schema, title: isOfCategories ? name.replace(/Data$/, '') : name }))
  return {
    ...chapter,
    entries: schemas.map(({ name, title }) => [`schema-${name}`, title] as const),
    body: schemas.map(({ name, schema, title }) => renderShape(name, schema, title)).join(''),
  }
}

function renderShape(name: string, schema: Schema, title: string): string {
  const body = schema.properties || schema.oneOf || schema.anyOf ? renderMembers(schema) : renderType(schema)
  const text = schema.description === undefined ? '' : `<p>${renderInline(schema.description)}</p>`
  return html`<section class="shape" id="schema-${name}" aria-labelledby="schema-${name}-title"><h3 id="schema-${name}-title"><a href="#schema-${name}">${title}</a></h3>!${text}!${body}</section>`
}
