/** Lists of products, of an account or under a product: the same rows, the same pages. */
import { LEVEL_LETTER } from '../../accounts/plans.ts'
import { allCategories } from '../../categories/catalogue.ts'
import { toEnglish } from '../../categories/problems.ts'
import { FORMAT_RULES } from '../../categories/schema/formats.ts'
import { toGtin14 } from '../../gs1/gtin.ts'
import { MAX_LOT_OR_SERIAL_LENGTH } from '../../gs1/lot-serial.ts'
import { invalid } from '../../kernel/errors.ts'
import { findUuid, idFromUuid } from '../../kernel/ids.ts'
import type { Addresses } from '../../passports/core/record.ts'
import { getPassport, requireProductUuid } from '../../passports/read/find.ts'
import { type ListFilter, listPassports, type PassportPage } from '../../passports/read/list.ts'
import { type AccountCall, type ApiResponse, successJson } from '../endpoint/endpoint.ts'
import {
  dateTime,
  detail,
  flag,
  integer,
  MOST_TEXT,
  oneOf,
  type Rule,
  readQuery,
  searchable,
  words,
} from '../endpoint/query.ts'
import { answerChanges, type ChangeCursor, findChangeCursor } from './list-changes.ts'
import { summaryJson } from './summary.ts'

const MOST_PAGE = 1_000_000_000
const DEFAULT_LIMIT = 25

const gtin: Rule<string> = (text, name) => {
  const fault = FORMAT_RULES.gtin.findViolation(text)
  if (fault === undefined) return toGtin14(text)
  return { problem: fault.code, message: `${name} ${toEnglish(fault.problem)}` }
}

const cursor: Rule<string> = (text, name) =>
  findUuid(text) ?? { problem: 'format', message: notACursor(name) }

const notACursor = (name: string) =>
  `${name} must be the next_cursor of an earlier answer to the same question.`

/** Also one of the list of changes; which of them a question takes depends on its other parameters. */
const anyCursor: Rule<string | ChangeCursor> = (text, name) =>
  findUuid(text) ?? findChangeCursor(text) ?? { problem: 'format', message: notACursor(name) }

const WINDOW = { page: integer(1, MOST_PAGE), limit: integer(1, 100), cursor }
const COMMON = {
  q: words,
  status: oneOf('all', 'active', 'archived'),
  outdated: flag,
  lot: searchable(MAX_LOT_OR_SERIAL_LENGTH),
  serial: searchable(MAX_LOT_OR_SERIAL_LENGTH),
}

const LIST_QUERY = {
  ...COMMON,
  level: oneOf('model', 'batch', 'item', 'all'),
  category: oneOf(...allCategories().map(({ id }) => id)),
  updated_since: dateTime,
  sku: searchable(MOST_TEXT),
  gtin,
  ...WINDOW,
  cursor: anyCursor,
}

const CHILDREN_QUERY = { ...COMMON, level: oneOf('batch', 'item', 'all'), ...WINDOW }

const STATUS_LETTER = { all: undefined, active: 'a', archived: 'x' } as const

export async function listProducts(call: AccountCall): Promise<ApiResponse> {
  const {
    level: asked,
    status = 'all',
    updated_since: since,
    gtin: gtin14,
    cursor: after,
    ...query
  } = readQuery(call.query, LIST_QUERY)
  // Of these a model has none, so among models the answer would be an empty list, which reads as "there is none".
  const isOfUnits = query.serial !== undefined || query.lot !== undefined || query.outdated === true
  const level = asked ?? (isOfUnits ? 'all' : 'model')
  const filter: ListFilter = {
    ...query,
    levels: level === 'all' ? ['m', 'b', 'i'] : [LEVEL_LETTER[level]],
    status: STATUS_LETTER[status],
    gtin14,
  }
  const sent = { ...query, cursor: after }
  requireOnePlace(sent)
  // Hits of a search are ordered like every search, newest first.
  if (since === undefined || query.q !== undefined) {
    if (typeof after === 'object') throw invalid([detail('cursor', 'format', notACursor('cursor'))])
    return answerList(call, { ...query, cursor: after }, { ...filter, updatedSince: since })
  }
  if (typeof after === 'string') throw invalid([detail('cursor', 'format', notACursor('cursor'))])
  const { limit = DEFAULT_LIMIT, page = 1 } = query
  return answerChanges(call, { ...filter, since }, { limit, ...(after ? { cursor: after } : { page }) })
}

export async function listChildren(call: AccountCall): Promise<ApiResponse> {
  const { level = 'all', status = 'all', ...query } = readQuery(call.query, CHILDREN_QUERY)
  const parent = await getPassport(call.account, requireProductUuid(call.params.id ?? ''))
  return answerList(call, query, {
    ...query,
    levels: level === 'all' ? ['b', 'i'] : [LEVEL_LETTER[level]],
    status: STATUS_LETTER[status],
    parentId: parent.id,
  })
}

type Window = { page?: number; limit?: number; cursor?: string | undefined }

function requireOnePlace({ page, cursor: after }: { page?: number; cursor?: unknown }): void {
  if (page === undefined || after === undefined) return
  throw invalid([detail('cursor', 'unknown_field', 'cursor and page exclude each other; send one of them.')])
}

async function answerList(call: AccountCall, sent: Window, filter: ListFilter): Promise<ApiResponse> {
  requireOnePlace(sent)
  const { limit = DEFAULT_LIMIT, page = 1, cursor: after } = sent
  const found = await listPassports(
    call.account,
    filter,
    // One more than asked for, to know whether anything follows.
    after === undefined ? { limit, page } : { limit: limit + 1, after },
  )
  return { body: listBody(call.setup.addresses, found, { limit, page: after === undefined ? page : null }) }
}

function listBody(
  addresses: Addresses,
  found: PassportPage,
  window: { limit: number; page: number | null },
): string {
  const rows = found.rows.slice(0, window.limit)
  const last = rows.at(-1)
  const isFull = rows.length === window.limit
  const more =
    window.page === null
      ? found.rows.length > window.limit
      : isFull && (found.totalCapped || window.page * window.limit < found.total)
  const meta = {
    page: window.page,
    limit: window.limit,
    total: found.total,
    ...(found.totalCapped ? { total_capped: true } : {}),
    total_pages: Math.ceil(found.total / window.limit),
    has_more: more,
    next_cursor: more && last ? idFromUuid(last.id) : null,
  }
  return successJson(`[${rows.map(row => summaryJson(addresses, row)).join(',')}]`, { meta })
}
