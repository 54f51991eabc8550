/** The public page of a passport: head, key facts, sections in the order of use, identifiers and history, languages. */
import { html } from 'ghtml'
import { fill, LANGUAGES, type Language, label, labelsFor } from '../i18n/catalogue.ts'
import { formatDate } from '../i18n/format.ts'
import { type Block, blocksOf, pair } from './blocks.ts'
import { keyFacts } from './key-facts.ts'
import { type Section, sectionsOf } from './layout.ts'
import { type Origin, usualOrigin } from './origin.ts'
import type { Reading } from './reading.ts'
import { document } from './shell.ts'
import { fieldLabel, inlineName, langAttributes, type Wording, wordsOf } from './values.ts'

/** Who else than the public the page is for, and until when. */
export type Reader = { audience: 'legitimate_interest' | 'authority'; label: string; expiresAt: Date }

type Page = Wording & { reading: Reading; reader: Reader | undefined; qr: string }

/**
 * The page as HTML. `qr` is the passport's symbol as SVG, shown on paper only; `reader` is whom the access link
 * names, undefined for everyone.
 */
export function renderPassportPage(
  reading: Reading,
  language: Language,
  extra: { qr: string; reader?: Reader | undefined },
): string {
  const labels = labelsFor(language)
  const page: Page = {
    reading,
    language,
    labels,
    primary: reading.primary,
    qr: extra.qr,
    reader: extra.reader,
  }
  const name = text(reading.data.productName)
  return document({
    language,
    title: fill(labels.ui.documentTitle, { name }),
    head: headLinks(page),
    isIndexed: isIndexed(reading) && extra.reader === undefined,
    body: html`<a class="skip" href="#content">${labels.ui.skipToContent}</a>
!${header(page)}
<main id="content">!${facts(page)}!${sections(page)}!${withheldNote(page)}!${identifiers(page)}!${versions(page)}</main>
!${footer(page)}`,
  })
}

/** Models are for search engines; units and archived passports are not. */
export const isIndexed = (reading: Reading) => reading.level === 'model' && reading.status === 'active'

const text = (value: unknown) => (typeof value === 'string' ? value : '')

function headLinks({ reading, reader }: Page): string {
  if (reader !== undefined) return ''
  const languages = isIndexed(reading)
    ? LANGUAGES.map(
        ({ code }) => html`<link rel="alternate" hreflang="${code}" href="${reading.url}?lang=${code}">`,
      )
    : []
  return html`<link rel="canonical" href="${reading.url}">!${languages}<link rel="alternate" type="application/ld+json" href="${reading.url}?format=jsonld">`
}

function header(page: Page): string {
  const { reading, labels } = page
  const { ui } = labels
  const name = wordsOf(page, text(reading.data.productName))
  const pairs = [
    [ui.level, ui[`level.${reading.level}`]],
    [ui['id.lot'], reading.lot],
    [ui['id.serial'], reading.serial],
    [ui.status, ui[`status.${reading.status}`]],
    [ui.version, String(reading.versionNo)],
    [ui.lastChanged, day(page, reading.changedAt)],
  ].flatMap(([term, value]) =>
    value === null ? [] : html`<div><dt>${term}</dt><dd>!${inlineName(value ?? '')}</dd></div>`,
  )
  return html`<header>!${banner(page)}<div class="qr">!${page.qr}<p>${ui.qrCaption}</p></div>
<p class="kind"><span>${ui.passport}</span> <span>${categoryName(page)}</span></p>
<p class="brand">!${inlineName(text(reading.data.brandName))}</p>
<h1!${langAttributes(name?.language)}>${name?.text}</h1>
<dl class="data">!${pairs}</dl>!${relatives(page)}!${notices(page)}</header>`
}

/** The way up: from an item to its batch and its model. */
function relatives({ reading, labels }: Page): string {
  const links = (
    [
      [labels.ui.batchPassport, reading.batch],
      [labels.ui.modelPassport, reading.model],
    ] as const
  ).flatMap(([name, relative]) => (relative === null ? [] : html`<a href="${relative.id}">${name}</a>`))
  return links.length === 0 ? '' : html`<p class="up">!${links.join(' ')}</p>`
}

const categoryName = ({ labels, reading }: Page) =>
  label(labels, 'ui', `category.${reading.category.id}`) ?? reading.category.title

const day = (page: Page, date: Date) => formatDate(page.language, date.toISOString())

/** Which level, for whom, until when; in words, because colour alone says nothing. */
function banner(page: Page): string {
  const { reader, labels } = page
  if (reader === undefined) return ''
  const audience =
    reader.audience === 'authority'
      ? labels.ui['audience.authority']
      : labels.ui['audience.legitimateInterest']
  const until = fill(labels.ui.audienceFor, { label: reader.label, date: day(page, reader.expiresAt) })
  return html`<p class="banner" role="note"><b>${audience}</b> <bdi>${until}</bdi></p>`
}

function notices({ reading, labels }: Page): string {
  const archived = reading.status === 'archived' ? labels.ui.archivedNotice : undefined
  const outdated = reading.outdated ? labels.ui.outdatedNotice : undefined
  return [archived, outdated]
    .flatMap(notice => (notice === undefined ? [] : html`<p class="notice" role="note">${notice}</p>`))
    .join('')
}

function facts(page: Page): string {
  const { ui } = page.labels
  const pairs = keyFacts(page, page.reading).map(
    ({ title, body }) => html`<div><dt>${title}</dt><dd>!${body}</dd></div>`,
  )
  return html`<section class="facts" aria-labelledby="key-facts"><h2 id="key-facts" class="vh">${ui.keyFacts}</h2><dl>!${pairs}</dl></section>`
}

/** How many of the sections stand open at first. */
const OPEN_SECTIONS = 2

function sections(page: Page): string {
  const { category, data, origins } = page.reading
  return sectionsOf(category)
    .map(section => ({
      section,
      parts: section.fields
        .map(field => ({ blocks: blocksOf(page, field, data), origin: origins?.get(field.name) }))
        .filter(({ blocks }) => blocks.length > 0),
    }))
    .filter(({ parts }) => parts.length > 0)
    .map(({ section, parts }, i) =>
      details(section.anchor, titleOf(page, section), body(page, section, parts), i),
    )
    .join('')
}

/** What one field shows; without an origin on the page of a model. */
type Part = { blocks: readonly Block[]; origin: Origin | undefined }

const titleOf = (page: Page, { title, fields }: Section) =>
  title === undefined ? fieldLabel(page, fields[0]?.name ?? '') : page.labels.ui[title]

/** The fragment names what is inside, so that a browser that is sent there opens it. */
function details(anchor: string, title: string, body: string, index: number): string {
  const open = index < OPEN_SECTIONS ? ' open' : ''
  return html`<details!${open}><summary><h2>${title}</h2></summary><div id="${anchor}">!${body}</div></details>`
}

const ORIGIN_WORDS = { model: 'inheritedFromModel', batch: 'inheritedFromBatch', own: 'ownToUnit' } as const

/**
 * Neighbouring pairs share a list; a figure that is alone under its heading needs no second title. A line at the end
 * says where the fields come from; one that comes from elsewhere says so itself.
 */
function body(page: Page, section: Section, parts: readonly Part[]): string {
  const { ui } = page.labels
  const origins = parts.flatMap(({ origin }) => origin ?? [])
  const usual = origins.length === 0 ? undefined : usualOrigin(origins)
  const isAlone = parts.length === 1 && parts[0]?.blocks.length === 1
  let out = ''
  let pairs = ''
  const endPairs = () => {
    if (pairs !== '') out += html`<dl>!${pairs}</dl>`
    pairs = ''
  }
  for (const { blocks, origin } of parts) {
    const note = origin === undefined || origin === usual ? '' : ui[ORIGIN_WORDS[origin]]
    for (const { kind, title, body } of blocks) {
      if (kind === 'pair') {
        pairs += pair(title, body, note && html`<small class="from">${note}</small>`)
        continue
      }
      endPairs()
      out += isAlone || title === titleOf(page, section) ? body : html`<h3>${title}</h3>!${body}`
      out += note && html`<p class="from">${note}</p>`
    }
  }
  endPairs()
  return usual === undefined ? out : html`!${out}<p class="from of">${ui[ORIGIN_WORDS[usual]]}</p>`
}

function withheldNote({ reading, labels }: Page): string {
  return reading.withheld ? html`<p class="withheld">${labels.ui.withheld}</p>` : ''
}

function identifiers(page: Page): string {
  const { reading, labels } = page
  const { ui } = labels
  const pairs = [
    [ui['id.gtin'], reading.gtin],
    [ui['id.sku'], text(reading.data.sku)],
    [fieldLabel(page, 'commodityCode'), text(reading.data.commodityCode)],
    [ui['id.lot'], reading.lot],
    [ui['id.serial'], reading.serial],
    [ui['id.passport'], reading.id],
    [ui['id.gs1'], reading.gs1Url],
  ].flatMap(([term, value]) => (value ? pair(term ?? '', inlineName(value)) : []))
  return details('identifiers', ui['section.identifiers'], html`<dl>!${pairs}</dl>`, OPEN_SECTIONS)
}

function versions(page: Page): string {
  const { reading, labels } = page
  const { ui } = labels
  const rows = reading.history.versions.map(
    ({ versionNo, kind, at }) =>
      html`<tr><th scope="row">${versionNo}</th><td><time datetime="${at.toISOString()}">${day(page, at)}</time></td><td>${ui[`change.${kind}`]}</td></tr>`,
  )
  const more = reading.history.total > rows.length ? '<tr><td colspan="3">…</td></tr>' : ''
  const table = html`<table><caption class="vh">${ui['section.history']}</caption><thead><tr><th scope="col">${ui.version}</th>
<th scope="col">${ui.date}</th><th scope="col">${ui.change}</th></tr></thead><tbody>!${rows}!${more}</tbody></table>`
  return details('history', ui['section.history'], table, OPEN_SECTIONS)
}

function footer(page: Page): string {
  const { reading, labels, reader, language } = page
  const { ui } = labels
  const items = LANGUAGES.map(({ code, name }) => {
    const current = code === language ? ' aria-current="true"' : ''
    return html`<li><a href="?lang=${code}" lang="${code}" hreflang="${code}"!${current}>${name}</a></li>`
  })
  const operator = (reading.data.economicOperator as { legalName?: unknown } | undefined)?.legalName
  const by = html`<bdi>${fill(ui.providedBy, { operator: text(operator) })}</bdi>`
  return html`<footer><nav aria-labelledby="languages"><h2 id="languages">${ui.languages}</h2><ul>!${items}</ul></nav>
<p><a href="?format=jsonld" type="application/ld+json">${ui.machineReadable}</a></p>
<p>!${text(operator) && by}</p><p>${reader === undefined ? ui.noCookies : ui.accessCookie}</p></footer>`
}
