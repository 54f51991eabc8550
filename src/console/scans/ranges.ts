/** Where the scans are, and the ways to the other ranges. */

import { html } from 'ghtml'
import { SUMMARY_RANGES } from '../../scans/summary.ts'
import { SCANS } from '../page/addresses.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { SCAN_TEXTS } from './texts.ts'

export const SWITCHES = `${SCANS}/switches`

const USUAL = '30'

/** The days that the address asks for; what is no range is as if it were not there. */
export const readRange = (query: URLSearchParams): number =>
  Number(SUMMARY_RANGES.find(range => range === query.get('days')) ?? USUAL)

/** `address` makes the address of a range, without `days` for the usual one. */
export function ranges(words: Words, days: number, address: (range: string | undefined) => string): string {
  const texts = wordsOf(words, SCAN_TEXTS)
  const links = SUMMARY_RANGES.map(range => {
    const current = Number(range) === days ? ' aria-current="true"' : ''
    return html`<a href="${address(range === USUAL ? undefined : range)}"!${current}>${texts.range(Number(range))}</a>`
  })
  return html`<nav class="ranges" aria-label="${texts.ranges}">!${links}</nav>`
}
