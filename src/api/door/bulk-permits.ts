/**
 * Limits how many large bulk bodies are handled at once: checking 8 MiB of rows takes tenths of a second of
 * the only thread, and forty at once made other requests time out.
 */
import type { FastifyRequest } from 'fastify'
import { KeyedSemaphore, releaseWithResponse } from '../../kernel/concurrency/semaphore.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'
import { AppError, assert } from '../../kernel/errors/errors.ts'

/** Smaller bodies need no permit. */
const MIN_LARGE_BYTES = 256 * 1024
/** Two bodies of the largest size, or sixteen with 500 rows of a usual product. */
const MAX_CONCURRENT_BYTES = 16 * 1024 * 1024
/** The bytes of those who wait are in memory; `BodiesInFlight` bounds them. */
const MAX_WAITING_BODIES = 32
const MAX_WAIT_MS = 4_000

/** The account's permit comes first: one account may use half of the capacity and of the queue. */
const bulkPermits = perSharedDatabase(
  (_sql: Sql) =>
    new KeyedSemaphore<number>(
      { capacity: MAX_CONCURRENT_BYTES, maxWaiting: MAX_WAITING_BODIES, maxWaitMs: MAX_WAIT_MS },
      { capacity: MAX_CONCURRENT_BYTES / 2, maxWaiting: MAX_WAITING_BODIES / 2, maxWaitMs: MAX_WAIT_MS },
    ),
)

type BulkCall = { request: FastifyRequest; accountId: number | undefined; bytes: number }

/**
 * Call it when the whole body has arrived, because a client that sends slowly must not hold a permit. The
 * permit is released when the response ends. Throws `unavailable` if the queue is full.
 */
export async function acquireBulkPermit(
  sql: Sql,
  { request: { response }, accountId, bytes }: BulkCall,
): Promise<void> {
  if (bytes < MIN_LARGE_BYTES) return
  assert(response !== null && accountId !== undefined, 'hooks before the body set the response and the key')
  const release = await bulkPermits(sql).acquire(accountId, bytes)
  if (release === undefined) {
    throw new AppError(
      'unavailable',
      'Too many large bulk calls are running. Nothing was changed. Try again in a moment, or send fewer at a time.',
      undefined,
      2_000,
    )
  }
  releaseWithResponse(response, release)
}
