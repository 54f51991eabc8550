/** The list of changes: pages that skip no change, and the time to ask from next. */
import { findUuid, idFromUuid } from '../../kernel/ids.ts'
import type { ListFilter } from '../../passports/read/list.ts'
import {
  type ChangedRow,
  type ChangePosition,
  countChangedPassports,
  getSettledTime,
  listChangedPassports,
} from '../../passports/read/list-changes.ts'
import { type AccountCall, type ApiResponse, successJson } from '../endpoint/endpoint.ts'
import { summaryJson } from './summary.ts'

/**
 * The cursor carries the total and the time to ask from next, as they were for the first page. The time of a later page
 * would miss a write that was still running during the first.
 */
export type ChangeCursor = ChangePosition & { syncedUntil: Date; total: number }

type Place = { limit: number } & ({ page: number } | { cursor: ChangeCursor })

export async function respondWithChanges(
  call: AccountCall,
  filter: ListFilter & { since: Date },
  place: Place,
): Promise<ApiResponse> {
  const { limit } = place
  const cursor = 'cursor' in place ? place.cursor : undefined
  // Read before the rows, never after them.
  const syncedUntil = cursor?.syncedUntil ?? (await getSettledTime(call.account.sql))
  const from = 'cursor' in place ? { after: place.cursor } : { page: place.page }
  const found = await listChangedPassports(call.account, filter, { limit, ...from })
  const total = cursor?.total ?? (await countChangedPassports(call.account, filter))
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const hasMore = found.length > limit
  const meta = {
    page: 'page' in place ? place.page : null,
    limit,
    total,
    total_pages: Math.ceil(total / limit),
    has_more: hasMore,
    next_cursor: hasMore && last ? formatCursor(last, { syncedUntil, total }) : null,
    synced_until: syncedUntil.toISOString(),
  }
  return {
    body: successJson(`[${rows.map(row => summaryJson(call.setup.addresses, row)).join(',')}]`, { meta }),
  }
}

const PARTS = /^([0-9a-v]{1,11})-([0-9a-v]{1,11})-([0-9a-v]{1,11})-([0-9a-z]{26})$/

const formatCursor = (
  row: ChangedRow,
  { syncedUntil, total }: Pick<ChangeCursor, 'syncedUntil' | 'total'>,
): string =>
  [syncedUntil.getTime(), total, row.touched_us].map(part => part.toString(32)).join('-') +
  `-${idFromUuid(row.id)}`

/** The cursor in a text, or undefined. */
export function findChangeCursor(text: string): ChangeCursor | undefined {
  const [, until = '', total = '', touched = '', id = ''] = PARTS.exec(text) ?? []
  const uuid = findUuid(id)
  const syncedUntil = new Date(Number.parseInt(until, 32))
  const touchedUs = Number.parseInt(touched, 32)
  const isValid = !Number.isNaN(syncedUntil.getTime()) && Number.isSafeInteger(touchedUs)
  if (uuid === undefined || !isValid) return undefined
  return { syncedUntil, total: Number.parseInt(total, 32), touchedUs, id: uuid }
}
