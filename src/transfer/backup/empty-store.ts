/** Makes sure that a restore starts with an empty store, and never touches one that has data. */

import type { Sql } from '../../kernel/db/database.ts'
import { asSql } from '../../kernel/db/transaction.ts'
import { AppError } from '../../kernel/errors.ts'
import { listBackupTables } from './tables.ts'

/** Tables whose rows come from migrations. */
const MADE_BY_MIGRATIONS = new Set(['plan', 'scan_cleaning'])

/** Throws `validation` if any table of a backup has a row, or if there are tables that are not Carnet's. */
export async function requireEmptyStore(sql: Sql): Promise<void> {
  const [ours] = await sql<{ made: boolean }[]>`select to_regclass('schema_migration') is not null as made`
  for (const { name } of await listBackupTables(sql)) {
    if (!ours?.made) {
      const message = `The database has a table ${name} that is not Carnet's. Restore into an empty database.`
      throw new AppError('validation', message)
    }
    if (MADE_BY_MIGRATIONS.has(name)) continue
    const [row] = await sql`select 1 from ${sql(name)} limit 1`
    if (row !== undefined) {
      const message = `The store is not empty: its table ${name} has rows. Restore into a new DATA_DIR or a new database.`
      throw new AppError('validation', message)
    }
  }
}

/** Drops the empty tables, so that migrations can create them as they were when the backup was written. */
export async function dropTables(sql: Sql): Promise<void> {
  await sql.begin(async tx => {
    await tx`set local lock_timeout = '5s'`
    const tables = await tx<{ name: string }[]>`
      select c.relname::text as name from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')`
    if (tables.length > 0)
      await tx`lock table ${tx(tables.map(table => table.name))} in access exclusive mode`
    await requireEmptyStore(asSql(tx))
    for (const { name } of tables) await tx`drop table ${tx(name)} cascade`
    const routines = await tx<{ signature: string }[]>`
      select p.oid::regprocedure::text as signature from pg_proc p
      where p.pronamespace = current_schema()::regnamespace and p.proname like 'carnet\\_%'
        and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`
    for (const { signature } of routines) await tx.unsafe(`drop routine if exists ${signature} cascade`)
  })
}
