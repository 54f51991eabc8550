/**
 * Limits how many spreadsheets are parsed at a time, because each one is held in memory, and how fast an
 * account may send large ones.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'

const MAX_CONCURRENT_READS = 3
/** An account's files are read at this rate: the next waits six seconds after one of 24 MB. */
const BYTES_PER_SECOND = 4_000_000

type Reads = {
  underWay: number
  /** When an account's next file may be read. Contains only accounts that have just sent one. */
  nextAt: Map<number, number>
}

const readsOf = perDatabase((_sql: Sql): Reads => ({ underWay: 0, nextAt: new Map() }))

type FileRead = { sql: Sql; accountId: number; bytes: number }

/** Does the work when it is the file's turn. Does nothing and returns undefined if too many files wait. */
export async function limitReads<T>(
  { sql, accountId, bytes }: FileRead,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const reads = readsOf(sql)
  if (reads.underWay >= MAX_CONCURRENT_READS) return undefined
  reads.underWay++
  try {
    await waitForAccount(reads.nextAt, accountId, bytes)
    return await work()
  } finally {
    reads.underWay--
  }
}

async function waitForAccount(nextAt: Map<number, number>, accountId: number, bytes: number): Promise<void> {
  const now = performance.now()
  for (const [account, at] of nextAt) if (at <= now) nextAt.delete(account)
  const beginsAt = Math.max(now, nextAt.get(accountId) ?? 0)
  nextAt.set(accountId, beginsAt + (bytes / BYTES_PER_SECOND) * 1_000)
  if (beginsAt > now) await pause(beginsAt - now)
}
