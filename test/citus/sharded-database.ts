/** A database of Carnet on the Citus cluster: its migrations, and shards as distributed schemas. */
import { join } from 'node:path'
import { createShard } from '../../src/kernel/db/create-shard.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { getShardSchema, SHARED_TABLES } from '../../src/kernel/db/shards.ts'
import { type CitusDatabase, type CitusNode, makeCitusDatabase } from './cluster.ts'

const MIGRATIONS = join(import.meta.dirname, '../../migrations')

/** Tables that no other machine needs, and the one that is distributed by row. */
const LOCAL_TABLES = new Set<string>(['schema_migration'])
const GTIN_CLAIM = 'gtin_claim'

/** A migrated database whose shards 1 to `shards` are distributed over the workers. */
export async function makeShardedDatabase(shards: number): Promise<CitusDatabase> {
  const database = await makeCitusDatabase()
  try {
    const { sql } = database.coordinator
    await migrate(sql, MIGRATIONS, new Date())
    await distributeSharedTables(sql)
    await distributeFunctions(sql)
    for (let shard = 1; shard <= shards; shard++) await makeDistributedShard(sql, shard)
    return database
  } catch (error) {
    await database.drop()
    throw error
  }
}

/** Shards have foreign keys to shared tables, which therefore have to be on all nodes before. */
async function distributeSharedTables(sql: CitusNode['sql']): Promise<void> {
  for (const table of SHARED_TABLES) {
    if (table === GTIN_CLAIM) await sql`select create_distributed_table(${table}, 'gtin14')`
    else if (!LOCAL_TABLES.has(table)) await sql`select create_reference_table(${table})`
  }
}

/** Citus copies a function to the workers when it is created, unless a table that it names was local then. */
async function distributeFunctions(sql: CitusNode['sql']): Promise<void> {
  await sql`
    select create_distributed_function(p.oid::regprocedure) from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`
}

/** First local, because Citus refuses some settings of columns for tables that are distributed. */
async function makeDistributedShard(sql: CitusNode['sql'], shard: number): Promise<void> {
  await sql.begin(tx => createShard(tx, shard))
  await sql`select citus_schema_distribute(${getShardSchema(shard)}::regnamespace)`
}
