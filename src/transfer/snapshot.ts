/** Reads for long from one snapshot of the database, without locks that block writers. */
import type { Sql } from '../kernel/db/database.ts'

/** Closes the pool of one connection when `work` ends, even in the middle of a table. */
export async function withSnapshot<T>(openPool: () => Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
  const pool = openPool()
  try {
    const sql = await pool.reserve()
    await sql`begin isolation level repeatable read read only`
    await sql`set local statement_timeout = 0`
    await sql`set local idle_in_transaction_session_timeout = 0`
    return await work(sql)
  } finally {
    await pool.end({ timeout: 0 })
  }
}
