/** The two signatures of a delivery, over exactly the bytes that are sent: the contract's own, and Standard Webhooks'. */
import { createHmac } from 'node:crypto'
import type { Secrets } from './secret.ts'

export type Message = { id: string; event: string; data: unknown; at: Date }
export type Signed = { body: string; headers: Record<string, string> }

/** Body and headers of one attempt. `sent_at` and the timestamps are the attempt's own time. */
export function signMessage({ id, event, data, at }: Message, secrets: Secrets): Signed {
  const body = JSON.stringify({ event, data, sent_at: at.toISOString().replace('Z', '+00:00') })
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signed = `${id}.${timestamp}.${body}`
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Carnet-Webhooks',
      'x-service-event': event,
      'x-service-signature': `sha256=${hmac(secrets.documented, body, 'hex')}`,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': secrets.standard
        .map(secret => `v1,${hmac(keyOf(secret), signed, 'base64')}`)
        .join(' '),
    },
  }
}

/** Standard Webhooks: the key is what follows `whsec_`, out of base64. The contract's: the whole string as it is shown. */
const keyOf = (secret: string) => Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')

const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text).digest(encoding)
