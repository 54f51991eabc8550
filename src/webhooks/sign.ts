/** The two signatures of a delivery, over exactly the bytes that are sent: the contract's own, and Standard Webhooks'. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { SigningSecrets } from './secret.ts'

/** `data` is JSON: it goes as it is kept. */
export type EventMessage = { id: string; event: string; data: string; at: Date }
export type SignedRequest = { body: string; headers: Record<string, string> }

/** Body and headers of one attempt. `sent_at` and the timestamps are the attempt's own time. */
export function signEvent({ id, event, data, at }: EventMessage, secrets: SigningSecrets): SignedRequest {
  const sentAt = at.toISOString().slice(0, -1)
  const body = `{"event":${JSON.stringify(event)},"data":${data},"sent_at":"${sentAt}+00:00"}`
  const { standard, documented } = keysOf(secrets)
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signed = `${id}.${timestamp}.${body}`
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Carnet-Webhooks',
      'x-service-event': event,
      'x-service-signature': `sha256=${hmac(documented, body, 'hex')}`,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': standard.map(key => `v1,${hmac(key, signed, 'base64')}`).join(' '),
    },
  }
}

/** Standard Webhooks: the key is what follows `whsec_`, out of base64. The contract's: the whole string as it is shown. */
function keysOf(secrets: SigningSecrets): Keys {
  let keys = known.get(secrets)
  if (keys === undefined) {
    const standard = secrets.standard.map(one =>
      createSecretKey(Buffer.from(one.slice(one.indexOf('_') + 1), 'base64')),
    )
    keys = { standard, documented: createSecretKey(Buffer.from(secrets.documented)) }
    known.set(secrets, keys)
  }
  return keys
}

type Keys = { standard: readonly KeyObject[]; documented: KeyObject }

const known = new WeakMap<SigningSecrets, Keys>()

const hmac = (key: KeyObject, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text).digest(encoding)
