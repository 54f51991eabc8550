/**
 * The key figures of a range of days: all scans, unique readers, crawlers, and the change from the period
 * before.
 */

import { html } from 'ghtml'
import type { Comparison } from '../../scans/compare-periods.ts'
import { type ScanSummary, SUMMARY_RANGES } from '../../scans/summary.ts'
import { SCANS, type Words } from '../page/route.ts'

/** Below this count a percentage would mislead. */
const MIN_FOR_PERCENT = 20

type KeyFiguresInput = {
  summary: Pick<ScanSummary, 'total' | 'unique' | 'crawlers'>
  days: number
  comparison?: Comparison
}

export function renderKeyFigures(words: Words, { summary, days, comparison }: KeyFiguresInput): string {
  const texts = words.texts.scans
  const of = (key: 'total' | 'unique') =>
    comparison?.is === 'compared' ? describeChange(words, comparison.recent[key], comparison.before[key]) : ''
  const lines = [
    [texts.total, '', summary.total, of('total')],
    [texts.unique, texts.uniqueHint, summary.unique, of('unique')],
    [texts.crawlers, texts.crawlersHint, summary.crawlers, ''],
  ] as const
  const list = lines.map(
    ([term, hint, count, changed]) =>
      html`<div><dt>${term}!${hint === '' ? '' : html`, ${hint}`}</dt><dd class="large">${words.number(count)}</dd>!${changed === '' ? '' : html`<dd class="quiet">${changed}</dd>`}</div>`,
  )
  return html`<dl class="facts figures">!${list}</dl>!${comparison === undefined ? '' : renderFootnote(words, comparison, days)}`
}

function describeChange(words: Words, recent: number, before: number): string {
  const texts = words.texts.scans
  if (before < MIN_FOR_PERCENT) return texts.few({ recent, before })
  const percent = words.percent(Math.abs(recent - before) / before)
  if (recent === before) return texts.same
  return (recent > before ? texts.more : texts.less)({ percent, before })
}

function renderFootnote(words: Words, comparison: Comparison, days: number): string {
  const texts = words.texts.scans
  const sentence = {
    compared: () => texts.compared({ days }),
    no_scans: () => '',
    not_stored: () => texts.forgotten,
    too_new: () => texts.young({ date: formatSince(words, comparison) }),
    settings_changed: () => texts.switched({ date: formatSince(words, comparison) }),
  }[comparison.is]()
  return html`<p class="quiet">${sentence}</p>`
}

const formatSince = (words: Words, comparison: Comparison) =>
  'since' in comparison ? words.date(comparison.since) : ''

export const SWITCHES = `${SCANS}/switches`

const DEFAULT_RANGE = '30'

/** The number of days that the query names; the default if it is not one of the ranges. */
export const parseRange = (query: URLSearchParams): number =>
  Number(SUMMARY_RANGES.find(range => range === query.get('days')) ?? DEFAULT_RANGE)

/** `address` builds the URL of a range; undefined means the default range. */
export function renderRanges(
  words: Words,
  days: number,
  address: (range: string | undefined) => string,
): string {
  const texts = words.texts.scans
  const links = SUMMARY_RANGES.map(range => {
    const current = Number(range) === days ? ' aria-current="true"' : ''
    return html`<a href="${address(range === DEFAULT_RANGE ? undefined : range)}"!${current}>${range === '365' ? texts.year : texts.days({ days: range })}</a>`
  })
  return html`<nav class="ranges" aria-label="${texts.ranges}">!${links}</nav>`
}
