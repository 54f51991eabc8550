/**
 * Limits how many large bulk bodies are handled at once: checking 8 MiB of rows blocks the only thread for
 * tenths of a second, and forty at once made other requests time out.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sql } from '../kernel/db/database.ts'
import { perSharedDatabase } from '../kernel/db/shards.ts'
import { AppError } from '../kernel/errors.ts'
import { KeyedSemaphore, releaseWithResponse } from '../kernel/semaphore.ts'

/** Smaller bodies need no permit. */
const MIN_LARGE_BYTES = 256 * 1024
/** Two bodies of the largest size, or sixteen with 500 rows of a usual product. */
const MAX_CONCURRENT_BYTES = 16 * 1024 * 1024
export const MAX_WAITING_BODIES = 32
/** A call waits for two permits; both waits must fit into the ten seconds of the request timeout. */
const MAX_WAIT_MS = 4_000

/** The account's permit comes first: one account may use half of the capacity and of the queue. */
const bulkPermits = perSharedDatabase(
  (_sql: Sql) =>
    new KeyedSemaphore<number>(
      { capacity: MAX_CONCURRENT_BYTES, maxWaiting: MAX_WAITING_BODIES, maxWaitMs: MAX_WAIT_MS },
      { capacity: MAX_CONCURRENT_BYTES / 2, maxWaiting: MAX_WAITING_BODIES / 2, maxWaitMs: MAX_WAIT_MS },
    ),
)

type BulkCall = { accountId: number; request: FastifyRequest; reply: FastifyReply; maxBytes: number }

/** Called before a body with `Content-Length` is read. Throws `unavailable` if the queue is full. */
export async function acquireBulkPermit(sql: Sql, call: BulkCall): Promise<void> {
  const bytes = Number(call.request.headers['content-length'] ?? 0)
  // Larger bodies are rejected for their size.
  if (bytes >= MIN_LARGE_BYTES && bytes <= call.maxBytes) await acquire(sql, call, bytes)
}

/**
 * Returns the body. A body without `Content-Length` waits for a permit of `maxBytes` once it turns out to be
 * large. An earlier permit would be kept by a client that stops in the middle of a small body.
 */
export function acquireWhenLarge(sql: Sql, call: BulkCall, body: Readable): Readable {
  return call.request.headers['content-length'] === undefined
    ? Readable.from(readBody(sql, call, body))
    : body
}

async function* readBody(sql: Sql, call: BulkCall, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body) {
    const wasSmall = bytes < MIN_LARGE_BYTES
    bytes += chunk.length
    if (wasSmall && bytes >= MIN_LARGE_BYTES) await acquire(sql, call, call.maxBytes)
    yield chunk
  }
}

/** Waits for a permit of this many bytes, which is released when the response ends. */
async function acquire(sql: Sql, { accountId, reply }: BulkCall, bytes: number): Promise<void> {
  const release = await bulkPermits(sql).acquire(accountId, bytes)
  if (release === undefined) {
    throw new AppError(
      'unavailable',
      'Too many large bulk calls are running. Nothing was changed. Try again in a moment, or send fewer at a time.',
      undefined,
      2_000,
    )
  }
  releaseWithResponse(reply.raw, release)
}
