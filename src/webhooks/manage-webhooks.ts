/** Adds, changes, pauses, resumes and removes webhooks. Removing deletes the secrets. */
import { listAccountShards } from '../accounts/account/account-shard.ts'
import { audit } from '../accounts/account/audit.ts'
import { type AccountContext, withTransaction } from '../accounts/account/context.ts'
import { idFromUuid, newUuid } from '../kernel/crypto/ids.ts'
import type { SecretCipher } from '../kernel/crypto/secret-cipher.ts'
import { sqlState } from '../kernel/db/database.ts'
import { explainUrlError, type OutboundPolicy } from '../kernel/http-out/outbound-url.ts'
import { copyWebhooks } from './copy-webhooks.ts'
import { createWebhookSecret, getSecretPlace } from './secret.ts'
import {
  getWebhook,
  invalidUrl,
  MAX_WEBHOOKS,
  parseDescription,
  parseEvents,
  requireWebhookUuid,
  tooManyWebhooks,
  updateWebhook,
  type WebhookRecord,
} from './webhook.ts'

export type WebhookSetup = { secretCipher: SecretCipher; policy: OutboundPolicy }

export type NewWebhook = { url: string; events?: readonly string[]; description?: string }
export type WebhookChange = Partial<NewWebhook>

const UNIQUE = '23505'
const MAX_INSERT_ATTEMPTS = 5

/** Returns the normalised URL. Throws `validation` if the outbound policy forbids it. */
function parseUrl(text: string, policy: OutboundPolicy): string {
  const trimmed = text.trim()
  const error = explainUrlError(trimmed, policy)
  if (error !== undefined) throw invalidUrl(error)
  return new URL(trimmed).href
}

/** Adds a webhook; `secret` is shown only once. Throws `validation`, also for a 21st webhook. */
export async function addWebhook(
  ctx: AccountContext,
  { secretCipher, policy }: WebhookSetup,
  input: NewWebhook,
): Promise<WebhookRecord & { secret: string }> {
  const now = ctx.clock.now()
  const id = newUuid(now.getTime())
  const secret = createWebhookSecret()
  const row = {
    id,
    url: parseUrl(input.url, policy),
    description: parseDescription(input.description ?? ''),
    events: parseEvents(input.events),
    secret: secretCipher.encrypt(secret, getSecretPlace(ctx.accountId, id)),
    now,
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await withTransaction(ctx, tx => insertIntoFreeSlot(tx, row))
      return { ...(await getWebhook(ctx, idFromUuid(id))), secret }
    } catch (error) {
      // Another request has just taken the same slot.
      if (sqlState(error) !== UNIQUE || attempt === MAX_INSERT_ATTEMPTS) throw error
    }
  }
}

type NewRow = {
  id: string
  url: string
  description: string
  events: string[] | null
  secret: Buffer
  now: Date
}

/** Each webhook has a slot, unique in its account, so that concurrent requests cannot exceed the limit. */
async function insertIntoFreeSlot(ctx: AccountContext, row: NewRow): Promise<void> {
  const { sql, accountId } = ctx
  const inserted = await sql`
    with free_slot as materialized (
      select n as slot from generate_series(1, ${MAX_WEBHOOKS}::int) n
      where not exists (select 1 from webhook_endpoint w where w.account_id = ${accountId} and w.slot = n)
      order by n limit 1
    )
    insert into webhook_endpoint (account_id, id, slot, status, url, description, events, secret, created_at)
    select ${accountId}::int, ${row.id}::uuid, slot, 'a', ${row.url}::text, ${row.description}::text,
      ${row.events}::text[], ${row.secret}::bytea, ${row.now}::timestamptz
    from free_slot
    returning id`
  if (inserted.length === 0) throw tooManyWebhooks()
  await copyWebhooks(ctx, ctx.spread?.shards.slice(1) ?? [], row.id)
  await audit(ctx, 'webhook_added', idFromUuid(row.id))
}

/** Changes the given members. Throws `not_found`, `validation`. */
export async function changeWebhook(
  ctx: AccountContext,
  { policy }: Pick<WebhookSetup, 'policy'>,
  id: string,
  change: WebhookChange,
): Promise<WebhookRecord> {
  const uuid = requireWebhookUuid(id)
  const url = change.url === undefined ? null : parseUrl(change.url, policy)
  const description = change.description === undefined ? null : parseDescription(change.description)
  const events = parseEvents(change.events)
  return updateWebhook(
    ctx,
    uuid,
    'webhook_changed',
    sql => sql`
      update webhook_endpoint set url = coalesce(${url}::text, url), description = coalesce(${description}::text, description),
        events = case when ${change.events !== undefined}::boolean then ${events}::text[] else events end,
        revision = revision + 1
      where account_id = ${ctx.accountId} and id = ${uuid} and status <> 'r' returning id`,
  )
}

/** Pauses an active webhook: its deliveries wait, for 30 days at most. Throws `not_found`. */
export async function pauseWebhook(ctx: AccountContext, id: string): Promise<WebhookRecord> {
  const uuid = requireWebhookUuid(id)
  return updateWebhook(
    ctx,
    uuid,
    'webhook_paused',
    sql => sql`
      update webhook_endpoint set status = 'p', revision = revision + 1
      where account_id = ${ctx.accountId} and id = ${uuid} and status = 'a' returning id`,
  )
}

/** Resumes a webhook and resets its failures. Throws `not_found`. */
export async function resumeWebhook(ctx: AccountContext, id: string): Promise<WebhookRecord> {
  const uuid = requireWebhookUuid(id)
  return updateWebhook(ctx, uuid, 'webhook_resumed', async sql => {
    const rows = await sql<{ old_status: string }[]>`
      update webhook_endpoint w set status = 'a', revision = w.revision + 1, failures = 0, failing_since = null,
        wait_until = null, disabled_reason = null
      from webhook_endpoint previous
      where w.account_id = ${ctx.accountId} and w.id = ${uuid} and w.status <> 'r'
        and previous.account_id = w.account_id and previous.id = w.id
      returning previous.status as old_status`
    return rows.filter(row => row.old_status !== 'a')
  })
}

/** Ends the back-off of an endpoint: it has just answered, or a user wants events sent to it again. */
export async function endBackoff(ctx: AccountContext, uuid: string): Promise<void> {
  for (const { sql, accountId } of listAccountShards(ctx)) {
    await sql`
      update webhook_endpoint set wait_until = null, revision = revision + 1
      where account_id = ${accountId} and id = ${uuid} and wait_until is not null`
  }
}

/** Removes a webhook and its waiting deliveries; its log is kept for 30 days. Throws `not_found`. */
export async function removeWebhook(ctx: AccountContext, id: string): Promise<WebhookRecord> {
  const uuid = requireWebhookUuid(id)
  return withTransaction(ctx, async tx => {
    const record = await getWebhook(tx, id)
    for (const { sql } of listAccountShards(tx)) {
      await sql`
        update webhook_endpoint set status = 'r', slot = null, revision = revision + 1, removed_at = ${ctx.clock.now()},
          secret = '', old_secret = null
        where account_id = ${ctx.accountId} and id = ${uuid} and status <> 'r'`
    }
    await audit(tx, 'webhook_removed', id)
    return record
  })
}
