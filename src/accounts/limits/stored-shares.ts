/** Stores how many permits of each key every process holds: one statement for the keys of many requests. */
import type { Sql } from '../../kernel/db/database.ts'

/** The report of one process about its share of a key. Times are in ms. */
export type ShareReport = {
  accountId: number
  keyId: string
  /** Permits that the process holds, including those used in the last minute. */
  held: number
  free: number
  /** Requests that wait for a permit; 0 asks for none. */
  waiting: number
  perMinute: number
  /** When the share ends without another report. */
  expiresAt: number
  /** When the next use expires; 0 if there is no use. */
  nextFreeAt: number
}

export type ShareReply = {
  held: number
  /** The other processes with a share: how many, their reported use, when the next use expires. */
  others: { count: number; used: number; nextFreeAt: number | undefined }
}

type StoredShare = [held: number, free: number, at: number, expiresAt: number, nextFreeAt: number]

/** Sends one report per key to the database. Returns the replies in the same order. */
export async function exchangeShares(
  sql: Sql,
  process: string,
  reports: readonly ShareReport[],
  now: number,
): Promise<ShareReply[]> {
  const accounts = reports.map(({ accountId }) => accountId)
  const keys = reports.map(({ keyId }) => keyId)
  const texts = reports.map(({ held, free, waiting, perMinute, expiresAt, nextFreeAt }) =>
    JSON.stringify([held, free, waiting, perMinute, expiresAt, nextFreeAt]),
  )
  const until = new Date(Math.max(...reports.map(({ expiresAt }) => expiresAt))).toISOString()
  // Rows are locked in the order of keys, so that two processes cannot deadlock.
  const rows = await sql<{ key_id: string; shares: string }[]>`
    insert into rate_share as s (account_id, key_id, until, shares)
    select account_id, key_id, ${until}::text::timestamptz, carnet_share('{}', ${process}::text, report::jsonb, ${now}::bigint)
    from unnest(${accounts}::int[], ${keys}::text[]::uuid[], ${texts}::text[]) as input(account_id, key_id, report)
    order by account_id, key_id
    on conflict (account_id, key_id) do update set until = greatest(s.until, excluded.until),
      shares = carnet_share_with(s.shares, excluded.shares)
    returning key_id, shares::text as shares`
  const found = new Map(rows.map(row => [row.key_id, row.shares]))
  return keys.map(key => parseReply(JSON.parse(found.get(key) ?? '{}'), process, now))
}

function parseReply(shares: Record<string, StoredShare>, process: string, now: number): ShareReply {
  const others: ShareReply['others'] = { count: 0, used: 0, nextFreeAt: undefined }
  for (const [name, [held, free, , , nextFreeAt]] of Object.entries(shares)) {
    if (name === process) continue
    others.count++
    others.used += Math.max(0, held - free)
    if (nextFreeAt > now && nextFreeAt < (others.nextFreeAt ?? Number.POSITIVE_INFINITY))
      others.nextFreeAt = nextFreeAt
  }
  return { held: shares[process]?.[0] ?? 0, others }
}

/** Scheduled task: deletes the rows of keys without a current share. */
export async function deleteExpiredShares(sql: Sql, now: Date): Promise<void> {
  await sql`
    delete from rate_share where (account_id, key_id) in (
      select account_id, key_id from rate_share where until < ${now} limit 1000 for update skip locked)`
}
