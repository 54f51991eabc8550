/**
 * Signs a delivery twice: by Standard Webhooks, and in Carnet's own header `X-Service-Signature`, an HMAC of
 * only the body, for receivers without a library.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { SigningSecrets } from './secret.ts'

/** `data` is JSON, sent as stored. */
type EventMessage = { id: string; event: string; data: string; at: Date }
type SignedRequest = { body: string; headers: Record<string, string> }

/** Builds body and headers of one attempt, with the time of this attempt. */
export function signEvent({ id, event, data, at }: EventMessage, secrets: SigningSecrets): SignedRequest {
  const sentAt = at.toISOString().slice(0, -1)
  const body = `{"event":${JSON.stringify(event)},"data":${data},"sent_at":"${sentAt}+00:00"}`
  const { standardWebhooks, serviceSignature } = getKeys(secrets)
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signed = `${id}.${timestamp}.${body}`
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Carnet-Webhooks',
      'x-service-event': event,
      'x-service-signature': `sha256=${hmac(serviceSignature, body, 'hex')}`,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': standardWebhooks.map(key => `v1,${hmac(key, signed, 'base64')}`).join(' '),
    },
  }
}

/** For Standard Webhooks the key is the decoded base64 after `whsec_`, for our header the whole secret. */
function getKeys(secrets: SigningSecrets): Keys {
  let keys = keyCache.get(secrets)
  if (keys === undefined) {
    const standardWebhooks = secrets.standardWebhooks.map(one =>
      createSecretKey(Buffer.from(one.slice(one.indexOf('_') + 1), 'base64')),
    )
    keys = { standardWebhooks, serviceSignature: createSecretKey(Buffer.from(secrets.serviceSignature)) }
    keyCache.set(secrets, keys)
  }
  return keys
}

type Keys = { standardWebhooks: readonly KeyObject[]; serviceSignature: KeyObject }

const keyCache = new WeakMap<SigningSecrets, Keys>()

const hmac = (key: KeyObject, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text).digest(encoding)
