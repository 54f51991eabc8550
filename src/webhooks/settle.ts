/** What became of attempts, written many at a time: the log, what is still to be done, and how the endpoints are. */

import { serviceActor } from '../accounts/actors.ts'
import { audit } from '../accounts/audit.ts'
import type { Clock } from '../kernel/clock.ts'
import { retrying, type Sql } from '../kernel/db.ts'
import { idFromUuid, newUuid } from '../kernel/ids.ts'
import type { Attempted } from './attempt.ts'
import type { DisabledReason } from './endpoint.ts'
import type { Health } from './schedule.ts'

/** An attempt that was made. `attempt` counts from 1. */
export type Result = {
  accountId: number
  endpointId: string
  eventId: string
  type: string
  attempt: number
  kind: 'e' | 't'
  attempted: Attempted
  /** When it is tried again; undefined when it is done with, one way or the other. */
  nextAt: Date | undefined
}

/** How an endpoint is after the newest of the results; told with the revision it was known at. */
export type EndpointHealth = {
  accountId: number
  endpointId: string
  revision: number
  health: Health
  switchedOff: DisabledReason | null
}

/** Without what is null: the rows travel as JSON, and most of their members would be. */
const logRow = ({ accountId, endpointId, eventId, type, attempt, kind, attempted, nextAt }: Result) => ({
  at: attempted.at,
  next_attempt_at: nextAt,
  account_id: accountId,
  duration_ms: attempted.durationMs,
  attempt,
  status: attempted.status,
  kind,
  given_up: kind === 'e' && nextAt === undefined && attempted.outcome !== 'delivered',
  endpoint_id: endpointId,
  id: newUuid(attempted.at.getTime()),
  event_id: eventId,
  event_type: type,
  outcome: attempted.outcome,
  detail: attempted.detail ?? undefined,
  answer: attempted.answer ?? undefined,
})

/**
 * One statement: the attempts are logged, what is done with leaves the queue, the rest waits for its next time. Answers
 * the endpoints that were switched off by it. A
 * delivery whose count of attempts is not the one we knew has been taken up by somebody else and is left to them.
 * `account_id + 0` keeps the index of what is due out of it: the primary key is the way to a row.
 */
export async function writeResults(
  sql: Sql,
  results: readonly Result[],
  endpoints: readonly EndpointHealth[],
): Promise<string[]> {
  const rows = results.map(logRow)
  const states = endpoints.map(({ accountId, endpointId, revision, health, switchedOff }) => ({
    account_id: accountId,
    id: endpointId,
    revision,
    failures: health.failures,
    failing_since: health.failingSince,
    wait_until: health.waitUntil,
    reason: switchedOff,
  }))
  const changed = await retrying(
    () => sql<{ id: string; reason: string | null }[]>`
      with made as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r(at timestamptz, next_attempt_at timestamptz,
          account_id int, duration_ms int, attempt smallint, status smallint, kind "char", given_up boolean, endpoint_id uuid,
          id uuid, event_id uuid, event_type text, outcome text, detail text, answer text)
      ), logged as (
        insert into webhook_attempt (at, next_attempt_at, account_id, duration_ms, attempt, status, kind, given_up,
          endpoint_id, id, event_id, event_type, outcome, detail, answer)
        select * from made
      ), done as (
        delete from webhook_delivery d using made m
        where m.kind = 'e' and m.next_attempt_at is null and d.event_id = m.event_id and d.endpoint_id = m.endpoint_id
          and d.account_id + 0 = m.account_id and (m.outcome = 'delivered' or d.attempts = m.attempt - 1)
      ), again as (
        update webhook_delivery d set attempts = m.attempt, due_at = m.next_attempt_at from made m
        where m.kind = 'e' and m.next_attempt_at is not null and d.event_id = m.event_id and d.endpoint_id = m.endpoint_id
          and d.account_id + 0 = m.account_id and d.attempts = m.attempt - 1
      )
      update webhook_endpoint w set failures = s.failures, failing_since = s.failing_since, wait_until = s.wait_until,
        status = case when s.reason is null then w.status else 'd' end, disabled_reason = coalesce(s.reason, w.disabled_reason)
      from jsonb_to_recordset(${JSON.stringify(states)}::text::jsonb) as s(account_id int, id uuid, revision int, failures int,
        failing_since timestamptz, wait_until timestamptz, reason text)
      where w.account_id = s.account_id and w.id = s.id and w.revision = s.revision and w.status not in ('r', 'd')
      returning w.id, s.reason`,
  )
  return changed.filter(row => row.reason !== null).map(row => row.id)
}

/** The account is told that an endpoint was switched off: in its audit log, and in the endpoint's own record. */
export async function noteSwitchedOff(
  ctx: { sql: Sql; clock: Clock },
  { accountId, endpointId }: EndpointHealth,
): Promise<void> {
  const actorId = await serviceActor(ctx, accountId)
  await audit({ ...ctx, accountId, actorId }, 'webhook_switched_off', idFromUuid(endpointId))
}
