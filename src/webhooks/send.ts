/** One attempt to deliver: signed anew, sent, and whatever comes of it told by name. It never throws. */
import type { Clock } from '../kernel/clock.ts'
import { type FailureName, type Outbound, OutboundFailure } from '../kernel/http-out/outbound-http.ts'
import { idFromUuid } from '../kernel/ids.ts'
import { parseRetryAfter } from './retry-schedule.ts'
import type { SigningSecrets } from './secret.ts'
import { signEvent } from './sign.ts'

const MAX_LOGGED_BYTES = 1_024
const GONE = 410

/** `data` is JSON. */
export type DeliveryRequest = {
  url: string
  secrets: SigningSecrets
  eventId: string
  type: string
  data: string
}

/** `delivered`, the status as `status_500`, or what stopped it. */
export type DeliveryOutcome = 'delivered' | `status_${number}` | FailureName

export type DeliveryAttempt = {
  at: Date
  durationMs: number
  outcome: DeliveryOutcome
  /** HTTP's, when there was an answer. */
  status: number | null
  /** A sentence about a failure. */
  detail: string | null
  /** The first 1 KiB of the answer. */
  answer: string | null
  retryAfterMs: number | undefined
  /** 410: the receiver wants nothing any more. */
  isGone: boolean
}

export async function sendDelivery(
  outbound: Outbound,
  clock: Clock,
  letter: DeliveryRequest,
): Promise<DeliveryAttempt> {
  const at = clock.now()
  const began = performance.now()
  const { url, secrets, eventId, type, data } = letter
  const signed = signEvent({ id: idFromUuid(eventId), event: type, data, at }, secrets)
  try {
    const { status, headers, body } = await outbound.post({ url, headers: signed.headers, body: signed.body })
    const ok = status >= 200 && status < 300
    return {
      at,
      durationMs: Math.round(performance.now() - began),
      outcome: ok ? 'delivered' : `status_${status}`,
      status,
      detail: ok ? null : explainStatus(status),
      answer: readAnswer(body),
      retryAfterMs: ok ? undefined : parseRetryAfter(headers['retry-after'], clock.now()),
      isGone: status === GONE,
    }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return {
      at,
      durationMs: Math.round(performance.now() - began),
      outcome: error.failure,
      status: null,
      detail: error.message,
      answer: null,
      retryAfterMs: undefined,
      isGone: false,
    }
  }
}

/** Of the 3xx only those that lead elsewhere: a 304 is none. */
export const isRedirect = (status: number) => [300, 301, 302, 303, 307, 308].includes(status)

function explainStatus(status: number): string {
  if (status === GONE) return 'It answered 410 Gone: the webhook is switched off.'
  if (isRedirect(status)) return `It answered ${status}, a redirect, and redirects are not followed.`
  return `It answered ${status}; only 2xx counts as received.`
}

/** As text that the database takes: what is no UTF-8, and NUL, become the replacement character. */
function readAnswer(body: Buffer): string | null {
  if (body.length === 0) return null
  return body.subarray(0, MAX_LOGGED_BYTES).toString('utf8').replaceAll('\0', '\ufffd')
}
