/** The claimed deliveries of one endpoint, with its settings, health and limits. */
import type { SecretCipher } from '../kernel/crypto/secret-cipher.ts'
import type { ClaimedDelivery, PendingEndpoint } from '../webhooks/claim.ts'
import {
  type AccountConcurrency,
  createEndpointConcurrency,
  type EndpointConcurrency,
} from '../webhooks/concurrency-limits.ts'
import type { EndpointHealth } from '../webhooks/retry-schedule.ts'
import { decryptSecrets, type SigningSecrets } from '../webhooks/secret.ts'

/** Claims this multiple of the concurrency limit, so that a free permit never waits for the next claim. */
const CLAIM_AHEAD_FACTOR = 16

export type EndpointQueue = {
  accountId: number
  endpointId: string
  revision: number
  url: string
  secrets: SigningSecrets | undefined
  health: EndpointHealth
  concurrency: EndpointConcurrency
  account: AccountConcurrency
  /** If its account is on several: all of them. */
  shards: readonly number[] | null
  /** Claimed, but not being sent yet. */
  waiting: ClaimedDelivery[]
  /** Claimed events whose results are not stored yet: waiting, in flight, or being written. */
  claimedIds: Set<string>
  /** The last claim took its maximum, so there may be more. */
  hasMore: boolean
  usedAt: number
}

export const getEndpointKey = (accountId: number, endpointId: string): string => `${accountId} ${endpointId}`

export function createEndpointQueue(
  row: PendingEndpoint,
  account: AccountConcurrency,
  secretCipher: SecretCipher,
  now: Date,
): EndpointQueue {
  return {
    accountId: row.account_id,
    endpointId: row.id,
    revision: row.revision,
    url: row.url,
    secrets: decryptSecrets(secretCipher, row, now),
    health: getHealth(row),
    concurrency: createEndpointConcurrency(),
    account,
    shards: row.shards ?? null,
    waiting: [],
    claimedIds: new Set(),
    hasMore: false,
    usedAt: now.getTime(),
  }
}

/** Updates the queue from the row. While results are not stored yet, the health in memory is newer. */
export function updateEndpointQueue(
  queue: EndpointQueue,
  row: PendingEndpoint,
  secretCipher: SecretCipher,
  now: Date,
) {
  const isChanged = queue.revision !== row.revision
  if (isChanged || queue.claimedIds.size === 0) queue.health = getHealth(row)
  if (isChanged || row.old_until !== null) queue.secrets = decryptSecrets(secretCipher, row, now)
  queue.revision = row.revision
  queue.shards = row.shards ?? null
  queue.url = row.url
  queue.usedAt = now.getTime()
}

const getHealth = (row: PendingEndpoint): EndpointHealth => ({
  failures: row.failures,
  failingSince: row.failing_since,
  waitUntil: row.wait_until,
})

/** How many more deliveries may be claimed; those being stored do not count. */
export const countClaimable = (queue: EndpointQueue): number =>
  Math.max(
    0,
    queue.concurrency.limit * CLAIM_AHEAD_FACTOR - queue.concurrency.inFlight - queue.waiting.length,
  )

export const needsMore = (queue: EndpointQueue): boolean =>
  queue.hasMore && queue.waiting.length <= (queue.concurrency.limit * CLAIM_AHEAD_FACTOR) / 2

export const isBackingOff = (queue: EndpointQueue, now: Date): boolean =>
  queue.health.waitUntil !== null && queue.health.waitUntil > now
