/**
 * Inserts events for webhooks, in the statement that causes them: both are committed, or neither. Those of
 * passports are inserted by functions in `migrations/functions/`.
 */

import { idFromUuid } from '../kernel/crypto/ids.ts'
import type { Fragment, Sql } from '../kernel/db/database.ts'

/** Only endpoints that name them get these: others would not expect an alarm, or so many. */
export const NAMED_EVENT_TYPES = ['product.recalled', 'product.recall_ended', 'product.event_added'] as const

export const EVENT_TYPES = [
  'product.created',
  'product.updated',
  'product.archived',
  'product.restored',
  ...NAMED_EVENT_TYPES,
  'scan.milestone',
  'scan.clone_suspected',
] as const

/**
 * CTEs, without a comma after the last. `new_events` inserts `rows` (created_at, account_id, id, type, data).
 * `new_deliveries` inserts a delivery for each endpoint that wants the event, due now even if this server's
 * clock is ahead. `due_delivery` is separate: Citus fails on an `insert … select` that reads a table of the
 * same shard and calls `now()`.
 */
export const announceEvents = (sql: Sql, rows: Fragment): Fragment => sql`
  new_events as (
    insert into event (created_at, account_id, id, type, data) ${rows}
    returning created_at, account_id, id, type, background
  ), endpoint as materialized (
    select account_id, id, events from webhook_endpoint
    where account_id = any(array(select account_id from new_events)) and status in ('a' /* active */, 'p' /* paused */)
  ), due_delivery as materialized (
    select least(e.created_at, now()) as due_at, e.account_id, e.background, endpoint.id as endpoint_id, e.id as event_id
    from new_events e join endpoint on endpoint.account_id = e.account_id
    where endpoint.events is null and e.type <> all(${[...NAMED_EVENT_TYPES]}::text[]) or e.type = any(endpoint.events)
  ), new_deliveries as (
    insert into webhook_delivery (due_at, account_id, attempts, background, endpoint_id, event_id)
    select due_at, account_id, 0, background, endpoint_id, event_id from due_delivery
  )`

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
