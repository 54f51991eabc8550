/** An event is written by the statement that causes it: announced exactly when its cause is kept. */
import type { Fragment, Sql } from '../kernel/db.ts'

export const EVENT_TYPES = [
  'product.created',
  'product.updated',
  'product.archived',
  'product.restored',
  'scan.milestone',
  'scan.clone_suspected',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The head of an insert, to be followed by a select of `created_at, account_id, id, type, data`. */
export const insertEvents = (sql: Sql): Fragment =>
  sql`insert into event (created_at, account_id, id, type, data)`

/** What an event about a passport carries: `id` as at the doors. */
export function passportEvent(passport: { id: string; category: string; version_no: number }) {
  return { id: passport.id, category: passport.category, version_no: passport.version_no }
}
