/** The public page of a passport: head, key facts, sections in the order of use, identifiers and history, languages. */
import { html } from 'ghtml'
import { type Brand, NO_BRAND } from '../../accounts/brand/brand.ts'
import { fillPlaceholders, getLabels, type Language } from '../../i18n/catalogue.ts'
import { type Block, blocksOf, pair, subheading } from './blocks.ts'
import { footer, identifiers, versions, withheldNote } from './end.ts'
import { header, headLinks } from './head.ts'
import { keyFacts } from './key-facts.ts'
import { type Section, sectionsOf } from './layout.ts'
import { type Origin, usualOrigin } from './origin.ts'
import { fold, isIndexed, keptQuery, type Page, type Reader, text } from './page.ts'
import type { Reading } from './passport-view.ts'
import { document } from './shell.ts'
import { dressOf } from './theme.ts'
import { fieldLabel, labelLanguage } from './values.ts'

/**
 * The page as HTML. `qr` is the passport's symbol as SVG, shown on paper only; `wanted` are the languages of the account's
 * texts that the reader would have, by default that of the page; `reader` is whom the access link
 * names, undefined for everyone, `isEnded` when it names nobody any more; `brand` is the account's.
 */
export function renderPassportPage(
  reading: Reading,
  language: Language,
  extra: {
    qr: string
    wanted?: readonly string[]
    reader?: Reader | undefined
    isEnded?: boolean
    brand?: Brand | undefined
  },
): string {
  const labels = getLabels(language)
  const brand = extra.brand ?? NO_BRAND
  const { qr, reader, isEnded = false, wanted = [language] } = extra
  const kept = keptQuery(reading, reader)
  const wording = { language, labels, wanted, primary: reading.primary, kept }
  const page: Page = { ...wording, reading, qr, reader, isEnded, brand, facts: keyFacts(wording, reading) }
  const name = text(reading.data.productName)
  const body = html`<a class="skip" href="#content">${labels.ui.skipToContent}</a>
!${header(page)}
<main id="content">!${facts(page)}!${sections(page)}!${withheldNote(page)}!${identifiers(page)}!${versions(page)}</main>
!${footer(page)}`
  return document({
    language,
    title: fillPlaceholders(labels.ui.documentTitle, { name }),
    head: headLinks(page),
    isIndexed: isIndexed(reading) && reader === undefined && !isEnded,
    dress: dressOf(brand, body),
    body,
  })
}

function facts(page: Page): string {
  const { ui } = page.labels
  const pairs = page.facts.map(({ title, body }) => html`<div><dt>${title}</dt><dd>!${body}</dd></div>`)
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
    .map(({ section, parts }, i) => {
      const usual = usualOf(parts)
      const body = contentOf(page, section, parts, usual)
      const note = usual === undefined ? '' : capitalized(page, originWords(page, usual))
      const language =
        section.title === undefined ? labelLanguage(page, section.fields[0]?.name ?? '') : undefined
      return fold(section.anchor, titleOf(page, section), body, i < OPEN_SECTIONS, note, language)
    })
    .join('')
}

/** What one field shows; without an origin on the page of a model. */
type Part = { blocks: readonly Block[]; origin: Origin | undefined }

/** Where most of a section comes from; undefined on the page of a model. */
function usualOf(parts: readonly Part[]): Origin | undefined {
  const origins = parts.flatMap(({ origin }) => origin ?? [])
  return origins.length === 0 ? undefined : usualOrigin(origins)
}

const capitalized = ({ language }: Page, text: string) =>
  text.charAt(0).toLocaleUpperCase(language) + text.slice(1)

const titleOf = (page: Page, { title, fields }: Section) =>
  title === undefined ? fieldLabel(page, fields[0]?.name ?? '') : page.labels.ui[title]

const ORIGIN_WORDS = { model: 'inheritedFromModel', batch: 'inheritedFromBatch', own: 'ownToUnit' } as const

/** To a reader a batch is not a unit. */
const originWords = ({ reading, labels }: Page, origin: Origin) =>
  labels.ui[origin === 'own' && reading.level === 'batch' ? 'ownToBatch' : ORIGIN_WORDS[origin]]

/**
 * Neighbouring pairs share a list; a figure that is alone under its heading needs no second title. A line at the end
 * says where the fields come from; one that comes from elsewhere says so itself.
 */
function contentOf(page: Page, section: Section, parts: readonly Part[], usual: Origin | undefined): string {
  const isAlone = parts.length === 1 && parts[0]?.blocks.length === 1
  let out = ''
  let pairs = ''
  const endPairs = () => {
    if (pairs !== '') out += html`<dl>!${pairs}</dl>`
    pairs = ''
  }
  for (const { blocks, origin } of parts) {
    const note = origin === undefined || origin === usual ? '' : originWords(page, origin)
    for (const { kind, title, titleLanguage, body } of blocks) {
      if (kind === 'pair') {
        const isSaid = isAlone && title === titleOf(page, section)
        pairs += pair(title, body, note && html`<small class="from">${note}</small>`, isSaid, titleLanguage)
        continue
      }
      endPairs()
      out += isAlone || title === titleOf(page, section) ? body : subheading(title, titleLanguage) + body
      out += note && html`<p class="from">${note}</p>`
    }
  }
  endPairs()
  return usual === undefined ? out : html`!${out}<p class="from of">${originWords(page, usual)}</p>`
}
