/** Makes room for a restore: the store must be empty, and gets the tables of the backup's version. */
import { ONE_CONNECTION_PER_NODE } from '../../kernel/db/citus.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShardSchema } from '../../kernel/db/shards.ts'
import { asSql } from '../../kernel/db/transaction.ts'
import { invalidInput } from '../../kernel/errors/errors.ts'
import { enterSchema } from '../snapshot.ts'
import { listBackupTables } from '../tables.ts'

/** Tables whose rows come from migrations. */
const MADE_BY_MIGRATIONS = new Set(['plan', 'scan_cleaning'])

/** Throws `validation` if any table of a backup has a row, or if there are tables that are not Carnet's. */
export async function requireEmptyStore(pool: Sql, shards: readonly number[]): Promise<void> {
  for (const schema of [null, ...shards]) {
    await pool.begin(async tx => {
      await enterSchema(asSql(tx), schema)
      await requireEmptySchema(asSql(tx))
    })
  }
}

async function requireEmptySchema(sql: Sql): Promise<void> {
  const [ours] = await sql<{ made: boolean }[]>`select to_regclass('schema_migration') is not null as made`
  for (const { name } of await listBackupTables(sql)) {
    if (!ours?.made)
      throw invalidInput(
        `The database has a table ${name} that is not Carnet's. Restore into an empty database.`,
      )
    if (MADE_BY_MIGRATIONS.has(name)) continue
    const [row] = await sql`select 1 from ${sql(name)} limit 1`
    if (row !== undefined)
      throw invalidInput(
        `The store is not empty: its table ${name} has rows. Restore into a new DATA_DIR or a new database.`,
      )
  }
}

/** Drops the empty tables, so that migrations can create them as they were at the time of the backup. */
export async function dropTables(pool: Sql, shards: readonly number[]): Promise<void> {
  for (const shard of shards) {
    await pool.begin(async tx => {
      await tx.unsafe(ONE_CONNECTION_PER_NODE)
      await lockEmptyTables(asSql(tx), shard)
      await tx`drop schema ${tx(getShardSchema(shard))} cascade`
    })
  }
  await pool.begin(async tx => {
    if (shards.length > 0) await tx.unsafe(ONE_CONNECTION_PER_NODE)
    for (const name of await lockEmptyTables(asSql(tx), null)) await tx`drop table ${tx(name)} cascade`
    const routines = await tx<{ signature: string }[]>`
      select p.oid::regprocedure::text as signature from pg_proc p
      where p.pronamespace = current_schema()::regnamespace and p.proname like 'carnet\\_%'
        and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`
    for (const { signature } of routines) await tx.unsafe(`drop routine if exists ${signature} cascade`)
  })
}

async function lockEmptyTables(sql: Sql, shard: number | null): Promise<string[]> {
  await enterSchema(sql, shard)
  await sql`set local lock_timeout = '5s'`
  const tables = await sql<{ name: string }[]>`
    select c.relname::text as name from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')`
  const names = tables.map(table => table.name)
  if (names.length > 0) await sql`lock table ${sql(names)} in access exclusive mode`
  await requireEmptySchema(sql)
  return names
}
