/** Deletes expired rows: events, log and deliveries after 30 days, secrets one day after their rotation. */

import { uuidFloor } from '../kernel/crypto/ids.ts'
import type { Sql } from '../kernel/db/database.ts'
import type { Clock } from '../kernel/values/clock.ts'

export const EVENT_RETENTION_MS = 30 * 24 * 3_600_000
/** Rows deleted by one statement. More would block other writers for too long. */
const STEP_ROWS = 5_000

type DeletedCounts = { attempts: number; deliveries: number; events: number; endpoints: number }

/** Deletes up to 5,000 rows of each table, by the time in their ids. Call it until it deletes none. */
export async function deleteExpiredWebhookRows({
  sql,
  clock,
}: {
  sql: Sql
  clock: Clock
}): Promise<DeletedCounts> {
  const now = clock.now()
  const before = uuidFloor(now.getTime() - EVENT_RETENTION_MS)
  await sql`
    update webhook_endpoint set old_secret = null, old_until = null, old_signs = false
    where old_secret is not null and old_until <= ${now}::timestamptz`
  const attempts = await sql`
    with old as materialized (
      select a.account_id, a.endpoint_id, a.id from webhook_endpoint w cross join lateral (
        select account_id, endpoint_id, id from webhook_attempt
        where account_id = w.account_id and endpoint_id = w.id and id < ${before}::uuid order by id limit ${STEP_ROWS}::int) a
      limit ${STEP_ROWS}::int)
    delete from webhook_attempt a using old o where a.account_id = o.account_id and a.endpoint_id = o.endpoint_id and a.id = o.id
    returning 1`
  // `account_id + 0` as in `settleDeliveries`.
  const deliveries = await sql`
    with old as materialized (
      (select d.event_id, d.endpoint_id, d.account_id from webhook_delivery d where d.event_id < ${before}::uuid
        order by d.event_id limit ${STEP_ROWS}::int)
      union
      (select d.event_id, d.endpoint_id, d.account_id from webhook_endpoint w cross join lateral (
          select event_id, endpoint_id, account_id from webhook_delivery
          where account_id = w.account_id and endpoint_id = w.id limit ${STEP_ROWS}::int) d
        where w.status = 'r' limit ${STEP_ROWS}::int))
    delete from webhook_delivery d using old o
    where d.event_id = o.event_id and d.endpoint_id = o.endpoint_id and d.account_id + 0 = o.account_id
    returning 1`
  const events = await sql`
    with old as materialized (
      select id, account_id from event where id < ${before}::uuid order by id limit ${STEP_ROWS}::int)
    delete from event e using old o where e.id = o.id and e.account_id = o.account_id returning 1`
  // `offset 0`: few endpoints are removed, and a join could read the whole log.
  const endpoints = await sql`
    delete from webhook_endpoint w where w.status = 'r' and w.removed_at < ${new Date(now.getTime() - EVENT_RETENTION_MS)}
      and not exists (select 1 from webhook_attempt a where a.account_id = w.account_id and a.endpoint_id = w.id offset 0)
      and not exists (select 1 from webhook_delivery d where d.account_id = w.account_id and d.endpoint_id = w.id offset 0)
    returning 1`
  return {
    attempts: attempts.length,
    deliveries: deliveries.length,
    events: events.length,
    endpoints: endpoints.length,
  }
}
