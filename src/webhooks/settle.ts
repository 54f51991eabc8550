/** Settles deliveries, the last step of claim → send → settle: writes log, queue and health. */
import { getServiceActor } from '../accounts/actors.ts'
import { audit } from '../accounts/audit.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Sql, withRetries } from '../kernel/db/database.ts'
import { idFromUuid, newUuid } from '../kernel/ids.ts'
import type { DisabledReason } from './endpoint.ts'
import type { EndpointHealth } from './retry-schedule.ts'
import type { DeliveryAttempt } from './send.ts'

/** One attempt that was made. `attemptNumber` counts from 1; `kind` is `e` for an event, `t` for a test. */
export type AttemptResult = {
  accountId: number
  endpointId: string
  eventId: string
  type: string
  attemptNumber: number
  kind: 'e' | 't'
  attempt: DeliveryAttempt
  /** When the delivery is tried again; undefined if it was delivered or given up. */
  nextAt: Date | undefined
}

/** The health of an endpoint after an attempt. Written only if `revision` is still current. */
export type EndpointUpdate = {
  accountId: number
  endpointId: string
  revision: number
  health: EndpointHealth
  disabledReason: DisabledReason | null
}

/** Formats a column as one text, which is faster than values. For numbers, names and times only. */
const formatColumn = (values: readonly (string | number | boolean | null)[]) => `{${values.join()}}`

/**
 * Logs attempts, removes finished deliveries and reschedules the others; a delivery with another number of
 * attempts was resent. Returns disabled endpoints. `account_id + 0` makes PostgreSQL use the primary key.
 */
export async function settleDeliveries(
  sql: Sql,
  results: readonly AttemptResult[],
  endpoints: readonly EndpointUpdate[],
): Promise<string[]> {
  const isGivenUp = ({ kind, nextAt, attempt }: AttemptResult) =>
    kind === 'e' && nextAt === undefined && attempt.outcome !== 'delivered'
  const of = (value: (result: AttemptResult) => string | number | boolean) => formatColumn(results.map(value))
  const states = endpoints.map(({ accountId, endpointId, revision, health, disabledReason }) => ({
    account_id: accountId,
    id: endpointId,
    revision,
    failures: health.failures,
    failing_since: health.failingSince,
    wait_until: health.waitUntil,
    reason: disabledReason,
  }))
  const changed = await withRetries(
    () => sql<{ id: string; reason: string | null }[]>`
      with made as materialized (
        select * from unnest(
          ${of(({ attempt }) => attempt.at.toISOString())}::text::timestamptz[],
          ${of(({ nextAt }) => nextAt?.toISOString() ?? 'null')}::text::timestamptz[], ${of(one => one.accountId)}::text::int[],
          ${of(({ attempt }) => attempt.durationMs)}::text::int[], ${of(one => one.attemptNumber)}::text::smallint[],
          ${of(({ attempt }) => attempt.status ?? 'null')}::text::smallint[], ${of(one => one.kind)}::text::"char"[],
          ${of(isGivenUp)}::text::boolean[], ${of(one => one.endpointId)}::text::uuid[],
          ${of(({ attempt }) => newUuid(attempt.at.getTime()))}::text::uuid[], ${of(one => one.eventId)}::text::uuid[],
          ${of(one => one.type)}::text::text[], ${of(({ attempt }) => attempt.outcome)}::text::text[],
          ${results.map(({ attempt }) => attempt.detail)}::text[], ${results.map(({ attempt }) => attempt.answer)}::text[]
        ) as r(at, next_attempt_at, account_id, duration_ms, attempt, status, kind, given_up, endpoint_id, id, event_id,
          event_type, outcome, detail, answer)
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

/** Records in the account's audit log that an endpoint was disabled. */
export async function auditDisabledEndpoint(
  ctx: { sql: Sql; clock: Clock },
  { accountId, endpointId }: EndpointUpdate,
): Promise<void> {
  const actorId = await getServiceActor(ctx, accountId)
  await audit({ ...ctx, accountId, actorId }, 'webhook_switched_off', idFromUuid(endpointId))
}
