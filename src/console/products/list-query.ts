/** Parses the query of the product list and builds its URLs. */

import type { AccountContext } from '../../accounts/account/context.ts'
import { allCategories } from '../../categories/catalogue.ts'
import type { ListFilter } from '../../passports/read/list-filter.ts'
import {
  READINESS_STATES,
  type ReadinessState,
  selectReadinessGroups,
} from '../../passports/readiness/account-readiness.ts'
import { getRules } from '../../readiness/rules.ts'
import { listActs } from '../../readiness/settings.ts'
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
  /** The state by the acts; undefined: any. */
  readiness: ReadinessQuery | undefined
  place: PagePosition
}

/** Products that an act finds so, or that do not meet a rule of it. */
export type ReadinessQuery = { act: string } & ({ state: ReadinessState } | { missing: string })

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
    readiness: parseReadiness(query),
    place: parsePagePosition(query, 'page'),
  }
}

function parseReadiness(query: URLSearchParams): ReadinessQuery | undefined {
  const acts = listActs(getRules())
  const missing = query.get('missing') ?? ''
  const owner = acts.find(({ rules }) => rules.some(({ id }) => id === missing))
  if (owner !== undefined) return { act: owner.id, missing }
  const act = acts.find(({ id }) => id === query.get('act'))
  const state = READINESS_STATES.find(one => one === query.get('readiness'))
  return act === undefined || state === undefined ? undefined : { act: act.id, state }
}

/** With the facts that the filter by readiness needs. */
export async function findListFilter(ctx: AccountContext, view: ListQuery): Promise<ListFilter> {
  const { readiness } = view
  if (readiness === undefined) return toListFilter(view)
  const asked = 'missing' in readiness ? { missing: readiness.missing } : { readiness: readiness.state }
  const facts = await selectReadinessGroups(ctx, { act: readiness.act, ...asked })
  return { ...toListFilter(view), facts }
}

export const toReadinessParameters = (readiness: ReadinessQuery | undefined): Record<string, string> => {
  if (readiness === undefined) return {}
  if ('missing' in readiness) return { missing: readiness.missing }
  return { readiness: readiness.state, act: readiness.act }
}

export const toListFilter = (view: ListQuery): ListFilter => ({
  levels: view.outdated && view.level === 'all' ? UNIT_LEVEL_CODES : LIST_LEVELS[view.level],
  status: STATUS_CODES[view.status],
  category: view.category === '' ? undefined : view.category,
  outdated: view.outdated ? true : undefined,
  q: view.q === '' ? undefined : view.q,
})

export const getListUrl = (
  { q, level, status, category, outdated, readiness }: ListQuery,
  place: PagePosition,
): string => {
  const sent = new URLSearchParams({
    ...(q === '' ? {} : { q }),
    ...(level === getDefaultLevel(q) ? {} : { level }),
    ...(status === 'all' ? {} : { status }),
    ...(category === '' ? {} : { category }),
    ...(outdated ? { outdated: 'yes' } : {}),
    ...toReadinessParameters(readiness),
    ...toPageParameters(place, 'page'),
  })
  return sent.size === 0 ? PRODUCTS : `${PRODUCTS}?${sent}`
}
