/** Limits how many files are received and processed at once: each one is in memory until its response. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { waitForTurn } from '../../accounts/limits/turns.ts'
import { releaseWithResponse } from '../../kernel/concurrency/semaphore.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors/errors.ts'

type Upload = { request: FastifyRequest; accountId: number; reply: FastifyReply }

/**
 * Call before the body is read: bytes of a waiting request stay with its client. A file may arrive for
 * minutes, so an account and a network hold only a part of the permits. The permit is released when the
 * response ends. Throws `unavailable`.
 */
export async function acquireUploadPermit(sql: Sql, { request, accountId, reply }: Upload): Promise<void> {
  const asker = { address: request.ownAddress, accountId }
  try {
    const release = await waitForTurn({ sql }, { pool: 'files', asker, response: reply.raw })
    // The client has left, and nobody reads what is answered.
    if (release === undefined) throw tooManyFiles(undefined)
    releaseWithResponse(reply.raw, release)
  } catch (error) {
    throw error instanceof AppError ? tooManyFiles(error.retryAfterMs) : error
  }
}

const tooManyFiles = (retryAfterMs: number | undefined) =>
  new AppError(
    'unavailable',
    'Too many files are being uploaded. Nothing was stored. Try again in a moment, or send fewer at a time.',
    undefined,
    retryAfterMs,
  )
