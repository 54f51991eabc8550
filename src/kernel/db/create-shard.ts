/** Creates shards: each gets the tables of `public` that are not shared, as the migrations have left them. */
import type postgres from 'postgres'
import { getSearchPath, getShardSchema, MAX_SHARDS, SHARED_TABLES } from './shards.ts'

type Tx = postgres.TransactionSql

/** The class of Carnet's advisory locks (`CARN` in ASCII), and the lock of migrations in it. */
const LOCK_CLASS = 0x43_41_52_4e
const MIGRATING = 3

/** Until the transaction ends, no other one migrates the database or creates a shard. */
export async function lockSchemas(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCK_CLASS}::int, ${MIGRATING}::int)`
}

/**
 * Creates the schema `shard_N` with its tables, and the rows of no account, which migrations have inserted.
 * Call it as their owner, in a transaction. Throws if it exists.
 */
export async function createShard(tx: Tx, shard: number): Promise<void> {
  if (!(Number.isInteger(shard) && shard >= 1 && shard <= MAX_SHARDS))
    throw new RangeError(`no shard: ${shard}`)
  await lockSchemas(tx)
  const schema = getShardSchema(shard)
  const tables = await listShardTables(tx)
  await tx.unsafe(`create schema ${schema}`)
  for (const table of tables) {
    await tx.unsafe(`create table ${schema}.${table} (like public.${table} including all excluding indexes)`)
  }
  for (const table of await listTablesWithoutAccount(tx, tables))
    await tx.unsafe(`insert into ${schema}.${table} select * from public.${table}`)
  const statements = await describeTables(tx, schema, tables)
  await tx`select set_config('search_path', ${getSearchPath(shard)}, true)`
  for (const statement of statements) await tx.unsafe(statement)
  await tx`select set_config('search_path', 'public', true)`
  await tx`
    insert into shard_migration (shard, number)
    select ${shard}::smallint, max(number) from schema_migration`
}

async function listTablesWithoutAccount(tx: Tx, tables: readonly string[]): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select t.name from unnest(${`{${tables}}`}::text::text[]) t(name)
    where not exists (select from pg_attribute a
      where a.attrelid = to_regclass('public.' || t.name) and a.attname = 'account_id' and not a.attisdropped)`
  return rows.map(({ name }) => name)
}

/** SQL: a table of `pg_class` is not one in which a node keeps a part of another. */
export const IS_NO_PART = "relname !~ '_[0-9]{6,}$'"

/** SQL: the tables of `public` that each shard has, by name. The coordinator of a cluster has them all. */
export const SELECT_SHARD_TABLES = `
  select c.relname::text as name from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and c.relowner = (select relowner from pg_class where oid = 'public.schema_migration'::regclass)
    and c.relname <> all('{${SHARED_TABLES}}'::name[]) and c.${IS_NO_PART}
  order by c.relname`

/** The tables of `public` that each shard has, by name. */
export async function listShardTables(sql: postgres.Sql | Tx): Promise<string[]> {
  const rows = await sql.unsafe<{ name: string }[]>(SELECT_SHARD_TABLES)
  return rows.map(({ name }) => name)
}

/**
 * The parts that `like` leaves out, as statements: storage parameters, indexes, keys, then foreign keys and
 * triggers, without the trigger for servers that know no shards: Citus has no transition tables. The catalog
 * prints names of `public` without their schema, so `search_path` leads them to the shard.
 */
async function describeTables(tx: Tx, schema: string, tables: readonly string[]): Promise<string[]> {
  await tx`select set_config('search_path', 'public', true)`
  const rows = await tx<{ statement: string }[]>`
    with tables as (
      select oid, relname, reloptions from pg_class
      where relnamespace = 'public'::regnamespace and relname = any(${`{${tables}}`}::text::name[])
    )
    select statement from (
      select 1 as step, relname::text as name,
        format('alter table %I set (%s)', relname, array_to_string(reloptions, ', ')) as statement
      from tables where reloptions is not null
      union all
      select 2, t.relname || a.attname,
        format('alter table %I alter column %I set statistics %s', t.relname, a.attname, a.attstattarget)
      from tables t join pg_attribute a on a.attrelid = t.oid
      where a.attnum > 0 and not a.attisdropped and a.attstattarget > 0
      union all
      select case k.contype when 'f' then 5 else 3 end, k.conname,
        format('alter table %I add constraint %I %s', t.relname, k.conname, pg_get_constraintdef(k.oid))
      from tables t join pg_constraint k on k.conrelid = t.oid where k.contype in ('p', 'u', 'x', 'f')
      union all
      select 4, i.indexrelid::regclass::text,
        replace(pg_get_indexdef(i.indexrelid), ' ON public.', ${` ON ${schema}.`})
      from tables t join pg_index i on i.indrelid = t.oid
      where not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
      union all
      select 6, g.tgname, pg_get_triggerdef(g.oid, true)
      from tables t join pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal and g.tgnewtable is null
    ) s
    order by step, name`
  return rows.map(({ statement }) => statement)
}
