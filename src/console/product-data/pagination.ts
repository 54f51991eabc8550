/**
 * Links between the pages of a list. A link names the neighbouring product, so that a late page costs as much
 * as the first; the page number is only for people.
 */

import { html } from 'ghtml'
import { idFromUuid, parseId } from '../../kernel/crypto/ids.ts'
import type { PageWindow, PassportPage } from '../../passports/read/list.ts'
import type { Words } from '../page/route.ts'

/** A URL with only a page number reaches no later page: the database would count all rows before it. */
const MAX_PAGE_BY_NUMBER = 2_000
/** Lower than every ID: the page before it is the last one, with the oldest products. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

export type PagePosition = { page: number; after?: string; before?: string }

/** `name`: the query parameter of the page number. */
export function parsePagePosition(query: URLSearchParams, name: string): PagePosition {
  const sent = query.get(name) ?? ''
  const page = /^[1-9]\d{0,6}$/.test(sent) ? Number(sent) : 1
  const after = parseId(query.get('after') ?? '')
  const before = parseId(query.get('before') ?? '')
  if (after !== undefined) return { page, after }
  if (before !== undefined) return { page, before }
  return { page: page <= MAX_PAGE_BY_NUMBER ? page : 1 }
}

export function toWindow({ page, after, before }: PagePosition, limit: number): PageWindow {
  if (after !== undefined) return { limit, after }
  return before === undefined ? { limit, page } : { limit, before }
}

export const toPageParameters = (
  { page, after, before }: PagePosition,
  name: string,
): Record<string, string> => ({
  ...(page === 1 ? {} : { [name]: String(page) }),
  ...(after === undefined ? {} : { after: idFromUuid(after) }),
  ...(before === undefined ? {} : { before: idFromUuid(before) }),
})

type FoundPage = Omit<PassportPage, 'rows'> & { rows: readonly { id: string }[] }

type PaginationOptions = {
  place: PagePosition
  found: FoundPage
  size: number
  /** For search results: they are few and not sorted by ID. */
  byNumber?: boolean
  address: (place: PagePosition) => string
}

export function renderPagination(words: Words, shown: PaginationOptions): string {
  const { place, found, size, byNumber = false, address } = shown
  const { page } = place
  const last = Math.max(1, Math.ceil(found.total / size))
  const isOpen = found.totalCapped && !byNumber
  if (last === 1 && page === 1) return ''
  const texts = words.texts.products
  const link = (to: PagePosition, text: string, rel: string) =>
    html`<a class="alone"!${rel === '' ? '' : html` rel="${rel}"`} href="${address(to)}">${text}</a>`
  const { newer, older } = byNumber ? { newer: {}, older: {} } : getNeighbors(found)
  const hasOlder = isOpen ? found.rows.length === size : page < last
  const isFar = !byNumber && !isOpen && page < last - 1
  return html`<nav class="pages" aria-label="${texts.pages}">!${page > 2 ? link({ page: 1 }, texts.newestPage, '') : ''}!${page > 1 ? link(page === 2 ? { page: 1 } : { page: page - 1, ...newer }, texts.earlier, 'prev') : ''}
<span class="quiet">${isOpen ? texts.pageNo({ page }) : texts.pageOf({ page, last })}</span>
!${hasOlder ? link({ page: page + 1, ...older }, texts.later, 'next') : ''}!${isFar ? link({ page: last, before: LOWEST_ID }, texts.oldestPage, '') : ''}</nav>`
}

/** The products from which the next and the previous page continue. */
function getNeighbors({ rows }: FoundPage): {
  newer: Omit<PagePosition, 'page'>
  older: Omit<PagePosition, 'page'>
} {
  const [first, last] = [rows.at(0)?.id, rows.at(-1)?.id]
  return {
    newer: first === undefined ? {} : { before: first },
    older: last === undefined ? {} : { after: last },
  }
}
