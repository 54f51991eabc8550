/** Writes the next versions of concurrent changes together: one statement and one commit for many. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { createGroupedBatchLoader } from '../../kernel/db/batch-loader.ts'
import { explainDatabaseError, isLockTimeout, perDatabase } from '../../kernel/db/database.ts'
import { isTransaction } from '../../kernel/db/transaction.ts'
import { MAX_STATEMENT_LENGTH, MIN_LARGE_LENGTH } from './batch-creates.ts'
import { type NextVersion, type VersionsWritten, writeVersions } from './write-versions.ts'

/** `dataLength` is the length of the data as JSON. */
type SizedVersion = { ctx: AccountContext; next: NextVersion; dataLength: number }

/** Changes that share a statement wait so long for a lock that another transaction holds. */
const MAX_LOCK_WAIT_MS = 200

/**
 * As `writeVersions` with this version alone. A new GTIN does not share a statement: its claim may wait for
 * another transaction, or for another machine of a cluster.
 */
export const writeVersionBatched = (sized: SizedVersion): Promise<VersionsWritten> =>
  isTransaction(sized.ctx.sql) || sized.next.changed.includes('gtin')
    ? writeAlone(sized)
    : batchedWrite(sized.ctx.sql)(sized)

/** Groups are accounts and actors, which a statement names once. Large versions do not delay small ones. */
const batchedWrite = perDatabase(() => {
  const groupOf = ({ ctx }: SizedVersion) => `${ctx.accountId} ${ctx.actorId}`
  const weight = { weigh: ({ dataLength }: SizedVersion) => dataLength, maxWeight: MAX_STATEMENT_LENGTH }
  const writeSmall = createGroupedBatchLoader(groupOf, writeBatch, { maxInFlight: 1 })
  const writeLarge = createGroupedBatchLoader(groupOf, writeBatch, { maxInFlight: 1, weight })
  return (sized: SizedVersion) => (sized.dataLength < MIN_LARGE_LENGTH ? writeSmall : writeLarge)(sized)
})

const writeAlone = ({ ctx, next }: SizedVersion): Promise<VersionsWritten> => writeVersions(ctx, [next])

/**
 * A rejection that may depend on another row of the batch, or that PostgreSQL does not attribute to a row, is
 * not final: such rows are written again, each alone, while the next batch begins.
 */
async function writeBatch(
  batch: readonly SizedVersion[],
): Promise<(VersionsWritten | Promise<VersionsWritten>)[]> {
  const [first] = batch
  if (first === undefined) return []
  if (batch.length === 1) return [(await startAlone(first)).written]
  const versions = batch.map(({ next }) => next)
  try {
    const outcome = await writeVersions(first.ctx, versions, { maxLockWaitMs: MAX_LOCK_WAIT_MS })
    return batch.map(sized => (outcome.taken.has(sized.next.id) ? writeAlone(sized) : outcome))
  } catch (error) {
    if (!concernsSomeRow(error)) throw error
    return batch.map(writeAlone)
  }
}

/** True if the other rows of a statement may succeed. The statement has written nothing. */
const concernsSomeRow = (error: unknown): boolean =>
  isLockTimeout(error) || explainDatabaseError(error)?.code !== 'unavailable'

/** Returns the running write after a while: the next batch does not wait for the locks of this one. */
async function startAlone(sized: SizedVersion): Promise<{ written: Promise<VersionsWritten> }> {
  const written = writeAlone(sized)
  const { promise: isLate, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, MAX_LOCK_WAIT_MS)
  try {
    await Promise.race([written, isLate])
  } finally {
    clearTimeout(timer)
  }
  return { written }
}
