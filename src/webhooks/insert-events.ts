/** An event is written by the statement that causes it: announced exactly when its cause is kept. */
import type { Fragment, Sql } from '../kernel/db/database.ts'

export const EVENT_TYPES = [
  'product.created',
  'product.updated',
  'product.archived',
  'product.restored',
  'scan.milestone',
  'scan.clone_suspected',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/**
 * The head of an insert, to be followed by a select of `created_at, account_id, id, type, data`. A trigger hands what
 * is written to the endpoints that want it, in the same statement.
 */
export const insertEvents = (sql: Sql): Fragment =>
  sql`insert into event (created_at, account_id, id, type, data)`

/** The same for events that go behind everything else; the select ends with one more column, `true`. */
export const insertBackgroundEvents = (sql: Sql): Fragment =>
  sql`insert into event (created_at, account_id, id, type, data, background)`

/** What an event about a passport carries: `id` as at the doors. */
export function buildPassportEvent(passport: { id: string; category: string; version_no: number }) {
  return { id: passport.id, category: passport.category, version_no: passport.version_no }
}

/** The same made by the database, from expressions for its members. */
export const buildPassportEventSql = (
  sql: Sql,
  from: { id: Fragment; category: Fragment; versionNo: Fragment },
) => sql`jsonb_build_object('id', ${from.id}, 'category', ${from.category}, 'version_no', ${from.versionNo})`
