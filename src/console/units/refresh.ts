/** The notice about units that lack a correction, with the button that refreshes them. */

import { html } from 'ghtml'
import { requireCategory } from '../../passports/core/check-data.ts'
import { effectiveData, type PassportState } from '../../passports/core/state.ts'
import {
  findPendingForUnit,
  findPendingUnder,
  type PendingCorrection,
} from '../../passports/units/pending-correction.ts'
import { type JobReport, previewRefresh, refreshPassport } from '../../passports/units/refresh-job.ts'
import { type Outcome, PRODUCTS, type Visit, type Words } from '../page/route.ts'
import { getFieldLabel } from '../product-data/labels.ts'
import { getDoneUrl, getProductUrl, getRequestedProduct, renderDoneNotice } from '../product-data/product.ts'
import { isScalarField, renderSummary, summarizeValue } from '../product-data/view.ts'

const MAX_LISTED_FAILURES = 20

/** `goesOn`: a refresh is running, so the page should reload. */
export async function renderPendingCorrection(
  { ctx, words, session, query }: Visit,
  state: PassportState,
): Promise<{ html: string; goesOn: boolean }> {
  const { outdated, job } = await previewRefresh(ctx, state.row.id)
  const failures = renderFailures(words, job)
  if (job?.finished_at === null)
    return { html: renderProgress(words, job, outdated) + failures, goesOn: true }
  if (outdated === 0) {
    const isOver = query.has('look') && job !== undefined
    const sent = isOver ? new URLSearchParams({ done: 'refreshed', n: String(job.refreshed) }) : query
    return { html: renderDoneNotice(words, sent, ['refreshed']) + failures, goesOn: false }
  }
  const { row, own } = state
  const pending = row.outdated
    ? await findPendingForUnit(ctx, row.id, Object.keys(own ?? {}))
    : await findPendingUnder(ctx, state)
  const fields = pending === undefined ? '' : renderCorrectedFields(words, state, pending)
  const button =
    session.role === 'viewer'
      ? ''
      : html`<form method="post" action="${getProductUrl(row)}/refresh"><button>${words.texts.units.refresh({ count: outdated })}</button></form>`
  const part = html`<div class="reach pending"><p>${describeOutdated(words, row, outdated)}</p>!${fields}!${button}</div>`
  return { html: part + failures, goesOn: false }
}

function renderProgress(words: Words, job: JobReport, outdated: number): string {
  const { texts } = words
  const all = job.refreshed + outdated
  return html`<div class="progress" role="status"><label for="refresh">${texts.units.refreshing({ done: job.refreshed, all })}</label>
<progress id="refresh" max="${all}" value="${job.refreshed}"></progress></div>`
}

/** `n` includes the batch or item itself if it is outdated. */
function describeOutdated(words: Words, { level, outdated }: PassportState['row'], n: number): string {
  const texts = words.texts.units
  if (level === 'm' || !outdated) return texts.outdatedUnits({ count: n })
  if (n === 1) return texts.outdatedSelf[level === 'b' ? 'batch' : 'item']
  return texts.outdatedWithItems({ count: n - 1 })
}

/** Each corrected field; for a single value also what units show and what is correct. */
function renderCorrectedFields(
  words: Words,
  state: PassportState,
  { before, after }: PendingCorrection,
): string {
  const { fields } = requireCategory(state.row.category)
  const { languages } = effectiveData(state)
  const lines = fields
    .filter(({ name }) => Object.hasOwn(before, name) || Object.hasOwn(after, name))
    .map(field => {
      const values = [before, after].map(
        data => renderSummary(words, summarizeValue(words, field, { ...data, languages })) || '–',
      )
      const change = isScalarField(field) ? html`: <span dir="auto">!${values.join(' → ')}</span>` : ''
      return html`<li>${getFieldLabel(words, field.name)}!${change}</li>`
    })
  return lines.length === 0 ? '' : html`<ul>!${lines}</ul>`
}

function renderFailures(words: Words, job: JobReport | undefined): string {
  const failed = (job?.failed ?? []) as { id: string; error: string }[]
  if (failed.length === 0) return ''
  const lines = failed
    .slice(0, MAX_LISTED_FAILURES)
    .map(one => html`<li><a href="${PRODUCTS}/${one.id}">${one.id}</a>: ${one.error}</li>`)
  return html`<details class="fold"><summary>${words.texts.units.refreshFailed({ count: failed.length })}</summary><ul>!${lines}</ul></details>`
}

export async function submitRefresh(visit: Visit): Promise<Outcome> {
  const state = await getRequestedProduct(visit)
  const { refreshed, pending, failed } = await refreshPassport(visit.ctx, state.row.id)
  const isDone = pending === 0 && failed.length === 0
  return { to: isDone ? getDoneUrl(state.row, 'refreshed', refreshed) : getProductUrl(state.row) }
}
