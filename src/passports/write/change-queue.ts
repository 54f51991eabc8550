/** Queues the changes of a passport in this process. If another process was faster, a change starts again. */
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { KeyedQueue } from '../../kernel/keyed-queue.ts'
import type { PassportRow } from '../core/record.ts'

export const MAX_WRITE_ATTEMPTS = 50

const queues = perDatabase(() => new KeyedQueue())

/** Runs `work` after the earlier changes of this passport in this process. */
export const queueByPassport = <T>(sql: Sql, uuid: string, work: () => Promise<T>): Promise<T> =>
  queues(sql).run(uuid, work)

/**
 * Runs `attempt` in that queue, and repeats it while it returns undefined because another process was faster.
 */
export const retryUntilWritten = <T>(
  sql: Sql,
  uuid: string,
  attempt: () => Promise<T | undefined>,
): Promise<T> =>
  queueByPassport(sql, uuid, async () => {
    for (let attempts = 0; attempts < MAX_WRITE_ATTEMPTS; attempts++) {
      const written = await attempt()
      if (written !== undefined) return written
    }
    throw contentionError()
  })

export const contentionError = () =>
  new AppError(
    'unavailable',
    'This product is being changed by many requests at once. Try again in a moment.',
  )

/** Whether the version that was read is one that the caller wants to change (`If-Match`). */
export type ExpectedVersion = { expects: (current: PassportRow) => boolean }

/** Throws `version_conflict`. */
export function requireExpectedVersion(current: PassportRow, { expects }: ExpectedVersion): void {
  if (expects(current)) return
  const currentVersion = current.version_no
  const message = `The product is now at version ${currentVersion}. Read it again, then repeat the change with If-Match: "v${currentVersion}" (with the quotation marks).`
  throw new AppError('version_conflict', message)
}
