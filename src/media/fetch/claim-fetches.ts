/** Which files a worker fetches next, and what it stores about each attempt. */
import type { OperatorContext } from '../../accounts/context.ts'
import type { AppError } from '../../kernel/errors.ts'
import type { FailedDownload } from './download-file.ts'

/** Longer than an attempt takes. After this time, another worker fetches what a killed one has claimed. */
export const FETCH_LEASE_MS = 180_000
/** Before the second attempt, the third, and so on. After the last, the file is refused. */
const PAUSES_MS = [10_000, 60_000, 300_000, 1_800_000]
const MAX_ATTEMPTS = PAUSES_MS.length + 1
/** People wait for an import. */
const MAX_IMPORT_ATTEMPTS = 3
/** After this, a file is tried again for which the server was too busy. */
const BUSY_PAUSE_MS = 5_000

export type ClaimedFetch = {
  accountId: number
  /** A UUID. */
  id: string
  sourceUrl: string
  /** This one included. */
  attempts: number
  isForImport: boolean
  createdBy: number
}

export const getMaxAttempts = ({ isForImport }: Pick<ClaimedFetch, 'isForImport'>): number =>
  isForImport ? MAX_IMPORT_ATTEMPTS : MAX_ATTEMPTS

/**
 * Claims at most `limit` that are due: of each account first one, then the second, and never more than
 * `maxOfAccount`. `busy`: accounts that have as many already. Other workers do not get them before the lease
 * has ended.
 */
export async function claimFetches(
  { sql, clock }: OperatorContext,
  { limit, maxOfAccount, busy }: { limit: number; maxOfAccount: number; busy: readonly number[] },
): Promise<ClaimedFetch[]> {
  const now = clock.now()
  const until = new Date(now.getTime() + FETCH_LEASE_MS)
  return sql<ClaimedFetch[]>`
    update media_fetch set attempts = attempts + 1, due_at = ${until}
    where status = 'f' and due_at <= ${now} and (account_id, id) in (
      select account_id, id from (
        select account_id, id, due_at, row_number() over (partition by account_id order by due_at, id) as place
        from media_fetch where status = 'f' and due_at <= ${now} and not account_id = any(${[...busy]}::int[])) due
      where place <= ${maxOfAccount} order by place, due_at limit ${limit})
    returning account_id as "accountId", id, source_url as "sourceUrl", attempts,
      import_id is not null as "isForImport", created_by as "createdBy"`
}

/** `busy`: this server has no room for the file, which is not its fault. */
type FetchResult = { mediaId: string } | FailedDownload | 'stopped' | { busy: AppError }

/** Ends a claim. A fetch that was deleted meanwhile stays deleted. */
export async function settleFetch(
  { sql, clock }: OperatorContext,
  claimed: ClaimedFetch,
  result: FetchResult,
): Promise<void> {
  const { accountId, id, attempts } = claimed
  const now = clock.now()
  if (result === 'stopped' || 'busy' in result) {
    // Not an attempt. If this worker stops, another goes on at once.
    const pauseMs = result === 'stopped' ? 0 : (result.busy.retryAfterMs ?? BUSY_PAUSE_MS)
    const dueAt = new Date(now.getTime() + pauseMs)
    await sql`
      update media_fetch set attempts = ${attempts - 1}, due_at = ${dueAt}
      where account_id = ${accountId} and id = ${id} and status = 'f' and attempts = ${attempts}`
  } else if ('mediaId' in result) {
    await sql`
      update media_fetch set status = 'r', media_id = decode(${result.mediaId}, 'hex')
      where account_id = ${accountId} and id = ${id} and status = 'f'`
  } else if (result.isPassing && attempts < getMaxAttempts(claimed)) {
    const dueAt = new Date(now.getTime() + (PAUSES_MS[attempts - 1] ?? 0))
    await sql`
      update media_fetch set due_at = ${dueAt}
      where account_id = ${accountId} and id = ${id} and status = 'f' and attempts = ${attempts}`
  } else {
    await sql`
      update media_fetch set status = 'x', reason = ${result.reason}, failure = ${result.failure}
      where account_id = ${accountId} and id = ${id} and status = 'f'`
  }
}
