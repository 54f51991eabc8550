/** Products over REST: list, create, read, change. */
import { LEVEL_LETTER } from '../accounts/plans.ts'
import { isGtin, toGtin14 } from '../gs1/gtin.ts'
import { invalid } from '../kernel/errors.ts'
import { findUuid, idFromUuid } from '../kernel/ids.ts'
import { requireData } from '../passports/check-data.ts'
import { createPassport, type Written } from '../passports/create.ts'
import { getPassport, requireUuid } from '../passports/find.ts'
import { getPassportAt } from '../passports/history.ts'
import { type ListFilter, listPassports, type Page, type Summary } from '../passports/list.ts'
import { type Addresses, type PassportRow, recordEtag, recordHead, recordJson } from '../passports/record.ts'
import { CHANGE_TYPES, updatePassport } from '../passports/update.ts'
import { optionalChoice, optionalText, readBody } from './body.ts'
import { matchesAny, matchesVersion } from './conditions.ts'
import { dateTime, detail, flag, integer, oneOf, type Rule, readQuery, searchable } from './query.ts'
import { type AccountCall, type Answer, data, type OpenCall } from './route.ts'

const MOST_PAGE = 1_000_000_000
const MOST_NOTE = 500

const gtin: Rule<string> = (text, name) =>
  isGtin(text)
    ? toGtin14(text)
    : {
        problem: 'gtin_check_digit',
        message: `${name} must be a GTIN of 8, 12, 13 or 14 digits with a right check digit.`,
      }

const cursor: Rule<string> = (text, name) =>
  findUuid(text) ?? { problem: 'format', message: `${name} must be the next_cursor of an earlier answer.` }

const LIST_QUERY = {
  q: searchable,
  status: oneOf('all', 'active', 'archived'),
  level: oneOf('model', 'batch', 'item', 'all'),
  category: searchable,
  updated_since: dateTime,
  outdated: flag,
  sku: searchable,
  gtin,
  page: integer(1, MOST_PAGE),
  limit: integer(1, 100),
  cursor,
}

const DEFAULT_LIMIT = 25

export async function listProducts(call: AccountCall): Promise<Answer> {
  const query = readQuery(call.query, LIST_QUERY)
  if (query.page !== undefined && query.cursor !== undefined) {
    throw invalid([
      detail('cursor', 'unknown_field', 'cursor and page exclude each other; send one of them.'),
    ])
  }
  const filter: ListFilter = {
    levels: query.level === 'all' ? ['m', 'b', 'i'] : [LEVEL_LETTER[query.level ?? 'model']],
    status: query.status === 'active' ? 'a' : query.status === 'archived' ? 'x' : undefined,
    category: query.category,
    updatedSince: query.updated_since,
    outdated: query.outdated,
    sku: query.sku,
    gtin14: query.gtin,
    q: query.q,
    parentId: undefined,
  }
  const limit = query.limit ?? DEFAULT_LIMIT
  const page = query.page ?? 1
  const window = query.cursor === undefined ? { limit, page } : { limit, after: query.cursor }
  const found = await listPassports(call.account, filter, window)
  return {
    body: listBody(call.setup.addresses, found, { limit, page: query.cursor === undefined ? page : null }),
  }
}

function listBody(addresses: Addresses, found: Page, window: { limit: number; page: number | null }): string {
  const last = found.rows.at(-1)
  const isFull = found.rows.length === window.limit
  const more =
    window.page === null ? isFull : isFull && (found.totalCapped || window.page * window.limit < found.total)
  const meta = {
    page: window.page,
    limit: window.limit,
    total: found.total,
    ...(found.totalCapped ? { total_capped: true } : {}),
    total_pages: Math.ceil(found.total / window.limit),
    has_more: more,
    next_cursor: more && last ? idFromUuid(last.id) : null,
  }
  return data(`[${found.rows.map(row => summaryJson(addresses, row)).join(',')}]`, { meta })
}

function summaryJson(addresses: Addresses, row: Summary): string {
  const names = JSON.stringify({ product_name: row.product_name, sku: row.sku, brand_name: row.brand_name })
  return `{${recordHead(addresses, row)},${names.slice(1)}`
}

export async function createProduct(call: AccountCall): Promise<Answer> {
  readQuery(call.query, {})
  const body = readBody(call.body, ['category', 'data'])
  const strict = isStrict(call)
  const written = await createPassport(call.account, { category: body.category, data: body.data, strict })
  const answer = writtenAnswer(call, written, strict)
  const location = `${call.setup.addresses.apiUrl}/products/${idFromUuid(written.passport.id)}`
  return { ...answer, status: 201, headers: { ...answer.headers, location } }
}

export async function readProduct(call: AccountCall): Promise<Answer> {
  const { at } = readQuery(call.query, { at: dateTime })
  const uuid = requireUuid(call.params.id ?? '')
  const row =
    at === undefined ? await getPassport(call.account, uuid) : await getPassportAt(call.account, uuid, at)
  return recordAnswer(call, row)
}

/** A record with its ETag, or 304 when the client has it. */
export function recordAnswer(call: OpenCall, row: PassportRow): Answer {
  const etag = recordEtag(row)
  if (matchesAny(call.headers['if-none-match'], etag)) return { status: 304, body: '', headers: { etag } }
  return { body: data(recordJson(call.setup.addresses, row)), headers: { etag } }
}

export async function changeProduct(call: AccountCall): Promise<Answer> {
  readQuery(call.query, {})
  const uuid = requireUuid(call.params.id ?? '')
  const body = readBody(call.body, ['data', 'change_type', 'note'])
  const strict = isStrict(call)
  const written = await updatePassport(call.account, {
    uuid,
    data: requireData(body.data),
    changeType: optionalChoice('change_type', body.change_type, CHANGE_TYPES) ?? 'change',
    note: optionalText('note', body.note, MOST_NOTE),
    strict,
    expects: current => matchesVersion(call.headers['if-match'], recordEtag(current)),
  })
  return writtenAnswer(call, written, strict)
}

function writtenAnswer(call: OpenCall, written: Written, strict: boolean): Answer {
  return {
    body: data(recordJson(call.setup.addresses, written.passport), { warnings: written.warnings }),
    headers: {
      etag: recordEtag(written.passport),
      ...(strict ? { 'preference-applied': 'handling=strict' } : {}),
    },
  }
}

/** `Prefer: handling=strict` (RFC 7240): unknown fields are refused instead of warned about. */
function isStrict(call: OpenCall): boolean {
  const prefer = call.headers.prefer
  return typeof prefer === 'string' && /(?:^|[,;\s])handling\s*=\s*"?strict"?(?:$|[,;\s])/i.test(prefer)
}
