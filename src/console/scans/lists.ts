/** Lists of products by scans: most scanned, suspected copies, and milestones. */

import { html } from 'ghtml'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { shorten } from '../../kernel/errors/detail-json.ts'
import type { PassportSummary } from '../../passports/read/list.ts'
import type { PassportMilestone, ReachedMilestone } from '../../scans/list-milestones.ts'
import type { Suspicion } from '../../scans/list-suspicions.ts'
import type { MostScanned } from '../../scans/most-scanned.ts'
import { rowList } from '../page/parts.ts'
import { PRODUCTS, type Words } from '../page/route.ts'
import { getShortTitle } from '../product-data/product.ts'
import { renderShareTable } from './shares.ts'

type SummariesById = ReadonlyMap<string, PassportSummary>

/** Names may have 500 characters, and the page lists up to thirty. */
const MAX_TITLE_LENGTH = 100

function renderProductLink(words: Words, names: SummariesById, uuid: string): string {
  const found = names.get(uuid)
  const title =
    found === undefined ? words.texts.scans.gone : shorten(getShortTitle(words, found), MAX_TITLE_LENGTH)
  return html`<a href="${PRODUCTS}/${idFromUuid(uuid)}#scans">${title}</a>`
}

export function renderMostScanned(
  words: Words,
  top: MostScanned,
  names: SummariesById,
  total: number,
): string {
  const texts = words.texts.scans
  if (top.models.length === 0) return html`<p class="quiet">${texts.noneInRange}</p>`
  const rows = top.models.map(({ uuid, scans }) => ({
    name: { link: renderProductLink(words, names, uuid) },
    count: scans,
  }))
  return html`<p class="quiet">${texts.topLead}!${top.isSure ? '' : html` ${texts.topUnsure}`}</p>!${renderShareTable(words, { head: texts.product, rows, total, label: texts.top })}`
}

export function renderSuspicions(
  words: Words,
  {
    suspicions,
    names,
    isWatched,
  }: { suspicions: readonly Suspicion[]; names: SummariesById; isWatched: boolean },
): string {
  const texts = words.texts.scans
  const off = isWatched ? '' : html`<p class="reach">${texts.clonesOff}</p>`
  if (suspicions.length === 0) return isWatched ? html`<p class="quiet">${texts.clonesNone}</p>` : off
  const lines = suspicions.map(
    ({ uuid, at, seen }) =>
      html`<li>!${renderProductLink(words, names, uuid)}<span class="quiet"><time datetime="${at}">${words.minute(at)}</time>!${seen === undefined ? '' : html` · ${formatSightings(words, seen)}`}</span></li>`,
  )
  return html`!${off}<p>${texts.clonesLead}</p>!${rowList(lines)}!${renderCloneAdvice(words)}<p class="quiet">${texts.onceAWeek}</p>`
}

export function formatSightings(words: Words, seen: NonNullable<Suspicion['seen']>): string {
  const { count: scans, countries, devices } = seen
  return words.texts.scans.seen({ scans, countries, devices })
}

export function renderCloneAdvice(words: Words): string {
  const texts = words.texts.scans
  return html`<details class="fold-small"><summary>${texts.clonesToDo}</summary><ol class="steps">!${texts.clonesSteps.map(step => html`<li>${step}</li>`)}</ol></details>`
}

export function renderMilestones(
  words: Words,
  reached: readonly ReachedMilestone[],
  names: SummariesById,
): string {
  const texts = words.texts.scans
  if (reached.length === 0) return html`<p class="quiet">${texts.milestonesNone}</p>`
  const lines = reached.map(
    ({ uuid, milestone, at }) =>
      html`<li class="in-line"><span>!${renderProductLink(words, names, uuid)}</span><span><strong>${texts.reached({ milestone })}</strong> <time class="quiet" datetime="${at}">${words.date(at)}</time></span></li>`,
  )
  return html`<p class="quiet">${texts.milestonesLead}</p>!${rowList(lines)}`
}

export function renderOwnMilestones(words: Words, reached: readonly PassportMilestone[]): string {
  if (reached.length === 0) return ''
  const texts = words.texts.scans
  const lines = reached.map(
    ({ milestone, day }) =>
      html`<li class="in-line"><strong>${texts.reached({ milestone })}</strong><span class="quiet">${day === undefined ? texts.before : words.date(day)}</span></li>`,
  )
  return html`<h3>${texts.milestonesOwn}</h3>!${rowList(lines)}`
}
