/** The list of changes: pages that skip no change, and the next `updated_since`. */
import { idFromUuid, parseId } from '../../kernel/crypto/ids.ts'
import {
  type ChangedRow,
  type ChangePosition,
  countChangedPassports,
  getSettledTime,
  listChangedPassports,
} from '../../passports/read/list-changes.ts'
import type { ListFilter } from '../../passports/read/list-filter.ts'
import { type AccountCall, type ApiResponse, pageMeta, successJson } from '../endpoint/endpoint.ts'
import { summaryJson } from './summary.ts'

/**
 * The cursor carries the total and the next `updated_since` of the first page. A later page's time would miss
 * a write that was still running during the first page.
 */
export type ChangeCursor = ChangePosition & { syncedUntil: Date; total: number }

export async function respondWithChanges(
  call: AccountCall,
  filter: ListFilter & { since: Date },
  place: { page: number; limit: number; cursor: ChangeCursor | undefined },
): Promise<ApiResponse> {
  const { page, limit, cursor } = place
  // Read before the rows, never after them.
  const syncedUntil = cursor?.syncedUntil ?? (await getSettledTime(call.account))
  const from = cursor === undefined ? { page } : { after: cursor }
  const found = await listChangedPassports(call.account, filter, { limit, ...from })
  const total = cursor?.total ?? (await countChangedPassports(call.account, filter))
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const next = found.length > limit && last ? formatCursor(last, { syncedUntil, total }) : undefined
  const meta = { ...pageMeta(place, { total }, next), synced_until: syncedUntil.toISOString() }
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

/** Parses a cursor of this list; undefined for any other text. */
export function parseChangeCursor(text: string): ChangeCursor | undefined {
  const [, until = '', total = '', touched = '', id = ''] = PARTS.exec(text) ?? []
  const uuid = parseId(id)
  const syncedUntil = new Date(Number.parseInt(until, 32))
  const touchedUs = Number.parseInt(touched, 32)
  const isValid = !Number.isNaN(syncedUntil.getTime()) && Number.isSafeInteger(touchedUs)
  if (uuid === undefined || !isValid) return undefined
  return { syncedUntil, total: Number.parseInt(total, 32), touchedUs, id: uuid }
}
