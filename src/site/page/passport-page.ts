/** Renders the page of a passport. */
import { html } from 'ghtml'
import { type Brand, NO_BRAND } from '../../accounts/brand/brand.ts'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { CLOSING_SECTIONS, type Field, type SectionHeading } from '../../categories/field.ts'
import { getLabels, type Language } from '../../i18n/catalogue.ts'
import type { PageStory } from '../../passports/story/read-story.ts'
import { type Block, renderBlocks, renderPair } from './blocks.ts'
import { buildKeyFacts } from './key-facts.ts'
import { renderLife } from './life.ts'
import { renderOffers } from './offers.ts'
import { findMostCommonOrigin, isAboutReplacedValue, type Origin } from './origin.ts'
import {
  asText,
  canBeIndexed,
  type PageAccess,
  type PageContext,
  type PageSignature,
  renderCollapsible,
  renderKeptQuery,
  renderOpenSection,
} from './page-context.ts'
import { renderFooter, renderIdentifiers, renderProof, renderWithheldNote } from './page-end.ts'
import { renderHeader, renderHeadLinks, renderNotices, renderStatusLine } from './page-head.ts'
import type { PassportView } from './passport-view.ts'
import { renderGallery, renderPictureRules } from './pictures.ts'
import { getDocumentTitle, renderRecalls } from './recall-notice.ts'
import { renderDocument } from './shell.ts'
import { renderStory, renderStoryRule } from './story.ts'
import { buildTheme, type Theme } from './theme.ts'
import { findLabelLanguage, getPageLabel, renderLangAttribute } from './values.ts'

type PageOptions = Pick<PageContext, 'alternates' | 'qr'> & {
  /**
   * The languages in which the reader wants the account's texts, best first; default: the page's language.
   */
  preferredLanguages?: readonly string[]
  access?: PageAccess | undefined
  isLinkInvalid?: boolean
  brand?: Brand
  signature?: PageSignature | undefined
  country?: string | undefined
  story?: PageStory | undefined
}

/** `theme`: that of the page, whose policy allows only this page's own style. */
export function renderPassportPage(
  view: PassportView,
  language: Language,
  options: PageOptions,
): { html: string; theme: Theme } {
  const labels = getLabels(language)
  const { access, isLinkInvalid = false, preferredLanguages = [language], brand = NO_BRAND } = options
  const keptQuery = renderKeptQuery(view, options)
  const { primaryLanguage, documentBytes, withdrawn } = view
  const locale = {
    ownHost: new URL(view.url).host,
    language,
    labels,
    preferredLanguages,
    primaryLanguage,
    keptQuery,
    documentBytes,
    withdrawn,
  }
  const { qr, alternates, signature, country, story } = options
  const facts = buildKeyFacts(locale, view)
  const page = { ...locale, view, access, isLinkInvalid, brand, qr, alternates, facts, signature, country }
  const name = asText(view.data.productName)
  const body = html`<a class="skip" href="#content">${labels.ui.skipToContent}</a>
!${renderRecalls(page, view)}!${renderHeader(page)}
<main id="content">!${renderContent(page, story)}</main>
!${renderFooter(page)}`
  const theme = buildTheme(brand, body, renderPictureRules(view) + renderStoryRule(story))
  const title = getDocumentTitle(page, name, view)
  const isIndexable = canBeIndexed(view) && access === undefined && !isLinkInvalid
  return {
    theme,
    html: renderDocument({ language, title, head: renderHeadLinks(page), isIndexable, theme, body }),
  }
}

/** In the order of the page. */
function renderContent(page: PageContext, story: PageStory | undefined): string {
  const sections = listFilledSections(page)
  return [
    renderFacts(page),
    renderStatusLine(page),
    renderNotices(page),
    renderOffers(page),
    renderGallery(page),
    renderSections(page, sections),
    renderIdentifiers(page),
    renderWithheldNote(page),
    renderStory(page, story),
    renderOperator(page, sections),
    renderLife(page),
    renderProof(page),
  ].join('')
}

function renderFacts(page: PageContext): string {
  const { ui } = page.labels
  const pairs = page.facts.map(({ title, body }) => html`<div><dt>${title}</dt><dd>!${body}</dd></div>`)
  return html`<section class="facts" aria-labelledby="key-facts"><h2 id="key-facts" class="vh">${ui.keyFacts}</h2><dl>!${pairs}</dl></section>`
}

/** How many sections, from the first, are open. */
const OPEN_SECTIONS = 2

function renderSections(page: PageContext, sections: readonly FilledSection[]): string {
  return sections
    .filter(({ section }) => section.anchor !== OPERATOR_ANCHOR)
    .map(({ section, parts }, i) => {
      const { anchor, title, fields } = section
      const name = fields[0]?.name ?? ''
      const heading = title === undefined ? getPageLabel(page, name) : page.labels.ui[title]
      const mainOrigin = findMainOrigin(parts)
      return renderCollapsible(anchor, heading, renderSectionContent(page, heading, parts, mainOrigin), {
        isOpen: i < OPEN_SECTIONS || page.view.audience !== 'public',
        note: mainOrigin && getOriginSentence(page, mainOrigin),
        language: title === undefined ? findLabelLanguage(page, name) : undefined,
      })
    })
    .join('')
}

/** Who answers for the product: never closed, because the law wants it to be found. */
function renderOperator(page: PageContext, sections: readonly FilledSection[]): string {
  return sections
    .filter(({ section }) => section.anchor === OPERATOR_ANCHOR)
    .map(({ section: { anchor, title = 'section.operator' }, parts }) => {
      const heading = page.labels.ui[title]
      const content = renderSectionContent(page, heading, parts, findMainOrigin(parts))
      return renderOpenSection(anchor, heading, content)
    })
    .join('')
}

/** The anchor of the section with the economic operator. */
const OPERATOR_ANCHOR = 'operator'

type FilledSection = { section: PageSection; parts: readonly FieldBlocks[] }

/** The sections with at least one value, in the order of the page. */
const listFilledSections = (page: PageContext): FilledSection[] =>
  listSections(page.view.category)
    .map(section => ({
      section,
      parts: section.fields
        .filter(field => !isAboutReplacedValue(page.view.origins, field))
        .map(field => ({
          blocks: renderBlocks(page, field, page.view.data),
          origin: page.view.origins?.get(field.name),
        }))
        .filter(({ blocks }) => blocks.length > 0),
    }))
    .filter(({ parts }) => parts.length > 0)

type PageSection = {
  /** The anchor in the address. Never change it, because it is printed and linked to. */
  anchor: string
  /** Undefined: the title is the label of the only field. */
  title: SectionHeading['title'] | undefined
  fields: readonly Field[]
}

/**
 * In the order of the page, each with at least one field. A field without a section gets its own, so that new
 * fields always appear.
 */
function listSections(category: CompleteCategory): readonly PageSection[] {
  const { fields } = category
  const addFields = (section: SectionHeading): PageSection => ({
    ...section,
    fields: fields
      .filter(field => field.section === section.anchor)
      .sort((a, b) => (a.sectionOrder ?? 0) - (b.sectionOrder ?? 0)),
  })
  const rest = fields
    .filter(field => field.section === undefined)
    .map(field => ({ anchor: toKebabCase(field.name), title: undefined, fields: [field] }))
  return [...category.sections.map(addFields), ...rest, ...CLOSING_SECTIONS.map(addFields)].filter(
    section => section.fields.length > 0,
  )
}

const toKebabCase = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

/** The rendering of one field. It has no origin on the page of a model. */
type FieldBlocks = { blocks: readonly Block[]; origin: Origin | undefined }

/** The origin of most of a section's fields; undefined on the page of a model. */
function findMainOrigin(parts: readonly FieldBlocks[]): Origin | undefined {
  const origins = parts.flatMap(({ origin }) => origin ?? [])
  return origins.length === 0 ? undefined : findMostCommonOrigin(origins)
}

const ORIGIN_LABELS = { model: 'inheritedFromModel', batch: 'inheritedFromBatch', own: 'ownToUnit' } as const

/** The page of a batch calls it a batch, not a unit. */
const getOriginText = ({ view, labels }: PageContext, origin: Origin) =>
  labels.ui[origin === 'own' && view.level === 'batch' ? 'ownToBatch' : ORIGIN_LABELS[origin]]

function getOriginSentence(page: PageContext, origin: Origin): string {
  const text = getOriginText(page, origin)
  return text.charAt(0).toLocaleUpperCase(page.language) + text.slice(1)
}

const getFieldNote = (page: PageContext, isRestricted: boolean, origin: Origin | undefined): string =>
  [
    ...(isRestricted ? [page.labels.ui.restricted] : []),
    ...(origin === undefined ? [] : [getOriginText(page, origin)]),
  ].join(' · ')

/**
 * Neighbouring pairs share a list. A figure alone under its heading needs no second title, nor does a pair
 * with the same title that begins the section alone. The last line names the origin of most fields; a field
 * from elsewhere names its own.
 */
function renderSectionContent(
  page: PageContext,
  heading: string,
  parts: readonly FieldBlocks[],
  mainOrigin: Origin | undefined,
): string {
  const blocks = parts.flatMap(({ blocks, origin }) => blocks.map(block => ({ ...block, origin })))
  let out = ''
  let pairs = ''
  const endPairs = () => {
    if (pairs !== '') out += html`<dl>!${pairs}</dl>`
    pairs = ''
  }
  for (const [i, { kind, title, titleLanguage, body, isRestricted, origin }] of blocks.entries()) {
    const note = getFieldNote(page, isRestricted, origin === mainOrigin ? undefined : origin)
    if (kind === 'pair') {
      const small = note && html`<small class="from">${note}</small>`
      const isTitleHidden = i === 0 && title === heading && blocks[1]?.kind !== 'pair'
      pairs += renderPair(title, body, small, isTitleHidden, titleLanguage)
      continue
    }
    endPairs()
    if (blocks.length > 1 && title !== heading)
      out += html`<h3!${renderLangAttribute(titleLanguage)}>${title}</h3>`
    out += body + (note && html`<p class="from">${note}</p>`)
  }
  endPairs()
  return mainOrigin === undefined
    ? out
    : html`!${out}<p class="from of">${getOriginSentence(page, mainOrigin)}</p>`
}
