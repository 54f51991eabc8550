import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

/** Whether a request is from Carnet. `body`: the bytes as they came, before any JSON parser has seen them. */
export function isFromCarnet(
  body: Buffer,
  headers: Record<string, string | undefined>,
  secret: string,
  now: number = Date.now(),
): boolean {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  const age = Math.abs(now / 1000 - Number(timestamp))
  if (!/^\d+$/.test(timestamp) || age > TOLERANCE_SECONDS) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const mine = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  return (headers['webhook-signature'] ?? '').split(' ').some(signature => {
    const theirs = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
    return theirs.length === mine.length && timingSafeEqual(theirs, mine)
  })
}

/** The same by the header X-Service-Signature alone; it has no time in it, so keep the ids you have seen. */
export function hasServiceSignature(body: Buffer, header: string, secret: string): boolean {
  const mine = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const theirs = Buffer.from(header)
  return theirs.length === mine.length && timingSafeEqual(theirs, mine)
}
