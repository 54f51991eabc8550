/** What the address of the list of products asks for, and the address of a view. */
import { allCategories } from '../../categories/catalogue.ts'
import type { ListFilter } from '../../passports/read/list.ts'
import { PRODUCTS } from '../page/addresses.ts'
import { type Place, readPlace, sentAs } from '../product-data/pagination.ts'

export const MAX_SEARCH_LENGTH = 200

export const LEVELS = { model: ['m'], batch: ['b'], item: ['i'], all: ['m', 'b', 'i'] } as const
const UNITS = ['b', 'i'] as const
const STATUSES = { all: undefined, active: 'a', archived: 'x' } as const

export type View = {
  q: string
  level: keyof typeof LEVELS
  status: keyof typeof STATUSES
  category: string
  outdated: boolean
  place: Place
}

/** A search looks everywhere: a serial or a lot is no model's. */
export const usualLevel = (q: string) => (q === '' ? 'model' : 'all')

/** What the address asks for; a value that is none is as if it were not there, because people edit addresses. */
export function readView(query: URLSearchParams): View {
  const choice = <T extends string>(name: string, all: Readonly<Record<T, unknown>>, usual: T): T => {
    const sent = query.get(name) ?? ''
    return Object.hasOwn(all, sent) ? (sent as T) : usual
  }
  const category = query.get('category') ?? ''
  const outdated = query.get('outdated') === 'yes'
  const q = (query.get('q') ?? '').trim().slice(0, MAX_SEARCH_LENGTH).toWellFormed().replaceAll('\0', '')
  const level = choice('level', LEVELS, usualLevel(q))
  return {
    q,
    // A model is never outdated.
    level: outdated && level === 'model' ? 'all' : level,
    status: choice('status', STATUSES, 'all'),
    category: allCategories().some(({ id }) => id === category) ? category : '',
    outdated,
    place: readPlace(query, 'page'),
  }
}

export const filterOf = (view: View): ListFilter => ({
  levels: view.outdated && view.level === 'all' ? UNITS : LEVELS[view.level],
  status: STATUSES[view.status],
  category: view.category === '' ? undefined : view.category,
  outdated: view.outdated ? true : undefined,
  q: view.q === '' ? undefined : view.q,
})

export const addressOf = ({ q, level, status, category, outdated }: View, place: Place): string => {
  const sent = new URLSearchParams({
    ...(q === '' ? {} : { q }),
    ...(level === usualLevel(q) ? {} : { level }),
    ...(status === 'all' ? {} : { status }),
    ...(category === '' ? {} : { category }),
    ...(outdated ? { outdated: 'yes' } : {}),
    ...sentAs(place, 'page'),
  })
  return sent.size === 0 ? PRODUCTS : `${PRODUCTS}?${sent}`
}
