/** When a key was last used, to the minute: collected in memory and written together. */
import type { Sql } from '../../kernel/db/database.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'

const keyUses = perSharedDatabase(
  (_sql: Sql) => new Map<string, { accountId: number; minute: number; written: number }>(),
)
const MINUTE_MS = 60_000

export function recordKeyUse(sql: Sql, key: { keyId: string; accountId: number }, now: Date): void {
  const minute = Math.floor(now.getTime() / MINUTE_MS)
  const entry = keyUses(sql).get(key.keyId)
  if (entry === undefined) keyUses(sql).set(key.keyId, { accountId: key.accountId, minute, written: 0 })
  else entry.minute = minute
}

/** Writes the minutes that changed since the last call, on a timer and at shutdown. */
export async function flushKeyUse(sql: Sql): Promise<void> {
  const changed = [...keyUses(sql)].filter(([, entry]) => entry.minute > entry.written)
  if (changed.length === 0) return
  const ids = changed.map(([id]) => id)
  const accounts = changed.map(([, entry]) => entry.accountId)
  const times = changed.map(([, entry]) => new Date(entry.minute * MINUTE_MS).toISOString())
  await sql`
    update api_key k set last_used_at = greatest(k.last_used_at, u.at)
    from unnest(${ids}::text[]::uuid[], ${accounts}::int[], ${times}::text[]::timestamptz[]) as u(id, account_id, at)
    where k.id = u.id and k.account_id = u.account_id`
  for (const [, entry] of changed) entry.written = Math.max(entry.written, entry.minute)
}
