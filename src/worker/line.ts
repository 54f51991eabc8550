/** What a worker knows of one endpoint: its settings, how it is doing, what is on its way and what is next. */

import type { Sealer } from '../kernel/sealing.ts'
import type { ClaimedDelivery, PendingEndpoint } from '../webhooks/claim.ts'
import {
  type AccountConcurrency,
  createEndpointConcurrency,
  type EndpointConcurrency,
} from '../webhooks/concurrency-limits.ts'
import type { EndpointHealth } from '../webhooks/retry-schedule.ts'
import { openSecrets, type SigningSecrets } from '../webhooks/secret.ts'

/** Claimed ahead, as a multiple of what may be on its way: so that nothing waits for the next claim. */
const AHEAD = 16

export type Line = {
  accountId: number
  endpointId: string
  revision: number
  url: string
  secrets: SigningSecrets | undefined
  health: EndpointHealth
  caps: EndpointConcurrency
  account: AccountConcurrency
  queue: ClaimedDelivery[]
  /** Events claimed and not yet settled: on their way, in the queue, or being written. */
  held: Set<string>
  /** The last claim took all it had room for. */
  hasMore: boolean
  usedAt: number
}

export const keyOf = (accountId: number, endpointId: string): string => `${accountId} ${endpointId}`

export function newLine(row: PendingEndpoint, account: AccountConcurrency): Line {
  return {
    accountId: row.account_id,
    endpointId: row.id,
    revision: -1,
    url: row.url,
    secrets: undefined,
    health: healthOf(row),
    caps: createEndpointConcurrency(),
    account,
    queue: [],
    held: new Set(),
    hasMore: false,
    usedAt: 0,
  }
}

/** Takes over what the row says. The health in memory is newer while results of ours are on their way to the row. */
export function syncLine(line: Line, row: PendingEndpoint, sealer: Sealer, now: Date): void {
  if (line.revision !== row.revision || line.held.size === 0) line.health = healthOf(row)
  if (line.revision !== row.revision || row.old_until !== null) line.secrets = openSecrets(sealer, row, now)
  line.revision = row.revision
  line.url = row.url
  line.usedAt = now.getTime()
}

const healthOf = (row: PendingEndpoint): EndpointHealth => ({
  failures: row.failures,
  failingSince: row.failing_since,
  waitUntil: row.wait_until,
})

/** What is being written down takes no room: it is over. */
export const roomOf = (line: Line): number =>
  Math.max(0, line.caps.limit * AHEAD - line.caps.inFlight - line.queue.length)

/** Half of what was claimed ahead is gone, and there was more. */
export const wantsMore = (line: Line): boolean =>
  line.hasMore && line.queue.length <= (line.caps.limit * AHEAD) / 2

export const isWaiting = (line: Line, now: Date): boolean =>
  line.health.waitUntil !== null && line.health.waitUntil > now

/** Gives back what has not been started. */
export function dropQueue(line: Line): void {
  for (const claimed of line.queue) line.held.delete(claimed.event_id)
  line.queue = []
}
