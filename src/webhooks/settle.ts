/**
 * Stores the results of attempts in log, queue and endpoint health: the last step of claim → send → settle.
 */
import { getServiceActor } from '../accounts/account/actors.ts'
import { audit } from '../accounts/account/audit.ts'
import { idFromUuid, newUuid } from '../kernel/crypto/ids.ts'
import { formatUnquotedArray } from '../kernel/db/array-types.ts'
import { type Sql, withRetries } from '../kernel/db/database.ts'
import { getShard } from '../kernel/db/shards.ts'
import { inTransaction } from '../kernel/db/transaction.ts'
import type { Clock } from '../kernel/values/clock.ts'
import type { EndpointHealth } from './retry-schedule.ts'
import type { DeliveryAttempt } from './send.ts'
import type { DisabledReason } from './webhook.ts'

/** One attempt. `attemptNumber` counts from 1; `kind` is `e` for an event, `t` for a test. */
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
  /** If its account is on several: all have a copy of the endpoint. */
  shards: readonly number[] | null
}

/** As `settleDeliveries`, with the health of all copies of an endpoint. */
export async function settleOnShards(
  sql: Sql,
  results: readonly AttemptResult[],
  endpoints: readonly EndpointUpdate[],
): Promise<string[]> {
  const copied = endpoints.filter(({ shards }) => shards !== null)
  if (copied.length === 0) return settleDeliveries(sql, results, endpoints)
  return inTransaction(sql, async tx => {
    const own = endpoints.filter(({ shards }) => shards === null)
    const disabled = await settleDeliveries(tx, results, own)
    // In one order, because workers of several shards update the same copies.
    const shards = [...new Set(copied.flatMap(one => one.shards ?? []))].sort((a, b) => a - b)
    for (const shard of shards) {
      const here = copied.filter(one => one.shards?.includes(shard))
      disabled.push(...(await settleDeliveries(getShard(tx, shard), [], here)))
    }
    return disabled
  })
}

/**
 * Logs attempts, removes finished deliveries, reschedules the others, and returns the disabled endpoints.
 * A delivery resent meanwhile (its attempt count differs) stays queued, unless this attempt succeeded.
 * `account_id + 0` makes PostgreSQL use the primary key.
 */
export async function settleDeliveries(
  sql: Sql,
  results: readonly AttemptResult[],
  endpoints: readonly EndpointUpdate[],
): Promise<string[]> {
  const isGivenUp = ({ kind, nextAt, attempt }: AttemptResult) =>
    kind === 'e' && nextAt === undefined && attempt.outcome !== 'delivered'
  const column = (getValue: (result: AttemptResult) => string | number | boolean) =>
    formatUnquotedArray(results.map(getValue))
  const healthRows = endpoints.map(({ accountId, endpointId, revision, health, disabledReason }) => ({
    account_id: accountId,
    id: endpointId,
    revision,
    failures: health.failures,
    failing_since: health.failingSince,
    wait_until: health.waitUntil,
    reason: disabledReason,
  }))
  const nextTimes = column(({ nextAt }) => nextAt?.toISOString() ?? 'null')
  // Not a CTE for all three writes: on Citus they would need a machine that has nothing of these accounts.
  const unnestResults = (at: Sql) => at`unnest(
    ${nextTimes}::text::timestamptz[], ${column(result => result.accountId)}::text::int[],
    ${column(result => result.attemptNumber)}::text::smallint[], ${column(result => result.kind)}::text::"char"[],
    ${column(result => result.endpointId)}::text::uuid[], ${column(result => result.eventId)}::text::uuid[],
    ${column(({ attempt }) => attempt.outcome)}::text::text[]
  ) as r(next_attempt_at, account_id, attempt, kind, endpoint_id, event_id, outcome)`
  const changed = await withRetries(
    () => sql<{ id: string; reason: string | null }[]>`
      with logged as (
        insert into webhook_attempt (at, next_attempt_at, account_id, duration_ms, attempt, status, kind, given_up,
          endpoint_id, id, event_id, event_type, outcome, detail, answer)
        select * from unnest(
          ${column(({ attempt }) => attempt.at.toISOString())}::text::timestamptz[], ${nextTimes}::text::timestamptz[],
          ${column(result => result.accountId)}::text::int[],
          ${column(({ attempt }) => attempt.durationMs)}::text::int[],
          ${column(result => result.attemptNumber)}::text::smallint[],
          ${column(({ attempt }) => attempt.status ?? 'null')}::text::smallint[], ${column(result => result.kind)}::text::"char"[],
          ${column(isGivenUp)}::text::boolean[], ${column(result => result.endpointId)}::text::uuid[],
          ${column(({ attempt }) => newUuid(attempt.at.getTime()))}::text::uuid[], ${column(result => result.eventId)}::text::uuid[],
          ${column(result => result.type)}::text::text[], ${column(({ attempt }) => attempt.outcome)}::text::text[],
          ${results.map(({ attempt }) => attempt.detail)}::text[], ${results.map(({ attempt }) => attempt.responseText)}::text[])
      ), finished as (
        delete from webhook_delivery d using ${unnestResults(sql)}
        where r.kind = 'e' and r.next_attempt_at is null and d.event_id = r.event_id and d.endpoint_id = r.endpoint_id
          and d.account_id + 0 = r.account_id and (r.outcome = 'delivered' or d.attempts = r.attempt - 1)
      ), rescheduled as (
        update webhook_delivery d set attempts = r.attempt, due_at = r.next_attempt_at from ${unnestResults(sql)}
        where r.kind = 'e' and r.next_attempt_at is not null and d.event_id = r.event_id and d.endpoint_id = r.endpoint_id
          and d.account_id + 0 = r.account_id and d.attempts = r.attempt - 1
      )
      update webhook_endpoint w set failures = health.failures, failing_since = health.failing_since,
        wait_until = health.wait_until, status = case when health.reason is null then w.status else 'd' end,
        disabled_reason = coalesce(health.reason, w.disabled_reason)
      from jsonb_to_recordset(${JSON.stringify(healthRows)}::text::jsonb) as health(account_id int, id uuid,
        revision int, failures int, failing_since timestamptz, wait_until timestamptz, reason text)
      where w.account_id = health.account_id and w.id = health.id and w.revision = health.revision
        and w.status not in ('r', 'd')
      returning w.id, health.reason`,
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
