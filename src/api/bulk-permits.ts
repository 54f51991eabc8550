/**
 * Limits how many large bulk bodies are handled at once: checking 8 MiB of rows blocks the only thread for tenths of a
 * second, and forty at once made other requests time out. The permit is acquired before the body is read.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { perDatabase, type Sql } from '../kernel/db/database.ts'
import { AppError } from '../kernel/errors.ts'
import { type Release, releaseWithResponse, Semaphore } from '../kernel/semaphore.ts'

/** Smaller bodies need no permit. */
export const MIN_QUEUED_BYTES = 256 * 1024
/** Two bodies of the largest size, or sixteen with 500 rows of a usual product. */
const MAX_CONCURRENT_BYTES = 16 * 1024 * 1024
export const MAX_WAITING_BODIES = 32
/** A call waits for two permits; both waits must fit into the ten seconds of the request timeout. */
const MAX_WAIT_MS = 4_000

type Semaphores = {
  shared: Semaphore
  perAccount: Map<number, { semaphore: Semaphore; users: number }>
}

const semaphoresOf = perDatabase(
  (_sql: Sql): Semaphores => ({
    shared: new Semaphore({
      capacity: MAX_CONCURRENT_BYTES,
      maxWaiting: MAX_WAITING_BODIES,
      maxWaitMs: MAX_WAIT_MS,
    }),
    perAccount: new Map(),
  }),
)

/** Throws `unavailable` when the queue is full. A body of unknown length counts as `maxBytes`. */
export async function acquireBulkPermit(
  sql: Sql,
  call: { accountId: number; request: FastifyRequest; reply: FastifyReply; maxBytes: number },
): Promise<void> {
  const { accountId, request, reply, maxBytes } = call
  const bytes = Number(request.headers['content-length'] ?? maxBytes)
  // Larger bodies are rejected for their size.
  if (bytes < MIN_QUEUED_BYTES || bytes > maxBytes) return
  const release = await acquireBoth(semaphoresOf(sql), accountId, bytes)
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

/** The account's own permit comes first: one account may use at most half of the capacity and of the queue. */
async function acquireBoth(
  { shared, perAccount }: Semaphores,
  accountId: number,
  bytes: number,
): Promise<Release | undefined> {
  const own = perAccount.get(accountId) ?? { semaphore: createAccountSemaphore(), users: 0 }
  perAccount.set(accountId, own)
  own.users++
  const leave = () => {
    if (--own.users === 0) perAccount.delete(accountId)
  }
  const releaseOwn = await own.semaphore.acquire(bytes)
  const releaseAll = releaseOwn && (await shared.acquire(bytes))
  if (releaseOwn !== undefined && releaseAll !== undefined) {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      releaseAll()
      releaseOwn()
      leave()
    }
  }
  releaseOwn?.()
  leave()
  return undefined
}

const createAccountSemaphore = () =>
  new Semaphore({
    capacity: MAX_CONCURRENT_BYTES / 2,
    maxWaiting: MAX_WAITING_BODIES / 2,
    maxWaitMs: MAX_WAIT_MS,
  })
