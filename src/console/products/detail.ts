/** The page of one product: facts, data, versions, units, scans, and links to its public page and code. */

import { html } from 'ghtml'
import { validateData } from '../../categories/check/validate.ts'
import { getLabels, isLanguage, LANGUAGES, type Language } from '../../i18n/catalogue.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { type Detail, TRANSLATION } from '../../kernel/errors/errors.ts'
import { LINK_AUDIENCES } from '../../passports/access/access-links.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import type { RecallInForce } from '../../passports/core/recalls.ts'
import { creationTime, gs1Url, LEVEL_NAME, passportUrl } from '../../passports/core/record.ts'
import { effectiveData, getState, type PassportState } from '../../passports/core/state.ts'
import { requireProductUuid } from '../../passports/read/find.ts'
import { listVersions, type VersionEntry } from '../../passports/read/history.ts'
import { findSummaries, type PassportSummary } from '../../passports/read/list.ts'
import {
  buildShopSnippet,
  isProductId,
  SNIPPET_IMAGES,
  type SnippetImage,
} from '../../passports/read/shop-snippet.ts'
import { listRecallsInForce } from '../../passports/recalls/read-recall.ts'
import { setStatus } from '../../passports/write/archive.ts'
import { DPI } from '../../qr/png.ts'
import { DRAFTS_MODULE } from '../page/assets.ts'
import { backLink, copyable, facts, input, rowList, section, select } from '../page/parts.ts'
import { type Outcome, PRODUCTS, type Visit, type Words } from '../page/route.ts'
import { renderPictures } from '../page/thumbnails.ts'
import { getInputName } from '../product-data/form-data.ts'
import { getCategoryName, getFieldLabel, getInputLabel } from '../product-data/labels.ts'
import {
  getFilesDraftKey,
  getNewDraftKey,
  getProductDraftKey,
  renderSavedDraft,
} from '../product-data/local-draft.ts'
import { explainProblem } from '../product-data/problem-sentence.ts'
import {
  formatTitle,
  getProductTitle,
  getProductUrl,
  getRequestedProduct,
  renderDoneNotice,
  renderProductTitle,
} from '../product-data/product.ts'
import { renderData } from '../product-data/view.ts'
import { renderReadinessSection } from '../readiness/section.ts'
import { renderRecallNotice } from '../recalls/section.ts'
import { renderScansSection } from '../scans/product-section.ts'
import { renderUnitsSection } from '../units/issue.ts'
import { renderPendingCorrection } from '../units/refresh.ts'
import { askBeforeArchiving } from './archive-question.ts'

const MAX_VERSIONS = 10
const DONE_ACTIONS = [
  'created',
  'published',
  'saved',
  'corrected',
  'archived',
  'restored',
  'reverted',
] as const
/** How often the page reloads while units are being refreshed. */
const REFRESH_SECONDS = 2

export async function showProduct(visit: Visit): Promise<Outcome> {
  const { ctx, words, session } = visit
  const texts = words.texts.products
  const state = await getRequestedProduct(visit)
  const { row } = state
  const mayEdit = session.role !== 'viewer'
  const [history, pending, units, scans, parents, readiness, recalls] = await Promise.all([
    listVersions(ctx, row.id, { limit: MAX_VERSIONS, offset: 0 }),
    renderPendingCorrection(visit, state),
    renderUnitsSection(visit, state),
    renderScansSection(visit, state),
    findSummaries(ctx, row.parent_id === null ? [] : [row.parent_id]),
    renderReadinessSection(visit, state),
    listRecallsInForce(ctx, row.id),
  ])
  const title = getProductTitle(words, state)
  const body = html`!${backLink(PRODUCTS, texts.products)}
<h1>!${renderProductTitle(words, state)}</h1>!${renderDoneNotice(words, visit.query, DONE_ACTIONS)}!${renderArchivedEffect(visit, row)}!${renderEndedDraft(visit, state)}!${renderRecallNotice(visit, state, recalls)}!${pending.html}!${renderEntryNotice(words, state, { isJustSaved: visit.query.has('done'), mayEdit })}!${renderPictures(words, effectiveData(state).pictures)}!${renderFacts(words, state, parents[0])}!${mayEdit ? renderActions(words, state) : ''}
!${readiness}!${renderAddresses(visit, state)}!${renderShopSection(visit, state, recalls)}
!${section('data', texts.data, renderData(words, requireCategory(row.category, row.schema_version).fields, effectiveData(state), buildFieldMarker(words, state)))}
!${units}!${scans}
!${section('versions', texts.versions, html`!${renderVersionList(words, idFromUuid(row.id), history.versions)}!${history.total > MAX_VERSIONS ? html`<p class="quiet">${texts.versionsMore({ shown: MAX_VERSIONS, all: history.total })}</p>` : ''}`)}`
  return {
    title,
    body,
    scripts: ['copy', DRAFTS_MODULE],
    isWide: true,
    styles: ['pictures', 'scans'],
    ...(pending.goesOn ? { headers: { refresh: `${REFRESH_SECONDS}; url=${getRefreshUrl(visit)}` } } : {}),
  }
}

/** Tells the browser to delete its draft after a save. */
function renderEndedDraft({ session, query }: Visit, { row }: PassportState): string {
  const done = query.get('done') ?? ''
  if (done === 'created') return renderSavedDraft(getNewDraftKey(session, row.category), row.version_no)
  if (!['saved', 'corrected'].includes(done)) return ''
  const id = idFromUuid(row.id)
  const keys = [getProductDraftKey(session, id), getFilesDraftKey(session, id)]
  return keys.map(key => renderSavedDraft(key, Number(query.get('n')))).join('')
}

/** The reloaded page reports the refresh, so the earlier notice is dropped. */
function getRefreshUrl({ query, id }: Visit): string {
  const next = new URLSearchParams(query)
  next.delete('done')
  next.set('look', '1')
  return `${PRODUCTS}/${id}?${next}`
}

/** Marks a unit's own fields, and says in how many page languages a text is available. */
function buildFieldMarker(words: Words, { row, own, inherited }: PassportState): (name: string) => string {
  const texts = words.texts.products
  const data = { ...inherited, ...own }
  const localized = new Set(
    requireCategory(row.category, row.schema_version).fields.flatMap(field =>
      field.localized ? [field.name] : [],
    ),
  )
  return name => {
    const isOwn = row.level !== 'm' && own !== null && Object.hasOwn(own, name)
    const badge = isOwn ? html` <span class="badge">${texts.own}</span>` : ''
    if (!localized.has(name)) return badge
    const tags = Object.keys(Object(data[name])).map(tag => tag.toLowerCase().split('-', 1)[0] ?? '')
    const n = new Set(tags.filter(isLanguage)).size
    return html`!${badge} <span class="quiet">${texts.textLanguages({ n, all: LANGUAGES.length })}</span>`
  }
}

/** Warns of values that were saved but hardly meant, or that readers do not get. */
const TOLD_WARNINGS: ReadonlySet<string> = new Set([
  'unlisted_name',
  'unlisted_language',
  'special_gtin',
  'invisible',
  'markup',
])

/**
 * A notice about entries that are worth a look, such as fibre names that the law does not list, and GTINs
 * that others use, too. They were saved, and readers see them as typed.
 * `isJustSaved`: also lists names that are correct but worth a look once, such as "organic cotton".
 */
function renderEntryNotice(
  words: Words,
  state: PassportState,
  { isJustSaved, mayEdit }: { isJustSaved: boolean; mayEdit: boolean },
): string {
  const { row, own } = state
  const { warnings } = validateData(requireCategory(row.category, row.schema_version), effectiveData(state))
  const isOwn = ({ path }: Detail) => row.level === 'm' || Object.hasOwn(own ?? {}, path[1] ?? '')
  const told = warnings.filter(
    one =>
      TOLD_WARNINGS.has(one.code) &&
      isOwn(one) &&
      (isJustSaved || one[TRANSLATION]?.key !== 'fibre_qualified'),
  )
  const [first] = told
  if (first === undefined) return ''
  const texts = words.texts.form
  const lines = told.map(
    one => html`<li>${getInputLabel(words, getInputName(one))}: ${explainProblem(words, one)}</li>`,
  )
  const change = html`<p><a class="button second" href="${getProductUrl(row)}/edit#${getInputName(first)}">${texts.changeEntries}</a></p>`
  return html`<div class="reach"><p>${texts.checkEntries}</p><ul>!${lines}</ul>!${mayEdit ? change : ''}</div>`
}

/** Says what archiving means for the units. */
function renderArchivedEffect({ words, query }: Visit, { level, status }: PassportState['row']): string {
  if (status !== 'x' || level === 'i' || query.get('done') !== 'archived') return ''
  return html`<p>${words.texts.productList.archivedUnits}</p>`
}

function renderFacts(words: Words, { row }: PassportState, parent: PassportSummary | undefined): string {
  const texts = words.texts.products
  const status = row.status === 'x' ? 'archived' : 'active'
  const lines: (readonly [string, string])[] = [
    [texts.category, getCategoryName(words, row.category)],
    [texts.level, texts.levels[LEVEL_NAME[row.level]]],
    ...(row.lot === null ? [] : [[texts.lot, row.lot] as const]),
    ...(row.serial === null ? [] : [[texts.serial, row.serial] as const]),
    [texts.status, texts.statuses[status] + (row.outdated ? `, ${texts.outdated}` : '')],
    [texts.version, words.number(row.version_no)],
    [texts.changed, words.minute(row.updated_at.toISOString())],
    [texts.created, words.date(creationTime(row.id).toISOString())],
  ]
  const under =
    parent === undefined
      ? ''
      : html`<div><dt>${texts.parent}</dt><dd><a href="${getProductUrl(parent)}">${formatTitle(words, parent.product_name, parent)}</a></dd></div>`
  return facts(lines, under)
}

function renderActions(words: Words, { row }: PassportState): string {
  const texts = words.texts.products
  const { setLink: recall } = words.texts.recalls
  const at = getProductUrl(row)
  const [to, text] = row.status === 'x' ? ['restore', texts.restore] : ['archive', texts.archive]
  return html`<div class="choices"><a class="button" href="${at}/edit">${texts.edit}</a> <a class="button second" href="${at}/media">${words.texts.media.title}</a>
<form method="post" action="${at}/status"><button class="second" name="to" value="${to}">${text}</button></form><a class="button second" href="${at}/recall">${recall}</a></div>`
}

function renderAddresses({ setup, words, session }: Visit, { row }: PassportState): string {
  const texts = words.texts.products
  const id = idFromUuid(row.id)
  const page = passportUrl(setup.addresses, id)
  const gs1 = gs1Url(setup.addresses, row)
  const preview = (one: (typeof LINK_AUDIENCES)[number]) =>
    html`<a class="button second" href="/p/${id}?preview=${one}" target="_blank" rel="noopener">${texts.previewAs[one]}</a> `
  const newLink =
    session.role === 'viewer'
      ? ''
      : html`<p><a class="alone" href="/console/settings/access-links?product=${id}">${texts.newAccessLink}</a></p>`
  const content = html`
<div class="with-code"><img src="/p/${id}/qr.svg" width="132" height="132" alt="${texts.codeOf}">
<div>!${copyable(words.texts, { name: 'address', label: texts.address, value: page, rows: 1 })}!${gs1 === null ? '' : copyable(words.texts, { name: 'gs1', label: texts.gs1Address, value: gs1, rows: 1 })}
<p class="choices"><a class="button second" href="/p/${id}" target="_blank" rel="noopener">${texts.openPage}</a> <a class="button second" href="/p/${id}/qr.svg" download="${id}.svg">${texts.downloadCode}</a> !${DPI.map(dpi => html`<a class="button second" href="${PRODUCTS}/${id}/code.png?dpi=${dpi}">${texts.downloadPng({ dpi })}</a> `)}<a class="button second" href="${PRODUCTS}/${id}/labels">${texts.labels}</a></p><p class="choices">!${LINK_AUDIENCES.map(preview)}</p><p class="hint">${texts.previewHint}</p>!${newLink}</div></div>`
  return section('page', texts.publicPage, content)
}

function renderVersionList(words: Words, id: string, versions: readonly VersionEntry[]): string {
  const texts = words.texts.products
  const lines = versions.map(one => {
    const kind = texts.kinds[one.change_type ?? 'created']
    const fields = one.changed.map(name => getFieldLabel(words, name)).join(', ')
    return html`<li><a class="row-link" href="${PRODUCTS}/${id}/versions/${one.version_no}">${texts.versionNo({ n: one.version_no })}</a>
<span class="quiet">${kind}${fields === '' ? '' : `: ${fields}`}</span><span class="quiet">${words.minute(one.created_at)}, ${one.created_by}</span>!${one.note === null ? '' : html`<p>${one.note}</p>`}</li>`
  })
  return rowList(lines)
}

export async function submitProductStatus(visit: Visit): Promise<Outcome> {
  const { ctx, id, form } = visit
  const uuid = requireProductUuid(id)
  const status = form.text('to') === 'restore' ? ('a' as const) : ('x' as const)
  if (status === 'x') {
    const back = `${PRODUCTS}/${id}`
    const { row } = await getState(ctx, uuid)
    const question = await askBeforeArchiving(visit, [row], { action: `${back}/status`, back, fields: [] })
    if (question !== undefined) return question
  }
  await setStatus(ctx, { uuid, status, expects: () => true })
  return { to: `${PRODUCTS}/${id}?done=${status === 'x' ? 'archived' : 'restored'}` }
}

/** Collapsed until used. Its options are in the URL: `?snippet=de&image=badge&product=%23product`. */
export function renderShopSection(
  { setup, words, query, session }: Visit,
  { row }: PassportState,
  recalls: readonly RecallInForce[],
): string {
  const texts = words.texts.shop
  const asked = query.get('snippet') ?? ''
  const product = (query.get('product') ?? '').trim()
  const isUsable = product === '' || isProductId(product)
  const described = { ...row, recalls, audience_profile: session.account.audienceProfile }
  const image = SNIPPET_IMAGES.find(one => one === query.get('image')) ?? 'qr'
  const snippet = buildShopSnippet(setup.addresses, described, {
    image,
    language: isLanguage(asked) ? asked : undefined,
    productId: product !== '' && isUsable ? product : undefined,
  })
  const options = LANGUAGES.map(({ code, name }) => [code, name] as const)
  const choice = { name: 'snippet', label: texts.language, value: snippet.language, options }
  const images = {
    name: 'image',
    label: texts.image,
    value: image,
    options: SNIPPET_IMAGES.map(one => [one, texts.images[one]] as const),
  }
  const ownProduct = {
    name: 'product',
    label: texts.product,
    hint: `${texts.productHint}${JSON.stringify({ '@id': snippet.passport_url })}`,
    value: product,
    isOptional: true,
  }
  const problems = isUsable ? {} : { product: texts.productWrong }
  const text = { name: 'shop-html', label: texts.snippet, value: snippet.html.trim(), rows: 6 }
  return html`<details class="fold apart" id="shop"!${asked === '' ? '' : ' open'}><summary>${texts.title}</summary><p class="quiet">${texts.lead}</p>
<form method="get" action="${getProductUrl(row)}#shop">!${select(images, {})}!${select(choice, {})}!${input(ownProduct, problems)}<p><button class="second">${texts.show}</button></p></form>
!${renderShopPreview(words, row, { image, language: snippet.language })}!${copyable(words.texts, text)}</details>`
}

/** Previews the shop's page. Addresses without a host, so that it works behind any. */
function renderShopPreview(
  { texts: { shop } }: Words,
  { id }: { id: string },
  { image, language }: { image: SnippetImage; language: Language },
): string {
  const at = `/p/${idFromUuid(id)}`
  const name = getLabels(language).ui.passport
  const shown =
    image === 'badge'
      ? html`<img src="${at}/badge.svg?lang=${language}" height="48" alt="${name}" loading="lazy">`
      : html`<img src="${at}/qr.svg" width="120" height="120" alt="" loading="lazy"> <span>${name}</span>`
  return html`<p class="quiet">${shop.preview}</p><p><a href="${at}" lang="${language}" target="_blank" rel="noopener">!${shown}</a></p>`
}
