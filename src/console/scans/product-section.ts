/** The scans of one product, on its page: its own, or including those of its units. */

import { html } from 'ghtml'
import type { PassportState } from '../../passports/core/state.ts'
import { listPassportMilestones } from '../../scans/list-milestones.ts'
import { listSuspicions, type Suspicion } from '../../scans/list-suspicions.ts'
import { getScanSettings, isCounted } from '../../scans/settings.ts'
import { summarizePassport } from '../../scans/summary.ts'
import { SCANS, type Visit, type Words } from '../page/route.ts'
import { getCategoryName } from '../product-data/labels.ts'
import { getProductUrl } from '../product-data/product.ts'
import { parseRange, renderKeyFigures, renderRanges } from './key-figures.ts'
import { formatSightings, renderCloneAdvice, renderOwnMilestones } from './lists.ts'
import { renderCountryTable, renderCountTable } from './shares.ts'
import { renderTrend } from './trend.ts'

const MAX_COUNTRIES = 6

export async function renderScansSection(
  { ctx, words, query }: Visit,
  { row }: PassportState,
): Promise<string> {
  const texts = words.texts.scans
  const days = parseRange(query)
  const withUnits = row.level !== 'i' && query.get('include') === 'units'
  const [summary, milestones, suspicions, settings] = await Promise.all([
    summarizePassport(ctx, { uuid: row.id, days, withUnits }),
    listPassportMilestones(ctx, row.id),
    row.level === 'i' ? listSuspicions(ctx, { limit: 1, uuid: row.id }) : [],
    getScanSettings(ctx, ctx.accountId),
  ])
  const address = (range: string | undefined, units: boolean) => {
    const sent = new URLSearchParams({
      ...(range === undefined ? {} : { days: range }),
      ...(units ? { include: 'units' } : {}),
    })
    return `${getProductUrl(row)}${sent.size === 0 ? '' : `?${sent}`}#scans`
  }
  const kept = query.has('days') ? String(days) : undefined
  const which = row.level === 'i' ? '' : renderUnitsChoice(words, withUnits, units => address(kept, units))
  const off = isCounted(settings, row.category)
    ? ''
    : html`<p class="reach">${settings.on ? texts.isOffFor({ categories: getCategoryName(words, row.category) }) : texts.isOff}</p>`
  const whence =
    summary.total === 0
      ? html`<p class="quiet">${texts.partNone}</p>`
      : html`!${renderTrend(words, summary.by_day, 'h3')}
<div class="halves after"><div>!${renderCountryTable(words, summary.byCountry, MAX_COUNTRIES)}</div><div>!${renderCountTable(words, { counts: summary.byDevice, names: texts.deviceNames, head: texts.device })}</div></div>`
  return html`<section aria-labelledby="scans"><div class="page-head"><h2 id="scans">${texts.part}</h2>!${renderRanges(words, days, range => address(range, withUnits))}</div>
!${which}!${off}!${suspicions.map(one => renderSuspicion(words, one))}!${renderKeyFigures(words, { summary, days })}
!${whence}!${renderOwnMilestones(words, milestones)}<p><a class="alone" href="${SCANS}">${texts.toScans}</a></p></section>`
}

function renderUnitsChoice(words: Words, withUnits: boolean, address: (units: boolean) => string): string {
  const texts = words.texts.scans
  const link = (units: boolean, name: string) =>
    html`<a href="${address(units)}"!${units === withUnits ? ' aria-current="true"' : ''}>${name}</a>`
  return html`<nav class="ranges" aria-label="${texts.which}">!${link(false, texts.ownScans)}!${link(true, texts.withUnits)}</nav>`
}

function renderSuspicion(words: Words, { at, seen }: Suspicion): string {
  const { texts } = words
  return html`<div class="reach wrong"><p>${texts.scans.suspected({ date: [words.minute(at), ...(seen === undefined ? [] : [formatSightings(words, seen)])].join('; ') })}</p>!${renderCloneAdvice(words)}</div>`
}
