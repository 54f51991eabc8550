/** A webhook as its account sees it: the URL of its endpoint, its events, and its recent health. */
import { listAccountShards } from '../accounts/account/account-shard.ts'
import { type AuditAction, audit } from '../accounts/account/audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../accounts/account/context.ts'
import { idFromUuid, parseId } from '../kernel/crypto/ids.ts'
import type { Sql } from '../kernel/db/database.ts'
import { AppError, type Detail, invalid, notFound } from '../kernel/errors/errors.ts'
import { isLongerThan, isOneLine } from '../kernel/values/characters.ts'
import { EVENT_TYPES } from './insert-events.ts'

export const MAX_WEBHOOKS = 20
export const MAX_DESCRIPTION_LENGTH = 500

/** All event types, also those that are added later. */
const ALL = '*'

export type WebhookStatus = 'active' | 'paused' | 'disabled'
/** `gone`: the endpoint responded with 410. `failing`: all attempts of five days failed. */
export type DisabledReason = 'gone' | 'failing'

export type WebhookRecord = {
  id: string
  url: string
  description: string
  /** Event types, or `["*"]`. */
  events: string[]
  status: WebhookStatus
  created_at: string
  /** The newest log entry; the log is kept for 30 days. */
  last_delivery: { at: string; status: number | null; ok: boolean; attempt: number; outcome: string } | null
  failing_since: string | null
  /** The endpoint is too slow, so nothing is sent to it before this time. */
  left_in_peace_until: string | null
  disabled_reason: DisabledReason | null
  /** Until this time the secret before the rotation also signs. */
  old_secret_until: string | null
  /** The old secret still signs `X-Service-Signature`. */
  old_secret_signs: boolean
}

type EndpointRow = Pick<WebhookRecord, 'id' | 'url' | 'description' | 'disabled_reason'> & {
  events: string[] | null
  status: keyof typeof STATUS_NAMES
  created_at: Date
  failing_since: Date | null
  wait_until: Date | null
  old_until: Date | null
  old_signs: boolean
  last_at: Date | null
  last_status: number | null
  last_outcome: string | null
  last_attempt: number | null
}

const STATUS_NAMES = { a: 'active', p: 'paused', d: 'disabled' } as const satisfies Record<
  string,
  WebhookStatus
>

/** Test events do not count as the last delivery. */
async function selectWebhooks(ctx: AccountContext, id?: string): Promise<EndpointRow[]> {
  const [home = [], ...copies] = await Promise.all(listAccountShards(ctx).map(at => selectFromShard(at, id)))
  return home.map(row => {
    const all = [row, ...copies.flat().filter(copy => copy.id === row.id)]
    const [newest = row] = all.toSorted((a, b) => Number(b.last_at) - Number(a.last_at))
    const { last_at, last_status, last_outcome, last_attempt } = newest
    return { ...row, last_at, last_status, last_outcome, last_attempt }
  })
}

const selectFromShard = ({ sql, accountId }: AccountContext, id?: string) => sql<EndpointRow[]>`
  select w.id, w.url, w.description, w.events, w.status, w.created_at, w.failing_since, w.wait_until,
    w.disabled_reason, w.old_until, w.old_signs,
    last.at as last_at, last.status as last_status, last.outcome as last_outcome, last.attempt as last_attempt
  from webhook_endpoint w left join lateral (
    select a.at, a.status, a.outcome, a.attempt from webhook_attempt a
    where a.account_id = w.account_id and a.endpoint_id = w.id and a.kind = 'e' order by a.id desc limit 1) last on true
  where w.account_id = ${accountId} and w.status <> 'r' ${id === undefined ? sql`` : sql`and w.id = ${requireWebhookUuid(id)}`}
  order by w.id`

export async function listWebhooks(ctx: AccountContext): Promise<WebhookRecord[]> {
  return (await selectWebhooks(ctx)).map(row => toRecord(row, ctx.clock.now()))
}

/** Throws `not_found`, also for another account's webhook. */
export async function getWebhook(ctx: AccountContext, id: string): Promise<WebhookRecord> {
  const [row] = await selectWebhooks(ctx, id)
  if (row === undefined) throw notFound('webhook')
  return toRecord(row, ctx.clock.now())
}

/**
 * Runs `update` on each copy of the webhook, and writes `action` to the audit log if it returns a row. Throws
 * `not_found`.
 */
export const updateWebhook = (
  ctx: AccountContext,
  uuid: string,
  action: AuditAction,
  update: (sql: Sql) => PromiseLike<readonly unknown[]>,
): Promise<WebhookRecord> =>
  withTransaction(ctx, async tx => {
    const id = idFromUuid(uuid)
    let changed: readonly unknown[] = []
    for (const { sql } of listAccountShards(tx)) changed = await update(sql)
    if (changed.length > 0) await audit(tx, action, id)
    return getWebhook(tx, id)
  })

/** Returns the account of a webhook, for operators who only know its id. Throws `not_found`. */
export async function getWebhookAccountId({ sql }: OperatorContext, id: string): Promise<number> {
  const [row] = await sql<{ account_id: number }[]>`
    select account_id from webhook_endpoint where id = ${requireWebhookUuid(id)} and status <> 'r'`
  if (row === undefined) throw notFound('webhook')
  return row.account_id
}

export function requireWebhookUuid(id: string): string {
  const uuid = parseId(id)
  if (uuid === undefined) throw notFound('webhook')
  return uuid
}

function toRecord(row: EndpointRow, now: Date): WebhookRecord {
  const { last_at, last_status, last_outcome, last_attempt, old_until, wait_until } = row
  const isBackingOff = row.status === 'a' && wait_until !== null && wait_until > now
  const hasOldSecret = old_until !== null && old_until > now
  return {
    id: idFromUuid(row.id),
    url: row.url,
    description: row.description,
    events: row.events ?? [ALL],
    status: STATUS_NAMES[row.status],
    created_at: row.created_at.toISOString(),
    last_delivery:
      last_at === null || last_outcome === null || last_attempt === null
        ? null
        : {
            at: last_at.toISOString(),
            status: last_status,
            ok: last_outcome === 'delivered',
            attempt: last_attempt,
            outcome: last_outcome,
          },
    failing_since: row.failing_since?.toISOString() ?? null,
    left_in_peace_until: isBackingOff ? wait_until.toISOString() : null,
    disabled_reason: row.disabled_reason,
    old_secret_until: hasOldSecret ? old_until.toISOString() : null,
    old_secret_signs: hasOldSecret && row.old_signs,
  }
}

const buildDetail = (name: string, code: Detail['code'], message: string): Detail => ({
  path: [name],
  code,
  message,
})

/** Parses the filter; null means all events. Throws `validation` for an unknown event type. */
export function parseEvents(events: readonly string[] | undefined): string[] | null {
  if (events === undefined || events.includes(ALL)) return null
  const known: readonly string[] = EVENT_TYPES
  const unknown = events.filter(name => !known.includes(name))
  if (unknown.length > 0 || events.length === 0) {
    const what = events.length === 0 ? 'events is empty.' : `There is no event "${unknown.join('", "')}".`
    throw invalid([
      buildDetail('events', 'enum', `${what} The events are ${known.join(', ')}; * means all of them.`),
    ])
  }
  return [...new Set(events)]
}

/** Throws `validation` for a text that is too long or has control characters. */
export function parseDescription(text: string): string {
  if (isLongerThan(text, MAX_DESCRIPTION_LENGTH)) {
    throw invalid([
      buildDetail(
        'description',
        'length',
        `description is longer than ${MAX_DESCRIPTION_LENGTH} characters.`,
      ),
    ])
  }
  if (!isOneLine(text)) {
    throw invalid([buildDetail('description', 'format', 'description has characters that cannot be shown.')])
  }
  return text
}

export const invalidUrl = (sentence: string): AppError => invalid([buildDetail('url', 'format', sentence)])

export const tooManyWebhooks = (): AppError =>
  new AppError('validation', `An account has at most ${MAX_WEBHOOKS} webhooks. Remove one that is not used.`)
