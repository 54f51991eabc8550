/** The end of a passport's page, law's fine print: identifiers, the history of versions, languages and other forms. */
import { html } from 'ghtml'
import { fillPlaceholders, LANGUAGES } from '../../i18n/catalogue.ts'
import type { PublicVersion } from '../../passports/read/public-history.ts'
import { renderPair } from './blocks.ts'
import { asText, formatPageDate, type PageContext, renderFold, renderKeptQuery } from './page-context.ts'
import { getPageLabel, renderAddress, renderName } from './values.ts'

/** That there is more, never what. */
export function renderWithheldNote({ reading, labels }: PageContext): string {
  return reading.withheld ? html`<p class="withheld">${labels.ui.withheld}</p>` : ''
}

export function renderIdentifiers(page: PageContext): string {
  const { reading, labels } = page
  const { ui } = labels
  const pairs = [
    [ui['id.gtin'], reading.gtin],
    [ui['id.sku'], asText(reading.data.sku)],
    [getPageLabel(page, 'commodityCode'), asText(reading.data.commodityCode)],
    [ui['id.lot'], reading.lot],
    [ui['id.serial'], reading.serial],
    [ui['id.passport'], reading.id],
  ].flatMap(([term, value]) => (value ? renderPair(term ?? '', renderName(value)) : []))
  const address = reading.gs1Url === null ? '' : renderPair(ui['id.gs1'], renderAddress(reading.gs1Url))
  return renderFold('identifiers', ui['section.identifiers'], html`<dl>!${pairs}!${address}</dl>`, false)
}

/** The newest versions up to the one that is being read; the last row leads on to those before. */
export function renderVersions(page: PageContext): string {
  const { reading, labels } = page
  const { ui } = labels
  const { versions, total } = reading.history
  const rows = versions.map(version => renderVersionRow(page, version))
  const oldest = versions.at(-1)?.versionNo ?? 1
  const more =
    total > rows.length
      ? html`<tr><th scope="row">!${renderVersionLink(page, oldest - 1)}</th><td colspan="2">…</td></tr>`
      : ''
  const table = html`<table><caption class="vh">${ui['section.history']}</caption><thead><tr><th scope="col">${ui.version}</th><th scope="col">${ui.date}</th><th scope="col">${ui.change}</th></tr></thead><tbody>!${rows}!${more}</tbody></table>`
  return renderFold('history', ui['section.history'], table, reading.replacedBy !== null)
}

function renderVersionRow(page: PageContext, { versionNo, kind, at }: PublicVersion): string {
  const isRead = versionNo === page.reading.versionNo
  const number = isRead ? html`<b aria-current="true">${versionNo}</b>` : renderVersionLink(page, versionNo)
  return html`<tr><th scope="row">!${number}</th><td><time datetime="${at.toISOString().slice(0, 10)}">${formatPageDate(page, at)}</time></td><td>${page.labels.ui[`change.${kind}`]}</td></tr>`
}

/** The language goes along; by name, so that a number alone is not all that a list of links says. */
function renderVersionLink({ labels, language, reader, reading }: PageContext, versionNo: number): string {
  const name = fillPlaceholders(labels.ui.versionNumber, { version: versionNo })
  const kept = renderKeptQuery({ ...reading, replacedBy: null }, reader)
  return html`<a href="?!${kept}version=${versionNo}&amp;lang=!${language}" aria-label="${name}">${versionNo}</a>`
}

export function renderFooter(page: PageContext): string {
  const { reading, labels, reader, language } = page
  const { ui } = labels
  const items = LANGUAGES.map(({ code, name }) => {
    const current = code === language ? ' aria-current="true"' : ''
    return html`<li><a href="?!${page.kept}lang=${code}" hreflang="${code}" lang="${code}"!${current}>${name}</a></li>`
  })
  const alternates = page.alternates.map(
    ({ id, name, label, mediaTypes: [type] }) =>
      html`<a href="?!${page.kept}format=${id}" type="${type}">${label === undefined ? name : ui[label]}</a>`,
  )
  const operator = (reading.data.economicOperator as { legalName?: unknown } | undefined)?.legalName
  const by = html`<bdi>${fillPlaceholders(ui.providedBy, { operator: asText(operator) })}</bdi>`
  return html`<footer><nav aria-labelledby="languages"><h2 id="languages">${ui.languages}</h2><ul>!${items}</ul></nav>
<p>!${alternates.join(' ')}</p>
<p>!${asText(operator) && by}</p><p>${reader === undefined || 'isPreview' in reader ? ui.noCookies : ui.accessCookie}</p></footer>`
}
