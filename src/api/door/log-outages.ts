/** Logs the requests that failed because of the database: the first one, and then how many there were. */
import type { Log } from '../../kernel/errors/log.ts'

const INTERVAL_MS = 10_000

type Outage = { requests: number; requestId: string; reason: string }

const outages = new WeakMap<object, Outage>()

/**
 * An outage of a minute can fail thousands of requests. Each has its line at `debug`. The clients know the
 * request ids, and the last one is in the count.
 */
export function logUnansweredRequest(log: Log, requestId: string, reason: string): void {
  log.debug({ request_id: requestId, reason }, 'the database did not answer')
  const outage = outages.get(log)
  if (outage !== undefined) {
    outage.requests++
    Object.assign(outage, { requestId, reason })
    return
  }
  log.warn({ request_id: requestId, reason }, 'the database did not answer')
  const begun: Outage = { requests: 0, requestId, reason }
  outages.set(log, begun)
  setTimeout(() => reportOutage(log, begun), INTERVAL_MS).unref()
}

/** Reports again as long as requests fail. */
function reportOutage(log: Log, outage: Outage): void {
  const { requests, requestId, reason } = outage
  if (requests === 0) {
    outages.delete(log)
    return
  }
  log.warn({ requests, request_id: requestId, reason }, 'the database did not answer further requests')
  outage.requests = 0
  setTimeout(() => reportOutage(log, outage), INTERVAL_MS).unref()
}
