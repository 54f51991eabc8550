/** Connections for work on the whole database or account. */
import type { Sql } from '../kernel/db/database.ts'
import { getSearchPath } from '../kernel/db/shards.ts'

/** Closes the pool when `work` ends, even in the middle of a table. */
export async function withPool<T>(openPool: () => Sql, work: (pool: Sql) => Promise<T>): Promise<T> {
  const pool = openPool()
  try {
    return await work(pool)
  } finally {
    await pool.end({ timeout: 0 })
  }
}

/** Runs `work` on one snapshot, without locks that block writers. `prepare` runs before the snapshot. */
export const withSnapshot = <T>(
  openPool: () => Sql,
  work: (sql: Sql) => Promise<T>,
  prepare?: (sql: Sql) => Promise<void>,
): Promise<T> =>
  withPool(openPool, async pool => {
    const sql = await pool.reserve()
    await prepare?.(sql)
    await sql`begin isolation level repeatable read read only`
    await sql`set local statement_timeout = 0`
    await sql`set local idle_in_transaction_session_timeout = 0`
    return work(sql)
  })

/** The following statements of the transaction are for the tables of this shard; null: of `public`. */
export async function enterSchema(sql: Sql, shard: number | null): Promise<void> {
  if (shard === null) await sql`set local search_path to default`
  else await sql`select set_config('search_path', ${getSearchPath(shard)}, true)`
}
