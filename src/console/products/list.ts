/** The list of products. Search and filters are in the URL, so that a view can be bookmarked and shared. */

import { html } from 'ghtml'
import { allCategories } from '../../categories/catalogue.ts'
import { idFromUuid, parseId } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { LEVEL_NAME, type PassportRow } from '../../passports/core/record.ts'
import { countDrafts } from '../../passports/drafts/store-drafts.ts'
import { requireProductUuid } from '../../passports/read/find.ts'
import {
  countLevels,
  findSummaries,
  listPassports,
  MAX_COUNTED,
  type PassportPage,
  type PassportSummary,
} from '../../passports/read/list.ts'
import { findRecalled } from '../../passports/recalls/read-recall.ts'
import { setStatus } from '../../passports/write/archive.ts'
import { getRules } from '../../readiness/rules.ts'
import { listActs } from '../../readiness/settings.ts'
import { hiddenInputs, notice, renderOptions, renderTick } from '../page/parts.ts'
import { DRAFTS, MEDIA, type Outcome, PRODUCTS, type Visit, type Words } from '../page/route.ts'
import { renderThumbnailOf } from '../page/thumbnails.ts'
import { getCategoryName } from '../product-data/labels.ts'
import { type PagePosition, renderPagination, toWindow } from '../product-data/pagination.ts'
import { getProductUrl, getShortTitle } from '../product-data/product.ts'
import { getActTexts, getRuleTexts } from '../product-data/rule-texts.ts'
import { askBeforeArchiving } from './archive-question.ts'
import { renderHiddenHits, renderLevelTabs } from './level-tabs.ts'
import {
  findListFilter,
  getDefaultLevel,
  getListUrl,
  type ListQuery,
  MAX_SEARCH_LENGTH,
  parseListQuery,
  type ReadinessQuery,
  toReadinessParameters,
} from './list-query.ts'
import { renderStatusNotice, toStatusParameters } from './status-notice.ts'

const PAGE_SIZE = 50
/** CSS pixels, no higher than a line of the list without a picture. */
const THUMBNAIL_SIDE = 40

export async function showProducts(visit: Visit): Promise<Outcome> {
  const { ctx, session, words, query } = visit
  const texts = words.texts.products
  const view = parseListQuery(query)
  const window = view.q === '' ? toWindow(view.place, PAGE_SIZE) : { limit: PAGE_SIZE, page: view.place.page }
  const filter = await findListFilter(ctx, view)
  const [found, counts, draftCount] = await Promise.all([
    listPassports(ctx, filter, window, MAX_COUNTED),
    countLevels(ctx, filter, MAX_COUNTED),
    countDrafts(ctx),
  ])
  const recalled = await findRecalled(ctx, found.rows)
  const hidden = found.rows.length === 0 ? await renderHiddenHits(ctx, words, view, counts) : ''
  const mayEdit = session.role !== 'viewer'
  const create = mayEdit ? html`<a class="button" href="${PRODUCTS}/new">${texts.newProduct}</a>` : ''
  const drafts =
    draftCount === 0
      ? ''
      : html`<a class="button second" href="${DRAFTS}">${texts.draftsLink({ n: draftCount })}</a>`
  const library = html`<a class="button second" href="${MEDIA}">${words.texts.media.title}</a>`
  const failed = query.has('failed') ? notice(texts.someFailed) : ''
  const none = query.has('none') ? notice(texts.noneSelected) : ''
  const body = html`<div class="page-head"><h1>${texts.products}</h1><div class="choices">!${drafts}!${library}!${create}</div></div>!${failed}!${none}!${renderStatusNotice(words, query, { mayEdit, back: getListUrl(view, view.place) })}
!${renderFilters(words, view)}!${renderReadinessFilter(words, view)}!${renderLevelTabs(words, view, counts)}!${renderResults(words, view, found, { mayEdit, hidden, recalled })}`
  return { title: texts.products, body, isWide: true, styles: ['pictures'] }
}

function renderFilters(words: Words, view: ListQuery): string {
  const texts = words.texts.products
  const select = (
    name: string,
    label: string,
    value: string,
    options: readonly (readonly [string, string])[],
  ) =>
    html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">!${renderOptions(options, value)}</select></div>`
  const statuses = (['all', 'active', 'archived'] as const).map(one => [one, texts.statuses[one]] as const)
  const categories = [
    ['', texts.anyCategory] as const,
    ...allCategories().map(({ id }) => [id, getCategoryName(words, id)] as const),
  ]
  const isChosen = view.level !== getDefaultLevel(view.q)
  const kept = isChosen ? html`<input type="hidden" name="level" value="${view.level}">` : ''
  return html`<form method="get" action="${PRODUCTS}" class="filters" role="search">
<div class="field grow"><label for="q">${texts.search}</label><input id="q" name="q" type="search" value="${view.q}" maxlength="${MAX_SEARCH_LENGTH}" placeholder="${texts.searchHint}" autocomplete="off"></div>!${kept}
!${select('status', texts.status, view.status, statuses)}!${select('category', texts.category, view.category, categories)}
!${renderTick('outdated', texts.onlyOutdated, { value: 'yes', isOn: view.outdated })}
!${hiddenInputs(Object.entries(toReadinessParameters(view.readiness)))}<button class="second">${texts.show}</button></form>`
}

/** Says which products are shown, and leads to all. */
function renderReadinessFilter(words: Words, view: ListQuery): string {
  const { readiness } = view
  if (readiness === undefined) return ''
  const texts = words.texts.productList
  const to = getListUrl({ ...view, readiness: undefined }, { page: 1 })
  return html`<p class="reach">${describeReadiness(words, readiness)} <a class="alone" href="${to}">${texts.withoutReadiness}</a></p>`
}

function describeReadiness(words: Words, readiness: ReadinessQuery): string {
  const texts = words.texts.productList
  const found = listActs(getRules()).find(({ id }) => id === readiness.act)
  const act = getActTexts(words, { id: readiness.act, title: found?.title ?? readiness.act }).title
  if (!('missing' in readiness)) return texts.ofState[readiness.state]({ act })
  const rule = found?.rules.find(({ id }) => id === readiness.missing)
  return texts.lacking({
    act,
    rule: rule === undefined ? readiness.missing : getRuleTexts(words, rule).title,
  })
}

function renderResults(
  words: Words,
  view: ListQuery,
  found: PassportPage,
  { mayEdit, hidden, recalled }: { mayEdit: boolean; hidden: string; recalled: ReadonlySet<string> },
): string {
  const { rows, total, totalCapped } = found
  const texts = words.texts.products
  const count = totalCapped ? texts.foundMany({ count: total }) : texts.found({ count: total })
  const isPlain = getListUrl(view, { page: 1 }) === PRODUCTS
  if (rows.length === 0)
    return html`<p class="empty">${isPlain ? texts.none : hidden === '' ? texts.nothingFound : words.texts.productList.nothingHere}!${hidden}</p>`
  const heads = [texts.name, texts.sku, texts.category, texts.level, texts.version, texts.changed]
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="${texts.products}"><table><caption class="sight">${count}</caption>
<thead><tr>!${mayEdit ? html`<th scope="col"><span class="sight">${texts.select}</span></th>` : ''}!${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>!${rows.map(row => renderRow(words, row, { mayEdit, to: getRowUrl(view, row), isRecalled: recalled.has(row.id) }))}</tbody></table></div>`
  const more = renderPagination(words, {
    place: view.place,
    found,
    size: PAGE_SIZE,
    byNumber: view.q !== '',
    address: (place: PagePosition) => getListUrl(view, place),
  })
  if (!mayEdit) return html`<p class="quiet">${count}</p>!${table}!${more}`
  return html`<form method="post" action="${PRODUCTS}/status"><p class="quiet">${count}</p>!${table}
<input type="hidden" name="back" value="${getListUrl(view, view.place)}">
<div class="choices"><button class="second" name="to" value="archive">${texts.archiveSelected}</button>
<button class="second" name="to" value="restore">${texts.restoreSelected}</button></div></form>!${more}`
}

/** A list by readiness leads to what a product lacks. */
function getRowUrl({ readiness }: ListQuery, row: PassportSummary): string {
  const at = getProductUrl(row)
  if (readiness === undefined) return at
  return `${at}/readiness#${'missing' in readiness ? readiness.missing : readiness.act}`
}

function renderRow(
  words: Words,
  row: PassportSummary,
  { mayEdit, to, isRecalled }: { mayEdit: boolean; to: string; isRecalled: boolean },
): string {
  const texts = words.texts.products
  const id = idFromUuid(row.id)
  const title = getShortTitle(words, row)
  const badges = [
    isRecalled ? html` <span class="badge alarm">${words.texts.recalls.recalled}</span>` : '',
    row.status === 'x' ? html` <span class="badge">${texts.statuses.archived}</span>` : '',
    row.outdated ? html` <span class="badge">${texts.outdated}</span>` : '',
  ]
  const box = html`<td><input type="checkbox" name="id" value="${id}" aria-label="${texts.selectOne({ title })}"></td>`
  const picture = renderThumbnailOf(row.picture, THUMBNAIL_SIDE)
  return html`<tr>!${mayEdit ? box : ''}<td><div class="named">!${picture}<span><a class="row-link" href="${to}">${title}</a>!${badges}</span></div></td>
<td>${row.sku ?? ''}</td><td>${getCategoryName(words, row.category)}</td><td>${texts.levels[LEVEL_NAME[row.level]]}</td>
<td class="number">${row.version_no}</td><td>${words.date(row.updated_at.toISOString())}</td></tr>`
}

/** Archives or restores the ticked products. If one fails, the others still succeed. */
export async function submitListStatus(visit: Visit): Promise<Outcome> {
  const { ctx, form } = visit
  const status = form.text('to') === 'restore' ? 'a' : 'x'
  const ids = form.all('id').slice(0, PAGE_SIZE)
  const view = parseListQuery(new URL(form.text('back'), 'http://carnet.invalid').searchParams)
  const to = getListUrl(view, view.place)
  if (status === 'x') {
    const uuids = ids.flatMap(id => parseId(id) ?? [])
    const fields = [['back', form.text('back')] as const, ...ids.map(id => ['id', id] as const)]
    const asked = { action: `${PRODUCTS}/status`, back: to, fields }
    const question = await askBeforeArchiving(visit, await findSummaries(ctx, uuids), asked)
    if (question !== undefined) return question
  }
  const done: PassportRow[] = []
  for (const id of ids) {
    try {
      done.push(await setStatus(ctx, { uuid: requireProductUuid(id), status, expects: () => true }))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }
  const said = new URLSearchParams({
    ...(ids.length === 0 ? { none: 'yes' } : {}),
    ...toStatusParameters(status, done),
    ...(done.length < ids.length ? { failed: String(ids.length - done.length) } : {}),
  })
  return { to: `${to}${to.includes('?') ? '&' : '?'}${said}` }
}
