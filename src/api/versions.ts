/** A product's history over REST, and its archive state. */
import { notFound } from '../kernel/errors.ts'
import { setStatus } from '../passports/archive.ts'
import { requireUuid } from '../passports/find.ts'
import { getVersion, listVersions } from '../passports/history.ts'
import { recordAnswer } from './products.ts'
import { integer, readQuery } from './query.ts'
import { type AccountCall, type Answer, data } from './route.ts'

const DEFAULT_LIMIT = 25

export async function listProductVersions(call: AccountCall): Promise<Answer> {
  const query = readQuery(call.query, { page: integer(1, 1_000_000), limit: integer(1, 100) })
  const { page = 1, limit = DEFAULT_LIMIT } = query
  const uuid = requireUuid(call.params.id ?? '')
  const { versions, total } = await listVersions(call.account, uuid, { offset: (page - 1) * limit, limit })
  const meta = {
    page,
    limit,
    total,
    total_pages: Math.ceil(total / limit),
    has_more: page * limit < total,
    next_cursor: null,
  }
  return { body: data(JSON.stringify(versions), { meta }) }
}

export async function readProductVersion(call: AccountCall): Promise<Answer> {
  readQuery(call.query, {})
  const uuid = requireUuid(call.params.id ?? '')
  const n = call.params.n ?? ''
  if (!/^[1-9]\d{0,8}$/.test(n)) throw notFound('version of this product')
  return recordAnswer(call, await getVersion(call.account, uuid, Number(n)))
}

export const archiveProduct = (call: AccountCall) => changeStatus(call, 'x')
export const restoreProduct = (call: AccountCall) => changeStatus(call, 'a')

async function changeStatus(call: AccountCall, status: 'a' | 'x'): Promise<Answer> {
  readQuery(call.query, {})
  const row = await setStatus(call.account, requireUuid(call.params.id ?? ''), status)
  return recordAnswer({ ...call, headers: {} }, row)
}
