/** The figures of the page. The page allows no inline style, so they use only elements and attributes. */
import { html } from 'ghtml'
import type { Language } from '../../i18n/catalogue.ts'
import { formatPercent } from '../../i18n/format.ts'

/** `name` is ready HTML. */
export type Share = { name: string; percentage: number }

/** Colours in the style sheet. They repeat in this order, so that neighbouring segments differ. */
const TONES = 8

/** One bar in segments, with its legend as a table. `headings` are ready HTML. */
export function renderComposition(
  language: Language,
  headings: { caption: string; name: string; share: string },
  shares: readonly Share[],
): string {
  const sorted = shares.toSorted((a, b) => b.percentage - a.percentage)
  const rows = sorted.map(
    ({ name, percentage }, i) =>
      html`<tr><th scope="row"><i class="t${getTone(i)}"></i>!${name}</th><td>${formatPercent(language, percentage)}</td></tr>`,
  )
  return html`!${renderSegments(sorted)}<table><caption class="vh">!${headings.caption}</caption><thead class="vh"><tr><th scope="col">!${headings.name}</th><th scope="col">!${headings.share}</th></tr></thead><tbody>!${rows}</tbody></table>`
}

const getTone = (i: number) => i % TONES

/** Two pixels at a width of 320; the outlines of the segments cover one of them. */
const GAP_PERCENT = 0.7

/** Each segment is narrowed by its gap, so that the total stays 100. */
function renderSegments(shares: readonly Share[]): string {
  let x = 0
  const rects = shares.map(({ percentage }, i) => {
    const rect = html`<rect class="t${getTone(i)}" x="${round(x)}" width="${round(Math.max(percentage - GAP_PERCENT, 0.2))}" height="1"/>`
    x += percentage
    return rect
  })
  return html`<svg class="bar" viewBox="0 0 !${100 - GAP_PERCENT} 1" preserveAspectRatio="none" aria-hidden="true">!${rects}</svg>`
}

const round = (n: number) => Math.round(n * 100) / 100

/** Hidden from screen readers, because the text beside it names the class. */
export function renderClassScale(markedLetter: string): string {
  const letters = [...'ABCDEFG'].map(letter =>
    letter === markedLetter ? html`<b>${letter}</b>` : html`<span>${letter}</span>`,
  )
  return html`<p class="scale" aria-hidden="true">!${letters}</p>`
}

/** Hidden from screen readers, because the text beside it has the value. */
export const renderMeter = (value: number, max: number) =>
  html`<meter max="${max}" value="${value}" aria-hidden="true"></meter>`

/** The stages from first to last. All texts are ready HTML. */
export function renderSupplyChain(stages: readonly { name: string; place: string; more: string }[]): string {
  const items = stages.map(
    ({ name, place, more }) =>
      html`<li><b>!${name}</b> <span>!${place}</span>!${more && html`<small>!${more}</small>`}</li>`,
  )
  return html`<ol class="chain">!${items}</ol>`
}
