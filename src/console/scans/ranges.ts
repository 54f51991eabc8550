/** The ranges of days that the scans pages offer. */
import { html } from 'ghtml'
import { SUMMARY_RANGES } from '../../scans/summary.ts'
import { SCANS } from '../page/addresses.ts'
import type { Words } from '../page/words.ts'

export const SWITCHES = `${SCANS}/switches`

const DEFAULT_RANGE = '30'

/** The number of days that the query names; the default if it is not one of the ranges. */
export const parseRange = (query: URLSearchParams): number =>
  Number(SUMMARY_RANGES.find(range => range === query.get('days')) ?? DEFAULT_RANGE)

/** `address` builds the URL of a range; undefined stands for the default range. */
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
