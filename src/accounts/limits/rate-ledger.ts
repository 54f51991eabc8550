/** How many permits of a key each process holds: one statement for all keys that report at the same time. */
import type { Sql } from '../../kernel/db/database.ts'

/** The report of one process about its share of a key. Times are in ms. */
export type ShareReport = {
  accountId: number
  keyId: string
  /** Permits it holds, with those used in the last minute. */
  held: number
  free: number
  /** Requests that wait for a permit; 0 asks for none. */
  waiting: number
  perMinute: number
  /** When its share ends without another report. */
  overAt: number
  /** When its next use expires, 0 without any. */
  nextFreeAt: number
}

export type ShareReply = {
  held: number
  /** The other processes with a share: how many, their reported use, when the next use expires. */
  others: { count: number; used: number; nextFreeAt: number | undefined }
}

type Share = [held: number, free: number, at: number, overAt: number, nextFreeAt: number]

/** Reports these shares, each of a different key, and replies in their order. */
export async function exchangeShares(
  sql: Sql,
  process: string,
  reports: readonly ShareReport[],
  now: number,
): Promise<ShareReply[]> {
  const accounts = reports.map(one => one.accountId)
  const keys = reports.map(one => one.keyId)
  const told = reports.map(one =>
    JSON.stringify([one.held, one.free, one.waiting, one.perMinute, one.overAt, one.nextFreeAt]),
  )
  const until = new Date(Math.max(...reports.map(one => one.overAt))).toISOString()
  // In the order of keys, so that two processes never wait for each other.
  const rows = await sql<{ key_id: string; shares: string }[]>`
    insert into rate_share as s (account_id, key_id, until, shares)
    select account_id, key_id, ${until}::text::timestamptz, carnet_share('{}', ${process}::text, told::jsonb, ${now}::bigint)
    from unnest(${accounts}::int[], ${keys}::text[]::uuid[], ${told}::text[]) as t(account_id, key_id, told)
    order by account_id, key_id
    on conflict (account_id, key_id) do update set until = greatest(s.until, excluded.until),
      shares = carnet_share(s.shares, ${process}::text, excluded.shares->${process}::text->5, ${now}::bigint)
    returning key_id, shares::text as shares`
  const found = new Map(rows.map(row => [row.key_id, row.shares]))
  return keys.map(key => parseReply(JSON.parse(found.get(key) ?? '{}'), process, now))
}

function parseReply(shares: Record<string, Share>, process: string, now: number): ShareReply {
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

/** Scheduled task: deletes the rows of keys that nobody has used for a while. */
export async function deleteExpiredShares(sql: Sql, now: Date): Promise<void> {
  await sql`
    delete from rate_share where (account_id, key_id) in (
      select account_id, key_id from rate_share where until < ${now} limit 1000 for update skip locked)`
}
