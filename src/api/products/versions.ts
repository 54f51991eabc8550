/** A product's history over REST, and its archive state. */
import { invalid } from '../../kernel/errors.ts'
import { requireProductUuid, requireVersionNo } from '../../passports/read/find.ts'
import { getVersion, listVersions } from '../../passports/read/history.ts'
import { setStatus } from '../../passports/write/archive.ts'
import { type AccountCall, type ApiResponse, successJson } from '../endpoint/endpoint.ts'
import { detail, integer, readQuery } from '../endpoint/query.ts'
import { expected, recordAnswer } from './products.ts'

const DEFAULT_LIMIT = 25
const MOST = 1_000_000_000

export async function listProductVersions(call: AccountCall): Promise<ApiResponse> {
  const query = readQuery(call.query, {
    page: integer(1, MOST),
    limit: integer(1, 100),
    cursor: integer(1, MOST),
  })
  if (query.page !== undefined && query.cursor !== undefined) {
    throw invalid([
      detail('cursor', 'unknown_field', 'cursor and page exclude each other; send one of them.'),
    ])
  }
  const { page = 1, limit = DEFAULT_LIMIT } = query
  const uuid = requireProductUuid(call.params.id ?? '')
  const from = query.cursor === undefined ? { offset: (page - 1) * limit } : { before: query.cursor }
  const { versions, total } = await listVersions(call.account, uuid, { ...from, limit })
  const last = versions.at(-1)?.version_no ?? 1
  const meta = {
    page: query.cursor === undefined ? page : null,
    limit,
    total,
    total_pages: Math.ceil(total / limit),
    has_more: last > 1,
    next_cursor: last > 1 ? String(last) : null,
  }
  return { body: successJson(JSON.stringify(versions), { meta }) }
}

export async function readProductVersion(call: AccountCall): Promise<ApiResponse> {
  readQuery(call.query, {})
  const uuid = requireProductUuid(call.params.id ?? '')
  const n = requireVersionNo(call.params.n ?? '')
  return recordAnswer(call, await getVersion(call.account, uuid, n))
}

export const archiveProduct = (call: AccountCall) => changeStatus(call, 'x')
export const restoreProduct = (call: AccountCall) => changeStatus(call, 'a')

async function changeStatus(call: AccountCall, status: 'a' | 'x'): Promise<ApiResponse> {
  const uuid = requireProductUuid(call.params.id ?? '')
  const row = await setStatus(call.account, { uuid, status, expects: expected(call) })
  return recordAnswer({ ...call, headers: {} }, row)
}
