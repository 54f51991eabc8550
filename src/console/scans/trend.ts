/** Scans over time as bars and as a table: one bar per day, or per week if the range is long. */
import { html } from 'ghtml'
import type { DaySum } from '../../scans/summary.ts'
import type { Words } from '../page/route.ts'

/** With more, each bar would be thinner than a line on a phone. */
const MAX_DAY_BARS = 100
const WEEK_DAYS = 7
const DAY_MS = 86_400_000
/** In units of the SVG, which is stretched to the available width. */
const BAR_WIDTH = 10
const CHART_HEIGHT = 100

export type Bar = { from: string; total: number; unique: number }

/** One bar per day or, for a long range, per week from Monday. */
export function buildBars(days: readonly DaySum[]): Bar[] {
  if (days.length <= MAX_DAY_BARS)
    return days.map(({ date, total, unique }) => ({ from: date, total, unique }))
  const weeks: Bar[] = []
  for (const { date, total, unique } of days) {
    const week = weeks.at(-1)
    if (week === undefined || isMonday(date)) weeks.push({ from: date, total, unique })
    else {
      week.total += total
      week.unique += unique
    }
  }
  return weeks
}

/** The first of January 1970 was a Thursday. */
const isMonday = (date: string) => (Date.parse(date) / DAY_MS + 3) % WEEK_DAYS === 0

/** The top of the scale: not much above the highest bar, and even, so that its half is a whole number. */
export function chooseScaleTop(most: number): number {
  const base = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most))))
  const steps = base === 1 ? [2, 4, 6, 8, 10] : [1, 2, 3, 4, 5, 6, 8, 10]
  return (steps.find(step => step * base >= most) ?? 10) * base
}

/** `rank`: the level of the heading. */
export function renderTrend(words: Words, days: readonly DaySum[], rank: 'h2' | 'h3'): string {
  const texts = words.texts.scans
  const bars = buildBars(days)
  const isWeeks = bars.length < days.length
  const title = isWeeks ? texts.trendWeeks : texts.trend
  return html`<${rank} id="trend">${title}</${rank}>
!${renderChart(words, bars, isWeeks)}
<p class="quiet"><span class="mark in-all"></span> ${texts.total} <span class="mark once"></span> ${texts.unique} <span class="aside">${isWeeks ? texts.partWeeks : texts.partDay}</span></p>
<details class="fold-small"><summary>${texts.asTable}<span class="sight">: ${title}</span></summary>!${renderTable(words, bars, isWeeks)}</details>`
}

function renderChart(words: Words, bars: readonly Bar[], isWeeks: boolean): string {
  const texts = words.texts.scans
  const top = chooseScaleTop(Math.max(...bars.map(bar => bar.total)))
  const total = bars.reduce((sum, bar) => sum + bar.total, 0)
  const most = bars.reduce((a, b) => (b.total > a.total ? b : a), { from: '', total: 0, unique: 0 })
  const when = isWeeks ? texts.inWeek : texts.onDay
  const says =
    total === 0
      ? texts.noneInRange
      : texts.trendSays({ total, most: most.total, when: when({ date: words.date(most.from) }) })
  const name = isWeeks ? texts.barWeek : texts.barDay
  const day = isWeeks ? words.date : words.dayOfYear
  const places = bars.map((bar, i) => {
    const title = name({ date: words.date(bar.from), total: bar.total, unique: bar.unique })
    return html`<path d="M${i * BAR_WIDTH + BAR_WIDTH / 2} 0v${CHART_HEIGHT}"><title>${title}</title></path>`
  })
  const width = bars.length * BAR_WIDTH
  const ends = [bars[0], bars[Math.floor((bars.length - 1) / 2)], bars.at(-1)]
  return html`<div class="trend"><div class="scale" aria-hidden="true">!${[top, top / 2, 0].map(n => html`<span>${words.number(n)}</span>`)}</div>
<svg role="img" aria-label="${says}" viewBox="0 0 ${width} ${CHART_HEIGHT}" preserveAspectRatio="none"><path class="lines" d="M0 0H${width}M0 ${CHART_HEIGHT / 2}H${width}M0 ${CHART_HEIGHT}H${width}"/><g class="places">!${places}</g>
!${renderBars(
    'in-all',
    bars.map(bar => bar.total / top),
  )}!${renderBars(
    'once',
    bars.map(bar => bar.unique / top),
  )}</svg>
<div class="ends" aria-hidden="true">!${ends.map(bar => html`<span>${bar === undefined ? '' : day(bar.from)}</span>`)}</div></div>`
}

/** All bars of a kind are strokes of one path; the style sheet sets their width. */
function renderBars(name: string, shares: readonly number[]): string {
  const strokes = shares.flatMap((share, i) => {
    const height = Math.round(share * CHART_HEIGHT * 10) / 10
    return height === 0 ? [] : `M${i * BAR_WIDTH + BAR_WIDTH / 2} ${CHART_HEIGHT}v${-height}`
  })
  return html`<path class="${name}" d="${strokes.join('')}"/>`
}

function renderTable(words: Words, bars: readonly Bar[], isWeeks: boolean): string {
  const texts = words.texts.scans
  const rows = bars
    .toReversed()
    .map(
      ({ from, total, unique }) =>
        html`<tr><th scope="row">${words.date(from)}</th><td>${words.number(total)}</td><td>${words.number(unique)}</td></tr>`,
    )
  return html`<table class="numbers"><thead><tr><th scope="col">${isWeeks ? texts.week : texts.day}</th><th scope="col">${texts.total}</th><th scope="col">${texts.unique}</th></tr></thead><tbody>!${rows}</tbody></table>`
}
