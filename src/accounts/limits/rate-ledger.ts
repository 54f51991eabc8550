/** Who of the processes holds how many of a key's permits: told and asked in one statement for all keys of a moment. */
import type { Sql } from '../../kernel/db/database.ts'

/** What one process tells of its share of a key. */
export type ShareReport = {
  accountId: number
  keyId: string
  /** Permits it holds, the used ones of the last minute included. */
  held: number
  free: number
  /** Requests that wait for a permit; 0 asks for none. */
  waiting: number
  perMinute: number
  /** When its share is over unless it tells again; in ms, as all times here. */
  overAt: number
  /** When the next of its uses is over, 0 without any. */
  nextOver: number
}

export type ShareReply = {
  /** What it holds now. */
  held: number
  /** The other processes with a share: how many, what they had used when they last told, when something of it is over. */
  others: { count: number; used: number; nextOver: number | undefined }
}

type Share = [held: number, free: number, at: number, overAt: number, nextOver: number]

/** Tells all of these, each of another key, and answers in their order. */
export async function exchangeShares(
  sql: Sql,
  process: string,
  told: readonly ShareReport[],
  now: number,
): Promise<ShareReply[]> {
  const accounts = told.map(one => one.accountId)
  const keys = told.map(one => one.keyId)
  const words = told.map(one =>
    JSON.stringify([one.held, one.free, one.waiting, one.perMinute, one.overAt, one.nextOver]),
  )
  const until = new Date(Math.max(...told.map(one => one.overAt))).toISOString()
  // In the order of keys, so that two processes never wait in a circle.
  const rows = await sql<{ key_id: string; shares: string }[]>`
    insert into rate_share as s (account_id, key_id, until, shares)
    select account_id, key_id, ${until}::text::timestamptz, carnet_share('{}', ${process}::text, told::jsonb, ${now}::bigint)
    from unnest(${accounts}::int[], ${keys}::text[]::uuid[], ${words}::text[]) as t(account_id, key_id, told)
    order by account_id, key_id
    on conflict (account_id, key_id) do update set until = greatest(s.until, excluded.until),
      shares = carnet_share(s.shares, ${process}::text, excluded.shares->${process}::text->5, ${now}::bigint)
    returning key_id, shares::text as shares`
  const found = new Map(rows.map(row => [row.key_id, row.shares]))
  return keys.map(key => read(JSON.parse(found.get(key) ?? '{}'), process, now))
}

function read(shares: Record<string, Share>, process: string, now: number): ShareReply {
  const others: ShareReply['others'] = { count: 0, used: 0, nextOver: undefined }
  for (const [name, [held, free, , , nextOver]] of Object.entries(shares)) {
    if (name === process) continue
    others.count++
    others.used += Math.max(0, held - free)
    if (nextOver > now && nextOver < (others.nextOver ?? Number.POSITIVE_INFINITY)) others.nextOver = nextOver
  }
  return { held: shares[process]?.[0] ?? 0, others }
}

/** Removes the rows of keys that nobody has used for a while; returns how many. For a chore. */
export async function deleteExpiredShares(sql: Sql, now: Date): Promise<number> {
  const gone = await sql`
    delete from rate_share where (account_id, key_id) in (
      select account_id, key_id from rate_share where until < ${now} limit 1000 for update skip locked)`
  return gone.count
}
