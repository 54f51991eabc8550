/** Scan statistics over REST: of one product, and of the whole account. */
import { allCategories } from '../../categories/catalogue.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { getPassport, requireProductUuid } from '../../passports/read/find.ts'
import { SUMMARY_RANGES, summarizeAccount, summarizePassport } from '../../scans/summary.ts'
import { type AccountCall, type ApiResponse, successJson } from '../endpoint/endpoint.ts'
import { oneOf, readQuery } from '../endpoint/query.ts'

const DEFAULT_RANGE = '30'
const range = oneOf(...SUMMARY_RANGES)

export async function productScans(call: AccountCall): Promise<ApiResponse> {
  const { days = DEFAULT_RANGE, include } = readQuery(call.query, { days: range, include: oneOf('units') })
  const { id: uuid } = await getPassport(call.account, requireProductUuid(call.params.id ?? ''))
  await call.setup.scans.flush()
  const summary = await summarizePassport(call.account, {
    uuid,
    days: Number(days),
    withUnits: include === 'units',
  })
  return fresh({ product_id: idFromUuid(uuid), range_days: Number(days), ...summary })
}

export async function accountScans(call: AccountCall): Promise<ApiResponse> {
  const { days = DEFAULT_RANGE } = readQuery(call.query, { days: range })
  await call.setup.scans.flush()
  const summary = await summarizeAccount(call.account, { days: Number(days) })
  const none = Object.fromEntries(allCategories().map(({ id }) => [id, 0]))
  return fresh({ range_days: Number(days), ...summary, byCategory: { ...none, ...summary.byCategory } })
}

/** Numbers of this moment: nobody keeps them. */
const fresh = (summary: object): ApiResponse => ({
  body: successJson(JSON.stringify(summary)),
  headers: { 'cache-control': 'private, no-store' },
})
