/**
 * Rotates secrets: for 24 hours both the old and the new secret sign. `X-Service-Signature` uses the old
 * secret until the new one is activated, or until the 24 hours are over.
 */
import { type AccountContext, type OperatorContext, withTransaction } from '../accounts/account/context.ts'
import type { SecretCipher } from '../kernel/crypto/secret-cipher.ts'
import type { Fragment, Sql } from '../kernel/db/database.ts'
import { listShards } from '../kernel/db/shards.ts'
import { AppError } from '../kernel/errors/errors.ts'
import { createWebhookSecret, type EncryptedSecrets, getSecretPlace, SECRET_OVERLAP_MS } from './secret.ts'
import { requireWebhookUuid, updateWebhook, type WebhookRecord } from './webhook.ts'

/**
 * Creates a secret, shown only once. The secret that signs `X-Service-Signature` becomes the old one, so a
 * second rotation within a day drops a new secret that was never activated. Throws `not_found`.
 */
export async function rotateSecret(
  ctx: AccountContext,
  { secretCipher }: { secretCipher: SecretCipher },
  id: string,
): Promise<WebhookRecord & { secret: string }> {
  const uuid = requireWebhookUuid(id)
  const secret = createWebhookSecret()
  const encrypted = secretCipher.encrypt(secret, getSecretPlace(ctx.accountId, uuid))
  const now = ctx.clock.now()
  const until = new Date(now.getTime() + SECRET_OVERLAP_MS)
  const endpoint = await updateWebhook(
    ctx,
    uuid,
    'webhook_secret_rotated',
    sql => sql`
      update webhook_endpoint set
        old_secret = case when old_signs and old_until > ${now}::timestamptz then old_secret else secret end,
        secret = ${encrypted}::bytea, old_until = ${until}, old_signs = true, revision = revision + 1
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

type ReencryptResult = { sealed_anew: number; already_current: number }

/**
 * Encrypts all secrets with the current key. If one was encrypted with an unknown key, throws `validation`
 * and changes none.
 */
export async function reencryptSecrets(
  ctx: OperatorContext,
  secretCipher: SecretCipher,
): Promise<ReencryptResult> {
  return withTransaction(ctx, async ({ sql }) => {
    const rows = await readSecrets(sql, sql => sql`for update`)
    const unreadable = rows.filter(row =>
      listSecrets(row).some(part => secretCipher.decrypt(part, getPlace(row)) === undefined),
    )
    if (unreadable.length > 0) {
      throw new AppError(
        'validation',
        `${unreadable.length} of ${rows.length} webhooks have a secret that neither SECRET_KEY nor OLD_SECRET_KEY can decrypt.`,
      )
    }
    const old = rows.filter(row => listSecrets(row).some(part => !secretCipher.isUnderCurrentKey(part)))
    for (const row of old) {
      const reencrypt = (part: Uint8Array) =>
        secretCipher.encrypt(secretCipher.decrypt(part, getPlace(row)) ?? '', getPlace(row))
      await row.sql`
        update webhook_endpoint set secret = ${reencrypt(row.secret)},
          old_secret = ${row.old_secret === null ? null : reencrypt(row.old_secret)}, revision = revision + 1
        where account_id = ${row.account_id} and id = ${row.id}`
    }
    return { sealed_anew: old.length, already_current: rows.length - old.length }
  })
}

/** The secrets of all shards, each with the database that has it. */
async function readSecrets(
  database: Sql,
  lock: (sql: Sql) => Fragment,
): Promise<(EncryptedSecrets & { sql: Sql })[]> {
  const all: (EncryptedSecrets & { sql: Sql })[] = []
  for (const sql of listShards(database)) {
    const rows = await sql<EncryptedSecrets[]>`
      select account_id, id, secret, old_secret, old_until, old_signs from webhook_endpoint where status <> 'r' ${lock(sql)}`
    all.push(...rows.map(row => ({ ...row, sql })))
  }
  return all
}

const listSecrets = ({ secret, old_secret }: EncryptedSecrets) =>
  old_secret === null ? [secret] : [secret, old_secret]

const getPlace = (row: EncryptedSecrets) => getSecretPlace(row.account_id, row.id)

/** Counts the webhooks whose secrets are encrypted with the current key, and the others. */
export async function countSecretsByKey(
  ctx: OperatorContext,
  secretCipher: SecretCipher,
): Promise<{ current: number; other: number }> {
  const rows = await readSecrets(ctx.sql, sql => sql``)
  const isCurrent = (row: EncryptedSecrets) =>
    listSecrets(row).every(
      part => secretCipher.isUnderCurrentKey(part) && secretCipher.decrypt(part, getPlace(row)) !== undefined,
    )
  const current = rows.filter(isCurrent).length
  return { current, other: rows.length - current }
}

export async function hasWebhookSecrets(database: Sql): Promise<boolean> {
  const found = await Promise.all(
    listShards(database).map(sql => sql`select from webhook_endpoint where status <> 'r' limit 1`),
  )
  return found.some(rows => rows.length > 0)
}
