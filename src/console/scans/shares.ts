/** Tables that split a count by country, device, category or level, with a bar for each share. */
import { html } from 'ghtml'
import type { ScanCounts } from '../../scans/summary.ts'
import type { Words } from '../page/route.ts'

/** `name`: a text, or a link as HTML. */
type ShareRow = { name: string | { link: string }; count: number }

type ShareTableInput = {
  head: string
  rows: readonly ShareRow[]
  total: number
  label: string
  /** For rows so small that their bars would be invisible. */
  isWithoutBars?: boolean
}

/** `total`: the count that is 100 %. */
export function renderShareTable(
  words: Words,
  { head, rows, total, label, isWithoutBars = false }: ShareTableInput,
): string {
  const texts = words.texts.scans
  const lines = rows.map(({ name, count }) => {
    const share = total === 0 ? 0 : count / total
    const bar = isWithoutBars
      ? ''
      : html`<svg class="share" aria-hidden="true"><rect width="${Math.round(share * 1000) / 10}%" height="4"/></svg>`
    const named = typeof name === 'string' ? html`${name}` : name.link
    return html`<tr><th scope="row">!${named}!${bar}</th><td>${words.number(count)}</td><td>${words.percent(share)}</td></tr>`
  })
  return html`<table class="numbers shares" aria-label="${label}"><thead><tr><th scope="col">${head}</th><th scope="col">${texts.scans}</th><th scope="col">${texts.share}</th></tr></thead><tbody>!${lines}</tbody></table>`
}

/** A code without a country is called "unknown". */
export const getCountryName = (words: Words, code: string): string =>
  words.country(code) ?? words.texts.scans.unknownCountry

const sumCounts = (rows: readonly ShareRow[]) => rows.reduce((all, { count }) => all + count, 0)

export function renderCountryTable(words: Words, byCountry: ScanCounts, shown: number): string {
  const texts = words.texts.scans
  const rows = Object.entries(byCountry).map(([code, count]) => ({
    name: getCountryName(words, code),
    count,
  }))
  const total = sumCounts(rows)
  const table = (some: readonly ShareRow[], label: string, isWithoutBars = false) =>
    renderShareTable(words, { head: texts.country, rows: some, total, label, isWithoutBars })
  const others = rows.slice(shown)
  const label = texts.otherCountries({ count: others.length })
  return html`!${table(rows.slice(0, shown), texts.countries)}!${others.length === 0 ? '' : html`<details class="fold-small"><summary>${label}</summary>!${table(others, label, true)}</details>`}`
}

/** One row for each of `names`, in its order, also for counts of zero. */
export function renderCountTable(
  words: Words,
  { counts, names, head }: { counts: ScanCounts; names: Readonly<Record<string, string>>; head: string },
): string {
  const rows = Object.entries(names).map(([word, name]) => ({ name, count: counts[word] ?? 0 }))
  return renderShareTable(words, { head, rows, total: sumCounts(rows), label: head })
}
