/** Limits how many files are received and processed at once: each one is in memory until its response. */
import type { FastifyReply } from 'fastify'
import type { Sql } from '../../kernel/db/database.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'
import { AppError } from '../../kernel/errors.ts'
import { KeyedSemaphore, releaseWithResponse } from '../../kernel/semaphore.ts'

/** Up to 20 MiB each, and as much again on its way to the process that renders it. */
const MAX_UPLOADS = 8
export const MAX_WAITING_UPLOADS = 32
/** For each of the two permits. Bytes of a waiting request stay with its client. */
const MAX_WAIT_MS = 10_000
const RETRY_AFTER_MS = 5_000

/** The account's permit comes first: one account may use half of the capacity and of the queue. */
const uploadPermits = perSharedDatabase(
  (_sql: Sql) =>
    new KeyedSemaphore<number>(
      { capacity: MAX_UPLOADS, maxWaiting: MAX_WAITING_UPLOADS, maxWaitMs: MAX_WAIT_MS },
      { capacity: MAX_UPLOADS / 2, maxWaiting: MAX_WAITING_UPLOADS / 2, maxWaitMs: MAX_WAIT_MS },
    ),
)

/** Call before the body is read. The permit is released when the response ends. Throws `unavailable`. */
export async function acquireUploadPermit(sql: Sql, accountId: number, reply: FastifyReply): Promise<void> {
  const release = await uploadPermits(sql).acquire(accountId)
  if (release === undefined) {
    throw new AppError(
      'unavailable',
      'Too many files are being uploaded. Nothing was stored. Try again in a moment, or send fewer at a time.',
      undefined,
      RETRY_AFTER_MS,
    )
  }
  releaseWithResponse(reply.raw, release)
}
