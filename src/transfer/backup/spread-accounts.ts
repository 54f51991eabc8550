/** Moves the accounts of a restored database without shards onto shards. */

import { listAccountSizes, setShard } from '../../accounts/placement/restored-shards.ts'
import { ONE_CONNECTION_PER_NODE, replaceShards } from '../../kernel/db/citus.ts'
import { listShardTables } from '../../kernel/db/create-shard.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShardSchema } from '../../kernel/db/shards.ts'
import { asSql } from '../../kernel/db/transaction.ts'
import { listBackupTables } from '../tables.ts'

/**
 * Moves all accounts of a restored database from `public` onto its shards, which it creates: the largest
 * first, each to the shard with the fewest passports. `record` runs in the same transaction.
 */
export async function spreadAccounts(
  pool: Sql,
  shards: readonly number[],
  record: (sql: Sql) => Promise<void>,
): Promise<void> {
  await replaceShards(pool, shards)
  await pool.begin(async tx => {
    const sql = asSql(tx)
    await sql`set local statement_timeout = 0`
    await sql.unsafe(ONE_CONNECTION_PER_NODE)
    const names = await listShardTables(sql)
    const tables = (await listBackupTables(sql)).filter(
      ({ name, columns }) => names.includes(name) && columns.includes('account_id'),
    )
    for (const { shard, accounts } of await distributeAccounts(sql, shards)) {
      for (const { name, columns } of tables) {
        await sql`
          insert into ${sql(getShardSchema(shard))}.${sql(name)} (${sql(columns)})
          select ${sql(columns)} from ${sql(name)} where account_id = any(${accounts}::int[])`
      }
      await setShard(sql, accounts, shard)
    }
    await deleteRows(
      sql,
      tables.map(table => table.name),
    )
    await record(sql)
  })
}

async function distributeAccounts(
  sql: Sql,
  shards: readonly number[],
): Promise<{ shard: number; passports: number; accounts: number[] }[]> {
  const sizes = await listAccountSizes(sql)
  const loads = shards.map(shard => ({ shard, passports: 0, accounts: [] as number[] }))
  for (const { id, passports } of sizes) {
    const [least] = loads.toSorted(
      (a, b) => a.passports - b.passports || a.accounts.length - b.accounts.length,
    )
    if (least === undefined) break
    least.accounts.push(id)
    least.passports += passports
  }
  return loads.filter(load => load.accounts.length > 0)
}

/** Triggers refuse to delete versions. */
async function deleteRows(sql: Sql, tables: readonly string[]): Promise<void> {
  for (const name of tables) await sql`alter table ${sql(name)} disable trigger user`
  await sql`truncate ${sql([...tables])}`
  for (const name of tables) await sql`alter table ${sql(name)} enable trigger user`
}
