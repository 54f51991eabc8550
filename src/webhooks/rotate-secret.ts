/**
 * Rotates secrets: for 24 hours both the old and the new secret sign. `X-Service-Signature` uses the old
 * secret until the new one is activated, or until the 24 hours are over.
 */
import type { AccountContext, OperatorContext } from '../accounts/context.ts'
import { withTransaction } from '../accounts/transaction.ts'
import type { Sql } from '../kernel/db/database.ts'
import { AppError } from '../kernel/errors.ts'
import type { Sealer } from '../kernel/sealing.ts'
import { createWebhookSecret, getSealingContext, SECRET_OVERLAP_MS, type SealedSecrets } from './secret.ts'
import { requireWebhookUuid, updateWebhook, type WebhookRecord } from './webhook.ts'

/**
 * Creates a secret, shown only once. The secret that signs `X-Service-Signature` becomes the old one, so a
 * second rotation within a day drops a new secret that was never activated. Throws `not_found`.
 */
export async function rotateSecret(
  ctx: AccountContext,
  { sealer }: { sealer: Sealer },
  id: string,
): Promise<WebhookRecord & { secret: string }> {
  const uuid = requireWebhookUuid(id)
  const secret = createWebhookSecret()
  const sealed = sealer.seal(secret, getSealingContext(ctx.accountId, uuid))
  const now = ctx.clock.now()
  const until = new Date(now.getTime() + SECRET_OVERLAP_MS)
  const endpoint = await updateWebhook(
    ctx,
    uuid,
    'webhook_secret_rotated',
    sql => sql`
      update webhook_endpoint set
        old_secret = case when old_signs and old_until > ${now}::timestamptz then old_secret else secret end,
        secret = ${sealed}::bytea, old_until = ${until}, old_signs = true, revision = revision + 1
      where account_id = ${ctx.accountId} and id = ${uuid} and status <> 'r' returning id`,
  )
  return { ...endpoint, secret }
}

/** Lets the new secret sign `X-Service-Signature`. Does nothing if the old secret no longer signs it. */
export async function activateSecret(ctx: AccountContext, id: string): Promise<WebhookRecord> {
  const uuid = requireWebhookUuid(id)
  return updateWebhook(
    ctx,
    uuid,
    'webhook_secret_activated',
    sql => sql`
      update webhook_endpoint set old_signs = false, revision = revision + 1
      where account_id = ${ctx.accountId} and id = ${uuid} and status <> 'r' and old_signs returning id`,
  )
}

type ResealResult = { sealed_anew: number; already_current: number }

/**
 * Encrypts all secrets with the current key. If one was encrypted with an unknown key, throws `validation`
 * and changes none.
 */
export async function resealSecrets(ctx: OperatorContext, sealer: Sealer): Promise<ResealResult> {
  return withTransaction(ctx, async ({ sql }) => {
    const rows = await sql<SealedSecrets[]>`
      select account_id, id, secret, old_secret, old_until, old_signs from webhook_endpoint where status <> 'r' for update`
    const unreadable = rows.filter(row =>
      getSealedSecrets(row).some(part => sealer.open(part, getContext(row)) === undefined),
    )
    if (unreadable.length > 0) {
      throw new AppError(
        'validation',
        `${unreadable.length} of ${rows.length} webhooks have a secret that neither SECRET_KEY nor OLD_SECRET_KEY can decrypt.`,
      )
    }
    const old = rows.filter(row => getSealedSecrets(row).some(part => !sealer.isCurrent(part)))
    for (const row of old) {
      const reseal = (part: Uint8Array) =>
        sealer.seal(sealer.open(part, getContext(row)) ?? '', getContext(row))
      await sql`
        update webhook_endpoint set secret = ${reseal(row.secret)},
          old_secret = ${row.old_secret === null ? null : reseal(row.old_secret)}, revision = revision + 1
        where account_id = ${row.account_id} and id = ${row.id}`
    }
    return { sealed_anew: old.length, already_current: rows.length - old.length }
  })
}

const getSealedSecrets = ({ secret, old_secret }: SealedSecrets) =>
  old_secret === null ? [secret] : [secret, old_secret]

const getContext = (row: SealedSecrets) => getSealingContext(row.account_id, row.id)

/** Counts the webhooks whose secrets are encrypted with the current key, and the others. */
export async function countSealed(
  ctx: OperatorContext,
  sealer: Sealer,
): Promise<{ current: number; other: number }> {
  const rows = await ctx.sql<SealedSecrets[]>`
    select account_id, id, secret, old_secret, old_until, old_signs from webhook_endpoint where status <> 'r'`
  const isCurrent = (row: SealedSecrets) =>
    getSealedSecrets(row).every(
      part => sealer.isCurrent(part) && sealer.open(part, getContext(row)) !== undefined,
    )
  const current = rows.filter(isCurrent).length
  return { current, other: rows.length - current }
}

export async function hasSealedSecrets(sql: Sql): Promise<boolean> {
  const found = await sql`select from webhook_endpoint where status <> 'r' limit 1`
  return found.length > 0
}
