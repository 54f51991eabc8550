/**
 * The way through a list of several pages. It goes from product to product, so that a page far in costs what the first
 * one does; a number stands beside it for people.
 */
import { html } from 'ghtml'
import { findUuid, idFromUuid } from '../../kernel/ids.ts'
import type { Page, Window } from '../../passports/read/list.ts'
import { PRODUCT_TEXTS } from '../page/product-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'

/** By number alone, an address leads no farther: it would be counted to there, at each visit. */
const FARTHEST_BY_NUMBER = 2_000
/** Before all: what stands behind it is the oldest. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** A page, and the product beside which it begins or ends. */
export type Place = { page: number; after?: string; before?: string }

/** `name` is what the page's number is called in the address. */
export function readPlace(query: URLSearchParams, name: string): Place {
  const sent = query.get(name) ?? ''
  const page = /^[1-9]\d{0,6}$/.test(sent) ? Number(sent) : 1
  const after = findUuid(query.get('after') ?? '')
  const before = findUuid(query.get('before') ?? '')
  if (after !== undefined) return { page, after }
  if (before !== undefined) return { page, before }
  return { page: page <= FARTHEST_BY_NUMBER ? page : 1 }
}

export function windowAt({ page, after, before }: Place, limit: number): Window {
  if (after !== undefined) return { limit, after }
  return before === undefined ? { limit, page } : { limit, before }
}

/** What of an address says the place. */
export const sentAs = ({ page, after, before }: Place, name: string): Record<string, string> => ({
  ...(page === 1 ? {} : { [name]: String(page) }),
  ...(after === undefined ? {} : { after: idFromUuid(after) }),
  ...(before === undefined ? {} : { before: idFromUuid(before) }),
})

type Shown = {
  place: Place
  found: Page
  size: number
  /** Hits of a search are few, and have no order to go along. */
  byNumber?: boolean
  address: (place: Place) => string
}

export function pages(words: Words, shown: Shown): string {
  const { place, found, size, byNumber = false, address } = shown
  const { page } = place
  const last = Math.max(1, Math.ceil(found.total / size))
  const isOpen = found.totalCapped && !byNumber
  if (last === 1 && page === 1) return ''
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const link = (to: Place, text: string, rel: string) =>
    html`<a class="alone"!${rel === '' ? '' : html` rel="${rel}"`} href="${address(to)}">${text}</a>`
  const { newer, older } = byNumber ? { newer: {}, older: {} } : beside(found)
  const hasOlder = isOpen ? found.rows.length === size : page < last
  const isFar = !byNumber && !isOpen && page < last - 1
  return html`<nav class="pages" aria-label="${texts.pages}">!${page > 2 ? link({ page: 1 }, texts.newestPage, '') : ''}!${page > 1 ? link(page === 2 ? { page: 1 } : { page: page - 1, ...newer }, texts.earlier, 'prev') : ''}
<span class="quiet">${isOpen ? texts.pageNo(words.number(page)) : texts.pageOf(words.number(page), words.number(last))}</span>
!${hasOlder ? link({ page: page + 1, ...older }, texts.later, 'next') : ''}!${isFar ? link({ page: last, before: BEFORE_ALL }, texts.oldestPage, '') : ''}</nav>`
}

/** The way on from the page that is shown. */
function beside({ rows }: Page): { newer: Omit<Place, 'page'>; older: Omit<Place, 'page'> } {
  const [first, last] = [rows.at(0)?.id, rows.at(-1)?.id]
  return {
    newer: first === undefined ? {} : { before: first },
    older: last === undefined ? {} : { after: last },
  }
}
