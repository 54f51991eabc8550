/** Lists of products: of an account, and of the units under a product. Rows and pages are the same. */
import { LEVEL_LETTER } from '../../accounts/account/plans.ts'
import { allCategories } from '../../categories/catalogue.ts'
import { toGtin14 } from '../../gs1/gtin.ts'
import { MAX_LOT_OR_SERIAL_LENGTH } from '../../gs1/lot-serial.ts'
import { idFromUuid, parseId } from '../../kernel/crypto/ids.ts'
import { listPassports } from '../../passports/read/list.ts'
import type { ListFilter } from '../../passports/read/list-filter.ts'
import { READINESS_STATES, selectReadinessGroups } from '../../passports/readiness/account-readiness.ts'
import { pageResponse } from '../endpoint/documented-response.ts'
import {
  type AccountCall,
  type ApiResponse,
  defineEndpoint,
  pageMeta,
  successJson,
} from '../endpoint/endpoint.ts'
import { findGtinProblem } from '../endpoint/path-parameters.ts'
import {
  booleanParameter,
  CURSOR_TEXT,
  choiceParameter,
  dateTimeParameter,
  invalidQuery,
  LIMIT,
  MAX_TEXT_LENGTH,
  PAGE,
  type QueryParameter,
  type QueryValues,
  textParameter,
  withDefault,
} from '../endpoint/query-parameters.ts'
import { exampleSummary } from './examples.ts'
import { type ChangeCursor, parseChangeCursor, respondWithChanges } from './list-changes.ts'
import { summaryJson } from './summary.ts'

const gtin: QueryParameter<string> = {
  description: 'Exactly this GTIN; leading zeros make no difference.',
  schema: { type: 'string', minLength: 8, maxLength: 14 },
  read: (text, name) => findGtinProblem(text, name) ?? toGtin14(text),
}

const describeBadCursor = (name: string) =>
  `${name} must be the next_cursor of an earlier response to the same query.`
const badCursor = () => invalidQuery('cursor', 'format', describeBadCursor('cursor'))

/** The id of the last row of a page that was read newest first. */
export const ID_CURSOR: QueryParameter<string> = {
  ...CURSOR_TEXT,
  read: (text, name) => parseId(text) ?? { code: 'format', message: describeBadCursor(name) },
}
/** Accepts cursors of the list of changes, too. The other parameters decide which kind is valid. */
const anyCursor: QueryParameter<string | ChangeCursor> = {
  ...CURSOR_TEXT,
  read: (text, name) =>
    parseId(text) ?? parseChangeCursor(text) ?? { code: 'format', message: describeBadCursor(name) },
}

const FILTERS = {
  q: textParameter(
    'Part of a name, SKU, GTIN or lot, or the beginning of an item’s serial. Upper and lower case are equal, and spaces around it are ignored.',
    MAX_TEXT_LENGTH,
    { trims: true },
  ),
  status: withDefault(choiceParameter('Active, archived, or all.', ['all', 'active', 'archived']), 'all'),
  outdated: booleanParameter('Only units that are, or are not, outdated.'),
  lot: textParameter('Exactly this lot.', MAX_LOT_OR_SERIAL_LENGTH),
  serial: textParameter('Exactly this serial.', MAX_LOT_OR_SERIAL_LENGTH),
}

/** The others read a page of an index. */
const COSTLY_PARAMETERS = ['q', 'outdated', 'readiness', 'missing', 'page']

const STATUS_LETTER = { all: undefined, active: 'a', archived: 'x' } as const

export const listProducts = defineEndpoint({
  method: 'GET',
  path: '/products',
  id: 'listProducts',
  tag: 'products',
  summary: 'List and search products',
  isCostly: query => COSTLY_PARAMETERS.some(name => Object.hasOwn(query, name)),
  description:
    'Newest first, or with `updated_since` in the order of the changes. Lists models by default. Units are included with `serial`, `lot` or `outdated=true`, which only units have; `level` overrides this. To read everything, follow `next_cursor` until it is null: each step costs the same.',
  query: {
    ...FILTERS,
    level: choiceParameter('Default: model, or all with a filter by `serial`, `lot` or `outdated=true`.', [
      'model',
      'batch',
      'item',
      'all',
    ]),
    category: choiceParameter(
      'Exactly this category.',
      allCategories().map(({ id }) => id),
    ),
    updated_since: dateTimeParameter(
      'Changed at this time or later, in the order of the changes. Next time, send `meta.synced_until` of the first page: then no change is missed.',
      '2026-11-01T00:00:00Z',
    ),
    sku: textParameter('Exactly this SKU.', MAX_TEXT_LENGTH),
    gtin,
    readiness: choiceParameter(
      'Only active products that `act` finds ready, incomplete or undetermined, as of at most a minute ago.',
      READINESS_STATES,
    ),
    act: textParameter('The act that `readiness` is about, such as `eu.battery.passport`.', 100),
    missing: textParameter(
      'Only active products that do not meet this rule, or only in part, such as `batt.14`, as of at most a minute ago.',
      100,
    ),
    page: PAGE,
    limit: LIMIT,
    cursor: anyCursor,
  },
  responses: { 200: pageResponse('A page of products.', 'ProductSummary', [exampleSummary()]) },
  async handle(call) {
    const {
      level: asked,
      status,
      updated_since: since,
      gtin: gtin14,
      readiness,
      act,
      missing,
      page,
      limit,
      cursor,
      ...filters
    } = call.query
    // Models have none of these. An empty list of models would suggest that no unit matches.
    const asksForUnits =
      filters.serial !== undefined || filters.lot !== undefined || filters.outdated === true
    const level = asked ?? (asksForUnits ? 'all' : 'model')
    const filter: ListFilter = {
      ...filters,
      levels: level === 'all' ? ['m', 'b', 'i'] : [LEVEL_LETTER[level]],
      status: STATUS_LETTER[status],
      gtin14,
      facts: await selectReadinessGroups(call.account, { readiness, act, missing }),
    }
    // A search lists newest hits first, even with `updated_since`.
    if (since === undefined || filters.q !== undefined) {
      if (typeof cursor === 'object') throw badCursor()
      return respondWithPage(call, { ...filter, updatedSince: since }, { page, limit, cursor })
    }
    if (typeof cursor === 'string') throw badCursor()
    return respondWithChanges(call, { ...filter, since }, { page, limit, cursor })
  },
})

export const UNIT_LIST_QUERY = {
  level: withDefault(choiceParameter('Which level.', ['batch', 'item', 'all']), 'all'),
  ...FILTERS,
  page: PAGE,
  limit: LIMIT,
  cursor: ID_CURSOR,
}

/** A page of the units directly under a product. */
export function respondWithUnits(
  call: AccountCall & { query: QueryValues<typeof UNIT_LIST_QUERY> },
  parentId: string,
): Promise<ApiResponse> {
  const { level, status, page, limit, cursor, ...filters } = call.query
  const filter: ListFilter = {
    ...filters,
    levels: level === 'all' ? ['b', 'i'] : [LEVEL_LETTER[level]],
    status: STATUS_LETTER[status],
    parentId,
  }
  return respondWithPage(call, filter, { page, limit, cursor })
}

type Place = { page: number; limit: number; cursor?: string | undefined }

async function respondWithPage(call: AccountCall, filter: ListFilter, place: Place): Promise<ApiResponse> {
  const { page, limit, cursor } = place
  const found = await listPassports(
    call.account,
    filter,
    // One more than the limit, to see whether there is a next page.
    cursor === undefined ? { limit, page } : { limit: limit + 1, after: cursor },
  )
  const rows = found.rows.slice(0, limit)
  const last = rows.at(-1)
  const isFull = rows.length === limit
  const hasMore =
    cursor === undefined
      ? isFull && (found.totalCapped || page * limit < found.total)
      : found.rows.length > limit
  const meta = pageMeta(place, found, hasMore && last ? idFromUuid(last.id) : undefined)
  const summaries = rows.map(row => summaryJson(call.setup.addresses, row))
  return { body: successJson(`[${summaries.join(',')}]`, { meta }) }
}
