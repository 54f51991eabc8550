/** The key figures: all scans, unique readers, crawlers, and the change from the period before. */
import { html } from 'ghtml'
import type { Comparison } from '../../scans/compare-periods.ts'
import type { ScanSummary } from '../../scans/summary.ts'
import type { Words } from '../page/words.ts'

/** Below this count a percentage would mislead. */
const MIN_FOR_PERCENT = 20

type KeyFiguresInput = {
  summary: Pick<ScanSummary, 'total' | 'unique' | 'crawlers'>
  days: number
  comparison: Comparison | undefined
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
    nothing: () => '',
    forgotten: () => texts.forgotten,
    young: () => texts.young({ date: formatSince(words, comparison) }),
    switched: () => texts.switched({ date: formatSince(words, comparison) }),
  }[comparison.is]()
  return html`<p class="quiet">${sentence}</p>`
}

const formatSince = (words: Words, comparison: Comparison) =>
  'since' in comparison ? words.date(comparison.since) : ''
