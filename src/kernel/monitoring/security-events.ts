/**
 * Logs refused sign-ins, keys, rights and forged forms: the event, the request, and a hash of the network
 * whose salt ends with the process. No e-mail, no address.
 */
import { randomBytes } from 'node:crypto'
import { sha256Hex } from '../crypto/crypto.ts'
import type { Log } from '../errors/log.ts'
import { BoundedMap } from '../values/bounded-map.ts'
import type { Clock } from '../values/clock.ts'

export type SecurityEvent =
  | 'sign_in_refused'
  | 'sign_in_held_back'
  | 'proof_refused'
  | 'link_refused'
  | 'key_refused'
  | 'right_refused'
  | 'cross_site_refused'

export type SecurityLog = ReturnType<typeof createSecurityLog>

/** Within this time, the same event from one network gets one line; the next line counts the others. */
const REPEATED_AFTER_MS = 60_000
/** Security limits: a flood fills neither the log nor the memory. The metrics count all events. */
const MAX_LINES_PER_MINUTE = 60
const MAX_SOURCES = 1_000

type Source = { nextLineAt: number; unlogged: number }

export function createSecurityLog(setup: {
  log: Log
  clock: Clock
  count?: ((event: SecurityEvent) => void) | undefined
}) {
  const { log, clock, count } = setup
  const salt = randomBytes(16).toString('hex')
  const sources = new BoundedMap<string, Source>(MAX_SOURCES)
  let minute = { endsAt: 0, lines: 0 }

  return {
    note(event: SecurityEvent, { requestId, network }: { requestId: string; network: string }) {
      count?.(event)
      const now = clock.now().getTime()
      const hash = sha256Hex(`${salt} ${network}`).slice(0, 12)
      const key = `${event} ${hash}`
      const source = sources.get(key) ?? { nextLineAt: 0, unlogged: 0 }
      sources.set(key, source)
      if (now >= minute.endsAt) minute = { endsAt: now + 60_000, lines: 0 }
      if (now < source.nextLineAt || minute.lines >= MAX_LINES_PER_MINUTE) {
        source.unlogged++
        return
      }
      minute.lines++
      const line = { event, request_id: requestId, network: hash, unlogged_before: source.unlogged }
      log.warn(line, 'security event')
      source.nextLineAt = now + REPEATED_AFTER_MS
      source.unlogged = 0
    },
  }
}
