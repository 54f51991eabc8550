/**
 * Large bodies of bulk calls take turns: checking 8 MiB of rows keeps the one thread busy for tenths of a second, and forty
 * at once kept everybody waiting until requests timed out. A turn is taken before the body is read.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { perDatabase, type Sql } from '../kernel/db.ts'
import { AppError } from '../kernel/errors.ts'
import { releaseWithAnswer, Semaphore } from '../kernel/semaphore.ts'

/** Smaller bodies are quicker than taking turns. */
const MIN_SEAT_BYTES = 256 * 1024
/** Two bodies of the largest size, or sixteen of 500 rows of a usual product. */
const MAX_SEAT_BYTES = 16 * 1024 * 1024
export const MAX_WAITING_BODIES = 32
/** Within the ten seconds that a request has to arrive. */
const MAX_WAIT_MS = 4_000

const seatsOf = perDatabase(
  (_sql: Sql) =>
    new Semaphore({ capacity: MAX_SEAT_BYTES, maxWaiting: MAX_WAITING_BODIES, maxWaitMs: MAX_WAIT_MS }),
)

/** `maxBytes`: what a body of unknown length counts for. */
export async function takeBulkSeat(
  sql: Sql,
  { request, reply, maxBytes }: { request: FastifyRequest; reply: FastifyReply; maxBytes: number },
): Promise<void> {
  const bytes = Number(request.headers['content-length'] ?? maxBytes)
  // What is larger is refused for its size.
  if (bytes < MIN_SEAT_BYTES || bytes > maxBytes) return
  const release = await seatsOf(sql).acquire(bytes)
  if (release === undefined) {
    throw new AppError(
      'unavailable',
      'Too many large bulk calls are under way. Nothing was changed. Send the call again in a moment, or fewer at a time.',
      undefined,
      { 'retry-after': '2' },
    )
  }
  releaseWithAnswer(reply.raw, release)
}
