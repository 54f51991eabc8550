/** Sends a delivery: signs, posts, names the outcome. The middle step of claim → send → settle. */

import { idFromUuid } from '../kernel/crypto/ids.ts'
import { type FailureName, type Outbound, OutboundFailure } from '../kernel/http-out/outbound-http.ts'
import type { Clock } from '../kernel/values/clock.ts'
import { parseRetryAfter } from './retry-schedule.ts'
import type { SigningSecrets } from './secret.ts'
import { signEvent } from './sign.ts'

const MAX_LOGGED_BYTES = 1_024
const GONE = 410

/** `data` is JSON; `eventId` is a UUID. */
type DeliveryRequest = { url: string; secrets: SigningSecrets; eventId: string; type: string; data: string }

type DeliveryOutcome = 'delivered' | `status_${number}` | FailureName

export type DeliveryAttempt = {
  at: Date
  durationMs: number
  outcome: DeliveryOutcome
  /** HTTP status; null if there was no response. */
  status: number | null
  /** The failure as a sentence; null for a success. */
  detail: string | null
  /** The first 1 KiB of the response's body. */
  responseText: string | null
  retryAfterMs: number | undefined
  /** The response was 410 Gone: the endpoint wants no more events. */
  isGone: boolean
}

/** Posts the event and returns the outcome. Throws nothing if the endpoint or the network fails. */
export async function sendDelivery(
  outbound: Outbound,
  clock: Clock,
  { url, secrets, eventId, type, data }: DeliveryRequest,
): Promise<DeliveryAttempt> {
  const at = clock.now()
  const start = performance.now()
  const signed = signEvent({ id: idFromUuid(eventId), event: type, data, at }, secrets)
  const measure = () => ({ at, durationMs: Math.round(performance.now() - start) })
  try {
    const { status, headers, body } = await outbound.post({ url, ...signed })
    const ok = status >= 200 && status < 300
    return {
      ...measure(),
      outcome: ok ? 'delivered' : `status_${status}`,
      status,
      detail: ok ? null : explainStatus(status),
      responseText: decodeBody(body),
      retryAfterMs: ok ? undefined : parseRetryAfter(headers['retry-after'], clock.now()),
      isGone: status === GONE,
    }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return {
      ...measure(),
      outcome: error.failure,
      status: null,
      detail: error.message,
      responseText: null,
      retryAfterMs: undefined,
      isGone: false,
    }
  }
}

/** The 3xx that name another address; 304 does not. */
export const isRedirect = (status: number) => [300, 301, 302, 303, 307, 308].includes(status)

function explainStatus(status: number): string {
  if (status === GONE) return 'The endpoint answered 410 Gone: the webhook is switched off.'
  if (isRedirect(status)) return `The endpoint answered ${status}, a redirect. Redirects are not followed.`
  return `The endpoint answered ${status}; only 2xx counts as received.`
}

/** Returns text that PostgreSQL can store: invalid UTF-8 and NUL become U+FFFD. */
function decodeBody(body: Buffer): string | null {
  if (body.length === 0) return null
  return body.subarray(0, MAX_LOGGED_BYTES).toString('utf8').replaceAll('\0', '\ufffd')
}
