/** Parses the query of the product list and builds its URLs. */

import { allCategories } from '../../categories/catalogue.ts'
import type { ListFilter } from '../../passports/read/list-filter.ts'
import { getSearchText } from '../page/form.ts'
import { PRODUCTS } from '../page/route.ts'
import { type PagePosition, parsePagePosition, toPageParameters } from '../product-data/pagination.ts'

export const MAX_SEARCH_LENGTH = 200

export const LIST_LEVELS = { model: ['m'], batch: ['b'], item: ['i'], all: ['m', 'b', 'i'] } as const
const UNIT_LEVEL_CODES = ['b', 'i'] as const
const STATUS_CODES = { all: undefined, active: 'a', archived: 'x' } as const

export type ListQuery = {
  q: string
  level: keyof typeof LIST_LEVELS
  status: keyof typeof STATUS_CODES
  category: string
  outdated: boolean
  place: PagePosition
}

/** A search covers all levels, because serial and lot numbers belong to units. */
export const getDefaultLevel = (q: string) => (q === '' ? 'model' : 'all')

/** Ignores invalid values, because people edit URLs. */
export function parseListQuery(query: URLSearchParams): ListQuery {
  const choice = <T extends string>(name: string, all: Readonly<Record<T, unknown>>, usual: T): T => {
    const sent = query.get(name) ?? ''
    return Object.hasOwn(all, sent) ? (sent as T) : usual
  }
  const category = query.get('category') ?? ''
  const outdated = query.get('outdated') === 'yes'
  const q = getSearchText(query, 'q', MAX_SEARCH_LENGTH)
  const level = choice('level', LIST_LEVELS, getDefaultLevel(q))
  return {
    q,
    // A model is never outdated.
    level: outdated && level === 'model' ? 'all' : level,
    status: choice('status', STATUS_CODES, 'all'),
    category: allCategories().some(({ id }) => id === category) ? category : '',
    outdated,
    place: parsePagePosition(query, 'page'),
  }
}

export const toListFilter = (view: ListQuery): ListFilter => ({
  levels: view.outdated && view.level === 'all' ? UNIT_LEVEL_CODES : LIST_LEVELS[view.level],
  status: STATUS_CODES[view.status],
  category: view.category === '' ? undefined : view.category,
  outdated: view.outdated ? true : undefined,
  q: view.q === '' ? undefined : view.q,
})

export const getListUrl = (
  { q, level, status, category, outdated }: ListQuery,
  place: PagePosition,
): string => {
  const sent = new URLSearchParams({
    ...(q === '' ? {} : { q }),
    ...(level === getDefaultLevel(q) ? {} : { level }),
    ...(status === 'all' ? {} : { status }),
    ...(category === '' ? {} : { category }),
    ...(outdated ? { outdated: 'yes' } : {}),
    ...toPageParameters(place, 'page'),
  })
  return sent.size === 0 ? PRODUCTS : `${PRODUCTS}?${sent}`
}
