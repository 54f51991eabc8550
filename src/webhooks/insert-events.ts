/** Inserts events for webhooks, in the statement that causes them: both are committed, or neither. */
import type { Fragment, Sql } from '../kernel/db/database.ts'
import { idFromUuid } from '../kernel/ids.ts'

export const EVENT_TYPES = [
  'product.created',
  'product.updated',
  'product.archived',
  'product.restored',
  'scan.milestone',
  'scan.clone_suspected',
] as const

/**
 * The beginning of an insert. The caller adds a select of `created_at, account_id, id, type, data`. The
 * trigger `event_fans_out` then inserts a delivery for each subscribed endpoint.
 */
export const insertEvents = (sql: Sql): Fragment =>
  sql`insert into event (created_at, account_id, id, type, data)`

/**
 * Like `insertEvents`, for events that are delivered after all others. The select has one more column,
 * `true`.
 */
export const insertBackgroundEvents = (sql: Sql): Fragment =>
  sql`insert into event (created_at, account_id, id, type, data, background)`

/** The data of an event about a passport, whose `id` is a UUID. */
export function buildPassportEvent({
  id,
  category,
  version_no,
}: {
  id: string
  category: string
  version_no: number
}) {
  return { id: idFromUuid(id), category, version_no }
}

/** The event data as SQL, from an expression for each member. */
export const buildPassportEventSql = (
  sql: Sql,
  from: { id: Fragment; category: Fragment; versionNo: Fragment },
) => sql`jsonb_build_object('id', ${from.id}, 'category', ${from.category}, 'version_no', ${from.versionNo})`
