/** The log of attempts of the last 30 days, and how to send deliveries again. */
import { byIdDescending, listAccountShards, readAllShards } from '../accounts/account/account-shard.ts'
import { audit } from '../accounts/account/audit.ts'
import { type AccountContext, withTransaction } from '../accounts/account/context.ts'
import { idFromUuid, parseId, uuidFloor } from '../kernel/crypto/ids.ts'
import type { Sql } from '../kernel/db/database.ts'
import { AppError, notFound } from '../kernel/errors/errors.ts'
import { endBackoff } from './manage-webhooks.ts'
import { getWebhook, listWebhooks, requireWebhookUuid, type WebhookStatus } from './webhook.ts'

export type AttemptRecord = {
  id: string
  webhook_id: string
  /** `webhook-id` of the request: the same for all attempts of an event. */
  event_id: string
  event: string
  attempt: number
  at: string
  /** HTTP status; null if there was no response. */
  status: number | null
  /** `delivered`, or the name of the failure: `status_500`, `dns`, `connect_timeout`, `tls`, … */
  outcome: string
  ok: boolean
  detail: string | null
  duration_ms: number
  /** The first 1 KiB of the response's body. */
  answer: string | null
  /** Null if the event was delivered or given up, or is a test. */
  next_attempt_at: string | null
}

type AttemptRow = Omit<AttemptRecord, 'at' | 'next_attempt_at'> & { at: Date; next_attempt_at: Date | null }

export const DEFAULT_ATTEMPTS_LISTED = 50
export const MAX_ATTEMPTS_LISTED = 500
/** Events that one statement requeues. */
const MAX_EVENTS_PER_STATEMENT = 20_000

/** Newest first; `before`: an attempt's id, to list older ones. Throws `not_found`. */
export async function listAttempts(
  ctx: AccountContext,
  { webhookId, limit, before }: { webhookId?: string; limit: number; before?: string },
): Promise<AttemptRecord[]> {
  const { accountId } = ctx
  if (webhookId !== undefined) await getWebhook(ctx, webhookId)
  const endpointFilter = (sql: Sql) =>
    webhookId === undefined ? sql`` : sql`and w.id = ${requireWebhookUuid(webhookId)}`
  const beforeId = before === undefined ? 'ffffffff-ffff-ffff-ffff-ffffffffffff' : requireWebhookUuid(before)
  const rows = await readAllShards(
    ctx,
    byIdDescending,
    async ({ sql }) => sql<AttemptRow[]>`
      select entry.* from webhook_endpoint w cross join lateral (
        select a.id, a.endpoint_id as webhook_id, a.event_id, a.event_type as event, a.attempt, a.at, a.status, a.outcome,
          a.outcome = 'delivered' as ok, a.detail, a.duration_ms, a.answer, a.next_attempt_at
        from webhook_attempt a where a.account_id = w.account_id and a.endpoint_id = w.id and a.id < ${beforeId}::uuid
        order by a.id desc limit ${limit}::int) entry
      where w.account_id = ${accountId} and w.status <> 'r' ${endpointFilter(sql)}
      order by entry.id desc limit ${limit}::int`,
  )
  return rows.slice(0, limit).map(row => ({
    ...row,
    id: idFromUuid(row.id),
    webhook_id: idFromUuid(row.webhook_id),
    event_id: idFromUuid(row.event_id),
    at: row.at.toISOString(),
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  }))
}

/**
 * Queues the event of an attempt again, with six new attempts, even if it is still queued: a worker that is
 * sending it notices the changed count of attempts. Unless the webhook is `active`, the event waits. Throws
 * `not_found`; `validation` for a test or a deleted event.
 */
export async function resendDelivery(
  ctx: AccountContext,
  attemptId: string,
): Promise<{ event_id: string; webhook_status: WebhookStatus }> {
  const { accountId } = ctx
  const uuid = parseId(attemptId)
  if (uuid === undefined) throw notFound('delivery')
  const attempts = await Promise.all(
    listAccountShards(ctx).map(async ({ sql }) => {
      const [found] = await sql<{ endpoint_id: string; event_id: string }[]>`
        select a.endpoint_id, a.event_id from webhook_endpoint w join webhook_attempt a
          on a.account_id = w.account_id and a.endpoint_id = w.id and a.id = ${uuid}
        where w.account_id = ${accountId} and w.status <> 'r'`
      return found && { ...found, sql }
    }),
  )
  const found = attempts.find(one => one !== undefined)
  if (found === undefined) throw notFound('delivery')
  return withTransaction({ ...ctx, sql: found.sql }, async tx => {
    const rows = await tx.sql`
      with stored_event as materialized (
        select id from event where id = ${found.event_id} and account_id = ${accountId}
      )
      insert into webhook_delivery (due_at, account_id, attempts, background, endpoint_id, event_id)
      select ${ctx.clock.now()}::timestamptz, ${accountId}::int, 0, false, ${found.endpoint_id}::uuid, id from stored_event
      on conflict (event_id, endpoint_id, account_id) do update
        set due_at = excluded.due_at, attempts = 0, background = false
      returning event_id`
    const message = 'This was a test, or its event is older than 30 days, so it cannot be sent again.'
    if (rows.length === 0) throw new AppError('validation', message)
    await endBackoff(tx, found.endpoint_id)
    const webhookId = idFromUuid(found.endpoint_id)
    await audit(tx, 'webhook_events_sent_again', webhookId)
    const { status } = await getWebhook(tx, webhookId)
    return { event_id: idFromUuid(found.event_id), webhook_status: status }
  })
}

/**
 * Requeues the events that were given up since a time and not delivered later. Returns how many, and how many
 * of them are `held` until their webhook is resumed. Throws `not_found`.
 */
export async function replayFailed(
  ctx: AccountContext,
  { webhookId, since }: { webhookId?: string; since: Date },
): Promise<{ replayed: number; held: number }> {
  const webhooks = webhookId === undefined ? await listWebhooks(ctx) : [await getWebhook(ctx, webhookId)]
  const total = { replayed: 0, held: 0 }
  for (const { id, status } of webhooks) {
    const uuid = requireWebhookUuid(id)
    let count = 0
    for (const at of listAccountShards(ctx)) count += await replayWebhook(at, uuid, since)
    await endBackoff(ctx, uuid)
    if (count > 0) await audit(ctx, 'webhook_events_sent_again', id)
    total.replayed += count
    if (status !== 'active') total.held += count
  }
  return total
}

/** Commits each statement: an interrupted replay does no harm, and a repeated one adds only the rest. */
async function replayWebhook(ctx: AccountContext, endpointId: string, since: Date): Promise<number> {
  const { accountId } = ctx
  const firstId = uuidFloor(since.getTime())
  let total = 0
  let after = uuidFloor(0)
  for (;;) {
    const rows = await ctx.sql<{ event_id: string; added: boolean }[]>`
      with failed as materialized (
        select given_up.event_id, e.background from (
          select event_id, max(id::text) as last from webhook_attempt
          where account_id = ${accountId} and endpoint_id = ${endpointId} and given_up and id >= ${firstId}::uuid
            and at >= ${since}::timestamptz and event_id > ${after}::uuid
          group by event_id) given_up
        left join (
          select event_id, max(id::text) as last from webhook_attempt
          where account_id = ${accountId} and endpoint_id = ${endpointId} and outcome = 'delivered' and id >= ${firstId}::uuid
          group by event_id) delivered on delivered.event_id = given_up.event_id and delivered.last > given_up.last
        join event e on e.id = given_up.event_id and e.account_id = ${accountId}
        where delivered.event_id is null order by given_up.event_id limit ${MAX_EVENTS_PER_STATEMENT}::int
      ), added as (
        insert into webhook_delivery (due_at, account_id, attempts, background, endpoint_id, event_id)
        select ${ctx.clock.now()}::timestamptz, ${accountId}::int, 0, background, ${endpointId}::uuid, event_id from failed
        on conflict (event_id, endpoint_id, account_id) do update set due_at = excluded.due_at, attempts = 0
          where webhook_delivery.attempts > 0
        returning event_id
      )
      select failed.event_id, added.event_id is not null as added from failed left join added using (event_id)
      order by failed.event_id`
    const last = rows.at(-1)
    if (last === undefined) return total
    total += rows.filter(row => row.added).length
    after = last.event_id
  }
}
