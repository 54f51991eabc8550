/** Queues the changes of a passport in this process. If another process was faster, a change starts again. */
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { KeyedQueue } from '../../kernel/concurrency/keyed-queue.ts'
import { perDatabase, type Sql, withRetries } from '../../kernel/db/database.ts'
import { isTransaction, repeatTransaction, TransactionConflict } from '../../kernel/db/transaction.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import type { PassportRow } from '../core/record.ts'
import { lockPassports } from './lock-passports.ts'

/** So many attempts lock nothing before they read. */
export const MAX_UNLOCKED_ATTEMPTS = 4

const queues = perDatabase(() => new KeyedQueue())

/** Runs `work` after the earlier changes of this passport in this process. */
export const queueByPassport = <T>(sql: Sql, uuid: string, work: () => Promise<T>): Promise<T> =>
  queues(sql).run(uuid, work)

/** Makes one attempt; undefined if another process was faster. */
type Attempt<T> = (ctx: AccountContext) => Promise<T | undefined>

/**
 * Runs `attempt` in that queue, and repeats it while another process is faster. In the end it locks the
 * passport first: calls that change many passports again and again would always be faster.
 */
export const retryUntilWritten = <T>(ctx: AccountContext, uuid: string, attempt: Attempt<T>): Promise<T> =>
  queueByPassport(ctx.sql, uuid, async () => {
    for (let attempts = 0; attempts < MAX_UNLOCKED_ATTEMPTS; attempts++) {
      const written = await attempt(ctx)
      if (written !== undefined) return written
    }
    return attemptLocked(ctx, [uuid], attempt)
  })

/** Makes one attempt while nobody else can change the passports. It may be called again after a rollback. */
export function attemptLocked<T>(
  ctx: AccountContext,
  uuids: readonly string[],
  attempt: Attempt<T>,
): Promise<T> {
  const run = async (tx: AccountContext) => {
    await lockPassports(tx, uuids)
    const written = await attempt(tx)
    if (written === undefined) throw new TransactionConflict()
    return written
  }
  if (isTransaction(ctx.sql)) return run(ctx)
  return repeatTransaction(() => withRetries(() => withTransaction(ctx, run)))
}

/** True if the version that was read is one that the caller wants to change (`If-Match`). */
export type ExpectedVersion = { expects: (current: PassportRow) => boolean }

/** Throws `version_conflict`. */
export function requireExpectedVersion(current: PassportRow, { expects }: ExpectedVersion): void {
  if (expects(current)) return
  const currentVersion = current.version_no
  const message = `The product is now at version ${currentVersion}. Read it again, then repeat the change with If-Match: "v${currentVersion}" (with the quotation marks).`
  throw new AppError('version_conflict', message)
}
