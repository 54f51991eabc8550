/** Sends a test event at once, without retries, with the same checks and signatures as real events. */
import { audit } from '../accounts/account/audit.ts'
import type { AccountContext } from '../accounts/account/context.ts'
import { idFromUuid, newUuid } from '../kernel/crypto/ids.ts'
import type { SecretCipher } from '../kernel/crypto/secret-cipher.ts'
import { AppError, notFound } from '../kernel/errors/errors.ts'
import type { Outbound } from '../kernel/http-out/outbound-http.ts'
import { type AttemptRecord, listAttempts } from './delivery-log.ts'
import { endBackoff } from './manage-webhooks.ts'
import { decryptSecrets, type EncryptedSecrets } from './secret.ts'
import { sendDelivery } from './send.ts'
import { settleDeliveries } from './settle.ts'
import { requireWebhookUuid } from './webhook.ts'

/** Not an event type of the API, so that receivers can distinguish a test from a real event. */
export const TEST_EVENT = 'webhook.test'

/** How many of the newest log entries are searched for the test. */
const MAX_SEARCHED = 500

/**
 * Sends a test, also to an inactive endpoint. Throws `not_found`; `validation` if the secret cannot be
 * decrypted.
 */
export async function sendTestEvent(
  ctx: AccountContext,
  { secretCipher, outbound }: { secretCipher: SecretCipher; outbound: Outbound },
  id: string,
): Promise<AttemptRecord> {
  const { sql, clock, accountId } = ctx
  const endpointId = requireWebhookUuid(id)
  const [row] = await sql<(EncryptedSecrets & { url: string })[]>`
    select account_id, id, url, secret, old_secret, old_until, old_signs from webhook_endpoint
    where account_id = ${accountId} and id = ${endpointId} and status <> 'r'`
  if (row === undefined) throw notFound('webhook')
  const secrets = decryptSecrets(secretCipher, row, clock.now())
  if (secrets === undefined) {
    throw new AppError(
      'validation',
      'The secret of this webhook was encrypted with another SECRET_KEY and cannot be decrypted. Replace the secret.',
    )
  }
  const eventId = newUuid(clock.now().getTime())
  const message = 'A test: your endpoint receives events of this account.'
  const data = JSON.stringify({ webhook_id: id, message })
  const request = { url: row.url, secrets, eventId, type: TEST_EVENT, data }
  const attempt = await sendDelivery(outbound, clock, request)
  const test = { accountId, endpointId, eventId, type: TEST_EVENT }
  await settleDeliveries(sql, [{ ...test, attemptNumber: 1, kind: 't', attempt, nextAt: undefined }], [])
  if (attempt.outcome === 'delivered') await endBackoff(ctx, endpointId)
  await audit(ctx, 'webhook_tested', id)
  const newest = await listAttempts(ctx, { webhookId: id, limit: MAX_SEARCHED })
  // Other deliveries continue meanwhile, so the test is not always the newest entry.
  const record = newest.find(one => one.event_id === idFromUuid(eventId))
  if (record === undefined) throw notFound('delivery')
  return record
}
