/** The scans page: totals, trend, countries, devices, products, and how scans are counted. */

import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/account/context.ts'
import { allCategories } from '../../categories/catalogue.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { findNewestModel } from '../../passports/read/find.ts'
import { findSummaries } from '../../passports/read/list.ts'
import { comparePeriods } from '../../scans/compare-periods.ts'
import { listMilestones } from '../../scans/list-milestones.ts'
import { listSuspicions } from '../../scans/list-suspicions.ts'
import { listMostScanned } from '../../scans/most-scanned.ts'
import { getScanSettings } from '../../scans/settings.ts'
import { type AccountScanSummary, summarizeAccount } from '../../scans/summary.ts'
import { doneNotice, pointList, section } from '../page/parts.ts'
import { DOCS, type Outcome, PRODUCTS, SCANS, type Visit, type Words } from '../page/route.ts'
import { getCategoryName } from '../product-data/labels.ts'
import { getShortTitle } from '../product-data/product.ts'
import { parseRange, renderKeyFigures, renderRanges } from './key-figures.ts'
import { renderMilestones, renderMostScanned, renderSuspicions } from './lists.ts'
import { renderCountryTable, renderCountTable } from './shares.ts'
import { renderSwitches, renderUncountedNotice } from './switches.ts'
import { renderTrend } from './trend.ts'
import { renderWorldMap } from './world-map.ts'

const MAX_TOP = 10
const MAX_LISTED = 10
const MAX_COUNTRIES = 12

export async function showScans(visit: Visit): Promise<Outcome> {
  const { ctx, words, query } = visit
  const texts = words.texts.scans
  const days = parseRange(query)
  const [comparison, settings] = await Promise.all([
    comparePeriods(ctx, { days }),
    getScanSettings(ctx, ctx.accountId),
  ])
  const told = html`!${query.has('saved') ? doneNotice(texts.saved) : ''}!${renderUncountedNotice(words, settings)}`
  const end = html`!${renderMethod(words)}!${renderSwitches(visit, settings)}`
  const page = { title: texts.title, isWide: true, styles: ['scans'] as const }
  if (comparison.is === 'no_scans') {
    const body = html`<h1>${texts.title}</h1><p class="lead">${texts.lead}</p>!${told}!${await renderEmpty(words, ctx)}!${end}`
    return { ...page, body }
  }
  const [summary, lists] = await Promise.all([
    summarizeAccount(ctx, { days }),
    renderLists(words, ctx, { days, isWatched: settings.clone_rules !== null }),
  ])
  const address = (range: string | undefined) => (range === undefined ? SCANS : `${SCANS}?days=${range}`)
  const body = html`<div class="page-head"><h1>${texts.title}</h1>!${renderRanges(words, days, address)}</div>!${told}
!${renderKeyFigures(words, { summary, days, comparison })}
<section aria-labelledby="trend">!${renderTrend(words, summary.by_day, 'h2')}</section>
!${summary.total === 0 ? '' : renderOrigins(words, summary)}
!${section('top', texts.top, lists.top(summary.total))}
<div class="halves">!${section('clones', texts.clones, lists.clones)}
!${section('milestones', texts.milestones, lists.milestones)}</div>!${end}`
  return { ...page, body }
}

/** The lists that name products. The names are loaded together. */
async function renderLists(words: Words, ctx: AccountContext, wish: { days: number; isWatched: boolean }) {
  const [top, suspicions, reached] = await Promise.all([
    listMostScanned(ctx, { days: wish.days, limit: MAX_TOP }),
    listSuspicions(ctx, { limit: MAX_LISTED }),
    listMilestones(ctx, { limit: MAX_LISTED }),
  ])
  const uuids = new Set([...top.models, ...suspicions, ...reached].map(({ uuid }) => uuid))
  const names = new Map((await findSummaries(ctx, [...uuids])).map(row => [row.id, row]))
  return {
    top: (total: number) => renderMostScanned(words, top, names, total),
    clones: renderSuspicions(words, { suspicions, names, isWatched: wish.isWatched }),
    milestones: renderMilestones(words, reached, names),
  }
}

function renderOrigins(words: Words, summary: AccountScanSummary): string {
  const texts = words.texts.scans
  const { levels } = words.texts.products
  const categories = Object.fromEntries(allCategories().map(({ id }) => [id, getCategoryName(words, id)]))
  const levelNames = { model: levels.model, batch: levels.batch, item: levels.item }
  const countries = html`
<div class="whence">!${renderWorldMap(words, summary.byCountry)}<div>!${renderCountryTable(words, summary.byCountry, MAX_COUNTRIES)}</div></div>`
  return html`!${section('countries', texts.whence, countries)}
<div class="thirds">!${section('by-device', texts.devices, renderCountTable(words, { counts: summary.byDevice, names: texts.deviceNames, head: texts.device }))}
!${section('by-category', texts.byCategory, renderCountTable(words, { counts: summary.byCategory, names: categories, head: words.texts.products.category }))}
!${section('by-level', texts.byLevel, renderCountTable(words, { counts: summary.byLevel, names: levelNames, head: words.texts.products.level }))}</div>`
}

/** Before the first scan: shows the newest product's code to scan. */
async function renderEmpty(words: Words, ctx: AccountContext): Promise<string> {
  const texts = words.texts.scans
  const model = await findNewestModel(ctx, { status: 'a' })
  if (model === undefined) {
    return html`<section><h2>${texts.emptyTitle}</h2><p>${texts.emptyNone}</p><p><a class="button" href="${PRODUCTS}">${texts.toProducts}</a></p></section>`
  }
  const title = getShortTitle(words, model)
  const id = idFromUuid(model.id)
  const content = html`<div class="with-code"><img src="/p/${id}/qr.svg" width="180" height="180" alt="${texts.emptyCode({ name: title })}">
<div><p>${texts.emptyLead}</p><ol class="steps">!${texts.emptySteps.map(step => html`<li>${step}</li>`)}</ol><p class="quiet">${texts.emptyOwn}</p><p><a class="alone" href="${PRODUCTS}/${id}">${title}</a></p></div></div>`
  return section('first', texts.emptyTitle, content)
}

function renderMethod(words: Words): string {
  const texts = words.texts.scans
  const content = html`!${pointList(texts.howPoints)}
<p><a class="alone" href="${DOCS}#getScans">${texts.howApi}</a></p>`
  return section('how', texts.how, content)
}
