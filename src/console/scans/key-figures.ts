/** The numbers at the head: all scans, different readers, crawlers, and how they stand to the time before. */
import { html } from 'ghtml'
import type { Comparison } from '../../scans/compare-periods.ts'
import type { ScanSummary } from '../../scans/summary.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { SCAN_TEXTS } from './texts.ts'

/** Below, a share says more than there is to say. */
const LEAST_FOR_PERCENT = 20

type Shown = {
  summary: Pick<ScanSummary, 'total' | 'unique' | 'crawlers'>
  days: number
  comparison: Comparison | undefined
}

export function figures(words: Words, { summary, days, comparison }: Shown): string {
  const texts = wordsOf(words, SCAN_TEXTS)
  const of = (key: 'total' | 'unique') =>
    comparison?.is === 'compared' ? change(words, comparison.recent[key], comparison.before[key]) : ''
  const lines = [
    [texts.total, '', summary.total, of('total')],
    [texts.unique, texts.uniqueHint, summary.unique, of('unique')],
    [texts.crawlers, texts.crawlersHint, summary.crawlers, ''],
  ] as const
  const list = lines.map(
    ([term, hint, count, changed]) =>
      html`<div><dt>${term}!${hint === '' ? '' : html`, ${hint}`}</dt><dd class="large">${words.number(count)}</dd>!${changed === '' ? '' : html`<dd class="quiet">${changed}</dd>`}</div>`,
  )
  return html`<dl class="facts figures">!${list}</dl>!${comparison === undefined ? '' : footnote(words, comparison, days)}`
}

function change(words: Words, recent: number, before: number): string {
  const texts = wordsOf(words, SCAN_TEXTS)
  if (before < LEAST_FOR_PERCENT) return texts.few(words.number(recent), words.number(before))
  const percent = words.percent(Math.abs(recent - before) / before)
  if (recent === before) return texts.same
  return (recent > before ? texts.more : texts.less)(percent, words.number(before))
}

function footnote(words: Words, comparison: Comparison, days: number): string {
  const texts = wordsOf(words, SCAN_TEXTS)
  const sentence = {
    compared: () => texts.compared(days),
    nothing: () => '',
    forgotten: () => texts.forgotten,
    young: () => texts.young(sinceOf(words, comparison)),
    switched: () => texts.switched(sinceOf(words, comparison)),
  }[comparison.is]()
  return html`<p class="quiet">${sentence}</p>`
}

const sinceOf = (words: Words, comparison: Comparison) =>
  'since' in comparison ? words.date(comparison.since) : ''
