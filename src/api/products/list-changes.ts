/** The list of changes over REST: pages that pass over nothing, and the time to ask from next. */
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
 * What a cursor carries from page to page besides its place: the total and the time to ask from next are those of the
 * first page. A later page's time would be too late for a write that was still under way at the first.
 */
export type ChangeCursor = ChangePosition & { syncedUntil: Date; total: number }

type Window = { limit: number } & ({ page: number } | { cursor: ChangeCursor })

export async function answerChanges(
  call: AccountCall,
  filter: ListFilter & { since: Date },
  window: Window,
): Promise<ApiResponse> {
  const { limit } = window
  const cursor = 'cursor' in window ? window.cursor : undefined
  // Asked for before the rows are read, never after.
  const syncedUntil = cursor?.syncedUntil ?? (await getSettledTime(call.account.sql))
  const place = 'cursor' in window ? { after: window.cursor } : { page: window.page }
  const found = await listChangedPassports(call.account, filter, { limit, ...place })
  const total = cursor?.total ?? (await countChangedPassports(call.account, filter))
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const more = found.length > limit
  const meta = {
    page: 'page' in window ? window.page : null,
    limit,
    total,
    total_pages: Math.ceil(total / limit),
    has_more: more,
    next_cursor: more && last ? cursorText(last, { syncedUntil, total }) : null,
    synced_until: syncedUntil.toISOString(),
  }
  return {
    body: successJson(`[${rows.map(row => summaryJson(call.setup.addresses, row)).join(',')}]`, { meta }),
  }
}

const PARTS = /^([0-9a-v]{1,11})-([0-9a-v]{1,11})-([0-9a-v]{1,11})-([0-9a-z]{26})$/

const cursorText = (
  row: ChangedRow,
  { syncedUntil, total }: Pick<ChangeCursor, 'syncedUntil' | 'total'>,
): string =>
  [syncedUntil.getTime(), total, row.touched_us].map(part => part.toString(32)).join('-') +
  `-${idFromUuid(row.id)}`

/** Undefined for a text that is no cursor of this list. */
export function findChangeCursor(text: string): ChangeCursor | undefined {
  const [, until = '', total = '', touched = '', id = ''] = PARTS.exec(text) ?? []
  const uuid = findUuid(id)
  const syncedUntil = new Date(Number.parseInt(until, 32))
  const touchedUs = Number.parseInt(touched, 32)
  const isReal = !Number.isNaN(syncedUntil.getTime()) && Number.isSafeInteger(touchedUs)
  if (uuid === undefined || !isReal) return undefined
  return { syncedUntil, total: Number.parseInt(total, 32), touchedUs, id: uuid }
}
