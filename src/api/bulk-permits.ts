/**
 * Large bodies of bulk calls take turns: checking 8 MiB of rows keeps the one thread busy for tenths of a second, and forty
 * at once kept everybody waiting until requests timed out. A turn is taken before the body is read.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { perDatabase, type Sql } from '../kernel/db/database.ts'
import { AppError } from '../kernel/errors.ts'
import { type Release, releaseWithResponse, Semaphore } from '../kernel/semaphore.ts'

/** Smaller bodies are quicker than taking turns. */
export const MIN_QUEUED_BYTES = 256 * 1024
/** Two bodies of the largest size, or sixteen of 500 rows of a usual product. */
const MAX_SEAT_BYTES = 16 * 1024 * 1024
export const MAX_WAITING_BODIES = 32
/** Twice this is within the ten seconds that a request has to arrive. */
const MAX_WAIT_MS = 4_000

type Seats = {
  ofAll: Semaphore
  ofAccounts: Map<number, { seats: Semaphore; users: number }>
}

const seatsOf = perDatabase(
  (_sql: Sql): Seats => ({
    ofAll: new Semaphore({
      capacity: MAX_SEAT_BYTES,
      maxWaiting: MAX_WAITING_BODIES,
      maxWaitMs: MAX_WAIT_MS,
    }),
    ofAccounts: new Map(),
  }),
)

/** `maxBytes`: what a body of unknown length counts for. */
export async function acquireBulkPermit(
  sql: Sql,
  call: { accountId: number; request: FastifyRequest; reply: FastifyReply; maxBytes: number },
): Promise<void> {
  const { accountId, request, reply, maxBytes } = call
  const bytes = Number(request.headers['content-length'] ?? maxBytes)
  // What is larger is refused for its size.
  if (bytes < MIN_QUEUED_BYTES || bytes > maxBytes) return
  const release = await takeBoth(seatsOf(sql), accountId, bytes)
  if (release === undefined) {
    throw new AppError(
      'unavailable',
      'Too many large bulk calls are under way. Nothing was changed. Send the call again in a moment, or fewer at a time.',
      undefined,
      2_000,
    )
  }
  releaseWithResponse(reply.raw, release)
}

/** First of the half that one account may have, of seats and of places in the queue: the rest is for the others. */
async function takeBoth(
  { ofAll, ofAccounts }: Seats,
  accountId: number,
  bytes: number,
): Promise<Release | undefined> {
  const own = ofAccounts.get(accountId) ?? { seats: newShare(), users: 0 }
  ofAccounts.set(accountId, own)
  own.users++
  const leave = () => {
    if (--own.users === 0) ofAccounts.delete(accountId)
  }
  const releaseOwn = await own.seats.acquire(bytes)
  const releaseAll = releaseOwn && (await ofAll.acquire(bytes))
  if (releaseOwn !== undefined && releaseAll !== undefined) {
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      releaseAll()
      releaseOwn()
      leave()
    }
  }
  releaseOwn?.()
  leave()
  return undefined
}

const newShare = () =>
  new Semaphore({
    capacity: MAX_SEAT_BYTES / 2,
    maxWaiting: MAX_WAITING_BODIES / 2,
    maxWaitMs: MAX_WAIT_MS,
  })
