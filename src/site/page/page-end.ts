/** The end of a passport's page: identifiers, proof, languages and other formats. */
import { html } from 'ghtml'
import type { Audience, Field } from '../../categories/field.ts'
import { fillPlaceholders } from '../../i18n/catalogue.ts'
import type { PublicVersion } from '../../passports/read/public-version.ts'
import { renderPair } from './blocks.ts'
import {
  asText,
  describeSigner,
  formatPageDate,
  type PageContext,
  renderCollapsible,
  renderPreviewQuery,
} from './page-context.ts'
import { renderLanguageLinks } from './page-head.ts'
import {
  findLink,
  getPageLabel,
  renderAddress,
  renderExternalLink,
  renderFieldLabel,
  renderLabelled,
  renderName,
} from './values.ts'

/**
 * Says that fields are withheld, but not which fields. Only authorities see more than readers with a
 * legitimate interest.
 */
export function renderWithheldNote({ view, labels: { ui } }: PageContext): string {
  if (!view.withheld) return ''
  const sentence = view.audience === 'legitimate_interest' ? ui.withheldForAuthorities : ui.withheld
  return html`<p class="withheld">${sentence}</p>`
}

export function renderIdentifiers(page: PageContext): string {
  const { view, labels, brand } = page
  const { ui } = labels
  const pairs = [
    [ui['id.gtin'], view.gtin],
    [ui['id.sku'], asText(view.data.sku)],
    [getPageLabel(page, 'commodityCode'), asText(view.data.commodityCode)],
    [ui['id.lot'], view.lot],
    [ui['id.serial'], view.serial],
    [ui['id.passport'], view.id],
  ].flatMap(([term, value]) => (value ? renderPair(term ?? '', renderName(value)) : []))
  const address = view.gs1Url === null ? '' : renderPair(ui['id.gs1'], renderAddress(view.gs1Url))
  const copyUrl =
    brand.backupBaseUrl === null ? undefined : findLink(page, `${brand.backupBaseUrl}/p/${view.id}`)
  const copy = copyUrl === undefined ? '' : renderPair(ui['id.backup'], renderExternalLink(page, copyUrl))
  const list = html`<dl>!${pairs}!${address}!${copy}</dl>`
  return renderCollapsible('identifiers', ui['section.identifiers'], list, {
    isOpen: view.audience !== 'public',
  })
}

/**
 * Who signed, and the newest versions up to the one on the page. The last row links to the earlier ones. The
 * anchor is older than the heading.
 */
export function renderProof(page: PageContext): string {
  const { view, labels } = page
  const { ui } = labels
  const { versions, total } = view.history
  const rows = versions.map(version => renderVersionRow(page, version))
  const oldest = versions.at(-1)?.versionNo ?? 1
  const more =
    total > rows.length
      ? html`<tr><th scope="row">!${renderVersionLink(page, oldest - 1)}</th><td colspan="2">…</td></tr>`
      : ''
  const table = html`<table><caption class="vh">${ui['section.history']}</caption><thead><tr><th scope="col">${ui.version}</th><th scope="col">${ui.date}</th><th scope="col">${ui.change}</th></tr></thead><tbody>!${rows}!${more}</tbody></table>`
  return renderCollapsible('history', ui['section.proof'], renderSignature(page) + table, {
    isOpen: view.audience !== 'public' || !view.isNewestVersion,
  })
}

/** One line, because few readers check a signature: how to do it stands on a page of its own. */
function renderSignature({ view, signature, labels: { ui }, language }: PageContext): string {
  if (signature === undefined) return ''
  const version = view.isNewestVersion ? '' : `version=${view.versionNo}&amp;`
  return html`<p><bdi>${describeSigner(ui, signature)}</bdi> · <a href="${view.url}/signature?!${version}lang=!${language}">${ui['signature.howToCheck']}</a></p>`
}

function renderVersionRow(page: PageContext, version: PublicVersion): string {
  const { versionNo, at } = version
  const isShown = versionNo === page.view.versionNo
  const number = isShown ? html`<b aria-current="true">${versionNo}</b>` : renderVersionLink(page, versionNo)
  return html`<tr><th scope="row">!${number}</th><td><time datetime="${at.toISOString().slice(0, 10)}">${formatPageDate(page, at)}</time></td><td>!${renderChange(page, version)}</td></tr>`
}

const MAX_CHANGED_FIELDS = 4

/**
 * Names the fields that a version changed, but none of which this reader sees only a part: the rest may be
 * what changed.
 */
function renderChange(page: PageContext, { kind, changed = [] }: PublicVersion): string {
  const { category, audience } = page.view
  const label = html`${page.labels.ui[`change.${kind}`]}`
  if (kind === 'first') return label
  const names = category.fields
    .filter(field => changed.includes(field.name) && isWhollyVisible(field, audience))
    .map(field => renderFieldLabel(page, field.name))
  const more = names.length > MAX_CHANGED_FIELDS ? ' …' : ''
  if (names.length === 0) return label
  const changes = html`<small>!${names.slice(0, MAX_CHANGED_FIELDS).join(', ')}${more}</small>`
  return renderLabelled(page, label, changes)
}

const isWhollyVisible = (field: Field, audience: Audience): boolean =>
  (field.audience?.includes(audience) ?? true) &&
  (field.audienceMember === undefined || audience === 'authority') &&
  [...(field.fields ?? []), ...(field.of ?? [])].every(member => isWhollyVisible(member, audience))

/**
 * Keeps the language. Has a label, because a number alone says nothing in a screen reader's list of links.
 */
function renderVersionLink({ labels, language, access }: PageContext, versionNo: number): string {
  const name = fillPlaceholders(labels.ui.versionNumber, { version: versionNo })
  const keptQuery = renderPreviewQuery(access)
  return html`<a href="?!${keptQuery}version=${versionNo}&amp;lang=!${language}" aria-label="${name}">${versionNo}</a>`
}

export function renderFooter(page: PageContext): string {
  const { ui } = page.labels
  const { access } = page
  const alternates = page.alternates.map(
    ({ id, name, label, mediaTypes: [type] }) =>
      html`<a href="?!${page.keptQuery}format=${id}" type="${type}">${label === undefined ? name : ui[label]}</a>`,
  )
  return html`<footer><nav aria-labelledby="languages"><h2 id="languages">${ui.languages}</h2>!${renderLanguageLinks(page)}</nav>
<p>!${alternates.join(' ')}</p>
<p>${access === undefined || 'isPreview' in access ? ui.noCookies : ui.accessCookie}</p></footer>`
}
