/** Which files a worker fetches next, and what it stores about each attempt. */
import type { OperatorContext } from '../../accounts/account/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { inTransaction } from '../../kernel/db/transaction.ts'
import type { AppError } from '../../kernel/errors/errors.ts'
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

/** The class of Carnet's advisory locks (`CARN` in ASCII), and the lock of claims of fetches in it. */
const LOCK_CLASS = 0x43_41_52_4e
const CLAIM_LOCK = 18

type ClaimRequest = { limit: number; maxOfAccount: number }

/**
 * Claims at most `limit` that are due: of each account first one, then the second. No account has more than
 * `maxOfAccount` in flight, over all processes: they claim one after the other, so that each sees what the
 * others fetch. Other workers do not get a claimed one before the lease has ended.
 */
export async function claimFetches(
  { sql, clock }: OperatorContext,
  request: ClaimRequest,
): Promise<ClaimedFetch[]> {
  const now = clock.now()
  const [due] = await sql`select from media_fetch where status = 'f' and due_at <= ${now} limit 1`
  if (due === undefined) return []
  return inTransaction(sql, async tx => {
    await tx`select pg_advisory_xact_lock(${LOCK_CLASS}::int, ${CLAIM_LOCK}::int)`
    return claimLocked(tx, now, request)
  })
}

/** In flight, `due_at` is the end of the claim, too: by it, the index finds them. */
function claimLocked(sql: Sql, now: Date, { limit, maxOfAccount }: ClaimRequest): Promise<ClaimedFetch[]> {
  const until = new Date(now.getTime() + FETCH_LEASE_MS)
  return sql<ClaimedFetch[]>`
    update media_fetch set attempts = attempts + 1, due_at = ${until}, claimed_until = ${until}
    where status = 'f' and due_at <= ${now} and (account_id, id) in (
      select account_id, id from (
        select f.account_id, f.id, f.due_at,
          coalesce(flying.n, 0) + row_number() over (partition by f.account_id order by f.due_at, f.id) as place
        from media_fetch f left join (
          select account_id, count(*) as n from media_fetch
          where status = 'f' and due_at > ${now} and claimed_until > ${now} group by account_id) flying
          on flying.account_id = f.account_id
        where f.status = 'f' and f.due_at <= ${now}) due
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
      update media_fetch set attempts = ${attempts - 1}, due_at = ${dueAt}, claimed_until = null
      where account_id = ${accountId} and id = ${id} and status = 'f' and attempts = ${attempts}`
  } else if ('mediaId' in result) {
    await sql`
      update media_fetch set status = 'r', media_id = decode(${result.mediaId}, 'hex')
      where account_id = ${accountId} and id = ${id} and status = 'f'`
  } else if (result.isPassing && attempts < getMaxAttempts(claimed)) {
    const dueAt = new Date(now.getTime() + (PAUSES_MS[attempts - 1] ?? 0))
    await sql`
      update media_fetch set due_at = ${dueAt}, claimed_until = null
      where account_id = ${accountId} and id = ${id} and status = 'f' and attempts = ${attempts}`
  } else {
    await sql`
      update media_fetch set status = 'x', reason = ${result.reason}, failure = ${result.failure}
      where account_id = ${accountId} and id = ${id} and status = 'f'`
  }
}
