/** A new secret without a gap: both sign for 24 hours, and the documented header moves when the account says so or the time is over. */
import { audit } from '../accounts/audit.ts'
import type { AccountContext, OperatorContext } from '../accounts/context.ts'
import { withTransaction } from '../accounts/transaction.ts'
import type { Sql } from '../kernel/db/database.ts'
import { AppError, notFound } from '../kernel/errors.ts'
import type { Sealer } from '../kernel/sealing.ts'
import { type EndpointRecord, getWebhook, requireWebhookUuid } from './endpoint.ts'
import { createWebhookSecret, getSealingContext, SECRET_OVERLAP_MS, type SealedSecrets } from './secret.ts'

/**
 * Makes a new secret; the answer's `secret` is shown this once. The one that signs the documented header until then
 * stays as the old one: rotated twice within a day, what nobody activated is dropped. Throws `not_found`.
 */
export async function rotateSecret(
  ctx: AccountContext,
  { sealer }: { sealer: Sealer },
  id: string,
): Promise<EndpointRecord & { secret: string }> {
  const uuid = requireWebhookUuid(id)
  const secret = createWebhookSecret()
  const sealed = sealer.seal(secret, getSealingContext(ctx.accountId, uuid))
  const now = ctx.clock.now()
  const until = new Date(now.getTime() + SECRET_OVERLAP_MS)
  return withTransaction(ctx, async tx => {
    const rows = await tx.sql`
      update webhook_endpoint set
        old_secret = case when old_signs and old_until > ${now}::timestamptz then old_secret else secret end,
        secret = ${sealed}::bytea, old_until = ${until}, old_signs = true, revision = revision + 1
      where account_id = ${ctx.accountId} and id = ${uuid} and status <> 'r' returning id`
    if (rows.length === 0) throw notFound('webhook')
    await audit(tx, 'webhook_secret_rotated', id)
    return { ...(await getWebhook(tx, id)), secret }
  })
}

/** Lets the new secret sign the documented header from now on. Without a rotation under way nothing changes. */
export async function activateSecret(ctx: AccountContext, id: string): Promise<EndpointRecord> {
  const uuid = requireWebhookUuid(id)
  return withTransaction(ctx, async tx => {
    const rows = await tx.sql`
      update webhook_endpoint set old_signs = false, revision = revision + 1
      where account_id = ${ctx.accountId} and id = ${uuid} and status <> 'r' and old_signs returning id`
    if (rows.length > 0) await audit(tx, 'webhook_secret_activated', id)
    return getWebhook(tx, id)
  })
}

export type ResealResult = { sealed_anew: number; already_current: number }

/**
 * Seals all secrets under the sealer's own key: for after a change of SECRET_KEY. Throws `validation` when some were
 * sealed under a key that the sealer does not know, and then changes none.
 */
export async function resealSecrets(ctx: OperatorContext, sealer: Sealer): Promise<ResealResult> {
  return withTransaction(ctx, async ({ sql }) => {
    const rows = await sql<SealedSecrets[]>`
      select account_id, id, secret, old_secret, old_until, old_signs from webhook_endpoint where status <> 'r' for update`
    const locked = rows.filter(row =>
      sealedParts(row).some(part => sealer.open(part, placeOf(row)) === undefined),
    )
    if (locked.length > 0) {
      throw new AppError(
        'validation',
        `${locked.length} of ${rows.length} webhooks have a secret that neither SECRET_KEY nor OLD_SECRET_KEY opens.`,
      )
    }
    const old = rows.filter(row => sealedParts(row).some(part => !sealer.isCurrent(part)))
    for (const row of old) {
      const again = (part: Uint8Array) => sealer.seal(sealer.open(part, placeOf(row)) ?? '', placeOf(row))
      await sql`
        update webhook_endpoint set secret = ${again(row.secret)},
          old_secret = ${row.old_secret === null ? null : again(row.old_secret)}, revision = revision + 1
        where account_id = ${row.account_id} and id = ${row.id}`
    }
    return { sealed_anew: old.length, already_current: rows.length - old.length }
  })
}

const sealedParts = ({ secret, old_secret }: SealedSecrets) =>
  old_secret === null ? [secret] : [secret, old_secret]

const placeOf = (row: SealedSecrets) => getSealingContext(row.account_id, row.id)

/** How many secrets are sealed under the sealer's own key, and how many it cannot open or would have to seal anew. */
export async function countSealed(
  ctx: OperatorContext,
  sealer: Sealer,
): Promise<{ current: number; other: number }> {
  const rows = await ctx.sql<SealedSecrets[]>`
    select account_id, id, secret, old_secret, old_until, old_signs from webhook_endpoint where status <> 'r'`
  const opens = (row: SealedSecrets) =>
    sealedParts(row).every(part => sealer.isCurrent(part) && sealer.open(part, placeOf(row)) !== undefined)
  const current = rows.filter(opens).length
  return { current, other: rows.length - current }
}

/** Whether anything is sealed at all. */
export async function hasSealedSecrets(sql: Sql): Promise<boolean> {
  const found = await sql`select from webhook_endpoint where status <> 'r' limit 1`
  return found.length > 0
}
