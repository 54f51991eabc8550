/** The head of a passport's page: links for programs, brand, product, and facts about the passport. */
import { html } from 'ghtml'
import type { BrandLogo } from '../../accounts/brand/brand.ts'
import { fillPlaceholders, findLabel, LANGUAGES } from '../../i18n/catalogue.ts'
import { stripDirectionMarks } from '../../i18n/direction-marks.ts'
import { formatMinute } from '../../i18n/format.ts'
import { asText, canBeIndexed, formatPageDate, type PageContext, renderPreviewQuery } from './page-context.ts'
import type { UnitCorrection } from './passport-view.ts'
import { listPictures, renderFirstPicture } from './pictures.ts'
import {
  findLocalizedText,
  type PageLocale,
  renderFieldLabel,
  renderFieldValue,
  renderLabelled,
  renderLangAndDirection,
  renderName,
} from './values.ts'

/** Elements of `<head>`: canonical address, languages, formats, and the data for link previews. */
export function renderHeadLinks(page: PageContext): string {
  const { view, access, isLinkInvalid } = page
  if (access !== undefined || isLinkInvalid) return ''
  const { url } = view
  const languages = canBeIndexed(view)
    ? LANGUAGES.map(({ code }) => html`<link rel="alternate" hreflang="${code}" href="${url}?lang=${code}">`)
    : []
  const alternates = page.alternates.map(
    ({ id, mediaTypes: [type] }) =>
      html`<link rel="alternate" type="${type}" href="${url}?!${page.keptQuery}format=${id}">`,
  )
  const defaultLink =
    languages.length > 0 ? html`<link rel="alternate" hreflang="x-default" href="${url}">` : ''
  return html`<link rel="canonical" href="${url}">!${languages}!${defaultLink}!${alternates}!${renderOpenGraph(page)}`
}

/** The first picture, else the logo: link previews cannot show SVG. */
function renderOpenGraph({ view, brand, labels, facts: all }: PageContext): string {
  const { productName, brandName } = view.data
  const facts = all
    .slice(0, 3)
    // HTML without its tags is also safe in an attribute.
    .map(({ title, body }) => renderLabelled({ labels }, html`${title}`, body.replace(/<[^>]*>/g, '')))
    .join(' · ')
  const picture = brand.logo !== null && !brand.logo.file.endsWith('.svg') ? brand.logo.file : undefined
  const [first] = listPictures(view)
  const product = first && html`${first.file.url}`
  const site = html`${stripDirectionMarks(brand.name ?? asText(brandName))}`
  const properties = [
    ['title', html`${stripDirectionMarks(asText(productName))}`],
    ['type', 'product'],
    ['url', html`${view.url}`],
    ['site_name', site],
    ['description', html`${labels.ui.passport}. !${stripDirectionMarks(facts)}`],
    [
      'image',
      product ?? (picture === undefined ? '' : html`${view.url.replace(/p\/[^/]*$/, '')}brand/${picture}`),
    ],
  ]
  return properties
    .filter(([, content]) => content !== '')
    .map(([name, content]) => html`<meta property="og:${name}" content="!${content}">`)
    .join('')
}

/** Brand, name, and for print the QR symbol. */
export function renderHeader(page: PageContext): string {
  const { view, labels } = page
  const name = findLocalizedText(page, asText(view.data.productName))
  const qr = html`<div class="qr">!${page.qr}<p>${labels.ui.qrCaption}</p></div>`
  const title = html`<h1!${name && renderLangAndDirection(name)}>${name?.text}</h1>`
  return html`<header>!${renderAccessBanner(page)}!${renderMasthead(page)}!${qr}!${renderFirstPicture(page)}
!${renderProductBrand(page)}!${title}</header>`
}

/** One line: level, lot, serial number, status, version and date. Then links. */
export function renderStatusLine(page: PageContext): string {
  const { view, labels } = page
  const { ui } = labels
  const identifiers = [
    [ui['id.lot'], view.lot],
    [ui['id.serial'], view.serial],
  ].flatMap(([term, value]) => (value ? html`${term} !${renderName(value)}` : []))
  const parts = [
    html`${ui[`level.${view.level}`]}`,
    ...identifiers,
    html`${ui[`status.${view.status}`]}`,
    html`${fillPlaceholders(ui.versionNumber, { version: view.versionNo })}`,
    renderLabelled(page, html`${ui.lastChanged}`, html`${formatPageDate(page, view.changedAt)}`),
  ]
  return html`<p class="data">!${parts.join(' · ')}</p>!${renderOtherLinks(page)}`
}

/** The account's logo or name, and the product's category. */
function renderMasthead(page: PageContext): string {
  const { brand, labels, view } = page
  const category = findLabel(labels, 'ui', `category.${view.category.id}`) ?? view.category.title
  const logoOrName =
    brand.logo !== null
      ? html`<p class="logo">!${renderLogo(brand.logo, brand.logoDark, brand.name ?? asText(view.data.brandName))}</p>`
      : brand.name !== null
        ? html`<p class="logo">!${renderName(brand.name)}</p>`
        : ''
  return html`<div class="mast">!${logoOrName}<p class="kind"><span>${labels.ui.passport}</span> <span>${category}</span></p>!${renderLanguageSwitch(page)}</div>`
}

/** The same links as at the end of the page. */
function renderLanguageSwitch(page: PageContext): string {
  const name = LANGUAGES.find(({ code }) => code === page.language)?.name
  return html`<details class="lang"><summary>!${renderLabelled(page, html`<span class="vh">${page.labels.ui.languages}`, html`</span>${name}`)}</summary>!${renderLanguageLinks(page)}</details>`
}

export function renderLanguageLinks({ language, keptQuery }: PageContext): string {
  const items = LANGUAGES.map(({ code, name }) => {
    const current = code === language ? ' aria-current="true"' : ''
    return html`<li><a href="?!${keptQuery}lang=${code}" hreflang="${code}" lang="${code}"!${current}>${name}</a></li>`
  })
  return html`<ul>!${items}</ul>`
}

const MAX_NAMED_CORRECTIONS = 3
const MAX_VALUE_LENGTH = 60

const LOGO_HEIGHT = 40
const MAX_LOGO_WIDTH = 176

/** The address is relative, because a proxy may put everything below a path. */
function renderLogo(logo: BrandLogo, dark: BrandLogo | null, name: string): string {
  const scale = Math.min(LOGO_HEIGHT / logo.height, MAX_LOGO_WIDTH / logo.width)
  const [width, height] = [logo.width, logo.height].map(side => Math.max(1, Math.round(side * scale)))
  const img = html`<img src="../brand/${logo.file}" alt="${name}" width="${width}" height="${height}"!${dark === null ? ' class="plate"' : ''}>`
  if (dark === null) return img
  return html`<picture><source srcset="../brand/${dark.file}" media="screen and (prefers-color-scheme:dark)">!${img}</picture>`
}

/** The product's brand, unless the account's name is the same. */
function renderProductBrand({ view, brand }: PageContext): string {
  const name = asText(view.data.brandName)
  return brand.name?.toLowerCase() === name.toLowerCase()
    ? ''
    : html`<p class="brand">!${renderName(name)}</p>`
}

/** Links from a unit to its batch and its model, and to who answers for the product, far below. */
function renderOtherLinks({ view, labels: { ui } }: PageContext): string {
  const batch = view.batch && html`<a href="${view.batch.id}">${ui.batchPassport}</a>`
  const model = view.model && html`<a href="${view.model.id}">${ui.modelPassport}</a>`
  const operator =
    view.data.economicOperator === undefined ? null : html`<a href="#operator">${ui['section.operator']}</a>`
  const links = [batch, model, operator].filter(link => link !== null)
  return links.length === 0 ? '' : html`<p class="up">!${links.join(' ')}</p>`
}

/** Names the audience and the expiry date, or says that the access has ended. */
function renderAccessBanner(page: PageContext): string {
  const { access, isLinkInvalid, labels, language } = page
  if (isLinkInvalid) {
    const { 'accessEnded.title': title, 'accessEnded.text': text } = labels.ui
    return renderNote('banner', html`<b>${title}</b> ${text} !${renderContact(page)}`)
  }
  if (access === undefined) return ''
  const audience =
    access.audience === 'authority'
      ? labels.ui['audience.authority']
      : labels.ui['audience.legitimateInterest']
  if ('isPreview' in access) {
    return renderNote('banner', html`<b>${audience}</b> ${labels.ui.audiencePreview}`)
  }
  // Includes the time: a date alone would suggest that the link works until the end of that day.
  const date = formatMinute(language, access.expiresAt)
  const until = fillPlaceholders(labels.ui.audienceFor, { label: access.label, date })
  return renderNote('banner', html`<b>${audience}</b> <bdi>${until}</bdi>`)
}

/** The economic operator and its email address, if this page shows both. */
function renderContact({ view, labels }: PageContext): string {
  const { legalName, contactEmail }: Record<string, unknown> = Object(view.data.economicOperator)
  const [operator, email] = [asText(legalName), asText(contactEmail)]
  if (operator === '' || email === '') return ''
  const [before = '', after = ''] = labels.ui['accessEnded.ask']
    .split('{email}')
    .map(part => fillPlaceholders(part, { operator }))
  return html`<bdi>${before}<a href="mailto:${email}">${email}</a>${after}</bdi>`
}

/** Notices that a reader must see first: archived, corrected since, an earlier version. */
export function renderNotices(page: PageContext): string {
  const { view, labels, language, access } = page
  const archived = view.status === 'archived' ? renderNote('notice', html`${labels.ui.archivedNotice}`) : ''
  const notices = archived + (view.outdated ? renderCorrectionNotice(page) : '')
  if (view.isNewestVersion) return notices
  const older = fillPlaceholders(labels.ui.olderVersion, {
    version: view.versionNo,
    date: formatPageDate(page, view.changedAt),
  })
  const keptQuery = renderPreviewQuery(access)
  const link = html`<a href="?!${keptQuery}lang=${language}">${labels.ui.currentVersion}</a>`
  return notices + renderNote('notice', html`${older} !${link}`)
}

/** `body` is ready HTML. */
const renderNote = (kind: 'banner' | 'notice', body: string) =>
  html`<p class="${kind}" role="note">!${body}</p>`

/** Names the corrections and links to the corrected passport. Says only that others are withheld. */
function renderCorrectionNotice({ view, labels, language, ...page }: PageContext): string {
  const { correction, batch, model } = view
  if (correction === null) {
    const key = view.level === 'batch' ? 'outdatedBatchNotice' : 'outdatedNotice'
    return renderNote('notice', html`${labels.ui[key]}`)
  }
  const corrected = correction.correctedBy === 'batch' ? (batch ?? model) : model
  const named = correction.changes
    .slice(0, MAX_NAMED_CORRECTIONS)
    .map(change => renderCorrection({ ...page, labels, language }, change))
  const more = correction.changes.length > named.length ? ' …' : ''
  const [before = '', after = ''] = labels.ui.correctionPublished.split('{changes}')
  const link =
    corrected === null
      ? ''
      : html` <a href="${corrected.id}?lang=${language}">${labels.ui.correctedPassport}</a>`
  return renderNote('notice', html`${before}!${named.join(' · ')}${more}${after}!${link}`)
}

/** The name of the field, with the old and the new value if both are short. */
function renderCorrection(
  locale: PageLocale,
  { field, before, after }: UnitCorrection['changes'][number],
): string {
  const name = html`<b>!${renderFieldLabel(locale, field.name)}</b>`
  const isSingle =
    !['object', 'list', 'text'].includes(field.type) && !field.localized && field.format !== 'url'
  const values = [before, after].map(value =>
    value === undefined ? '–' : renderFieldValue(locale, field, field.name, value),
  )
  const fits = [before, after].every(value => String(value ?? '').length <= MAX_VALUE_LENGTH)
  return isSingle && fits ? html`!${name} !${values.join(' → ')}` : name
}
