/** What a number is made of, as a table with a bar for each share: countries, devices, categories, levels. */
import { html } from 'ghtml'
import type { ScanCounts } from '../../scans/summary.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { SCAN_TEXTS } from './texts.ts'

/** `name` is a text, or a link ready to stand in the page. */
export type Share = { name: string | { link: string }; count: number }

type Table = {
  head: string
  rows: readonly Share[]
  total: number
  label: string
  /** For rows so small that a bar shows nothing. */
  isWithoutBars?: boolean
}

/** The share is of `total`; without one the numbers stand alone. */
export function shareTable(words: Words, { head, rows, total, label, isWithoutBars = false }: Table): string {
  const texts = wordsOf(words, SCAN_TEXTS)
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

/** How a country is called; codes that name none are all unknown. */
export const countryName = (words: Words, code: string): string =>
  words.country(code) ?? wordsOf(words, SCAN_TEXTS).unknownCountry

const sum = (rows: readonly Share[]) => rows.reduce((all, { count }) => all + count, 0)

/** The first are seen at once, all others on request. */
export function countryTable(words: Words, byCountry: ScanCounts, shown: number): string {
  const texts = wordsOf(words, SCAN_TEXTS)
  const rows = Object.entries(byCountry).map(([code, count]) => ({ name: countryName(words, code), count }))
  const total = sum(rows)
  const table = (some: readonly Share[], label: string, isWithoutBars = false) =>
    shareTable(words, { head: texts.country, rows: some, total, label, isWithoutBars })
  const others = rows.slice(shown)
  const label = texts.otherCountries(others.length)
  return html`!${table(rows.slice(0, shown), texts.countries)}!${others.length === 0 ? '' : html`<details class="fold-small"><summary>${label}</summary>!${table(others, label, true)}</details>`}`
}

/** Counts by a fixed set of words, in its order, also those that are zero. */
export function wordTable(
  words: Words,
  { counts, names, head }: { counts: ScanCounts; names: Readonly<Record<string, string>>; head: string },
): string {
  const rows = Object.entries(names).map(([word, name]) => ({ name, count: counts[word] ?? 0 }))
  return shareTable(words, { head, rows, total: sum(rows), label: head })
}
