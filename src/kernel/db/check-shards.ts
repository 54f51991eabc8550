/** Checks that each shard has the tables of `public` and the same migrations. */
import { readCatalog } from './citus.ts'
import { IS_NO_PART, SELECT_SHARD_TABLES } from './create-shard.ts'
import type { Sql } from './database.ts'
import { getShardSchema, readShards, SHARD_NAME } from './shards.ts'

/** Sentences about shards that are missing, are behind, or have other tables than `public`. */
export async function findShardProblems(sql: Sql): Promise<string[]> {
  const shards = await readShards(sql)
  return [...(await findUnequalMigrations(sql, shards)), ...(await findOtherColumns(sql))]
}

async function findUnequalMigrations(sql: Sql, shards: readonly number[]): Promise<string[]> {
  const [newest] = await sql<{ number: number }[]>`select max(number) as number from schema_migration`
  const rows = await sql<{ shard: number; number: number }[]>`select shard, number from shard_migration`
  const numbers = new Map(rows.map(row => [row.shard, row.number]))
  const missing = [...numbers.keys()].filter(shard => !shards.includes(shard))
  const behind = shards.filter(shard => numbers.get(shard) !== newest?.number)
  return [
    ...missing.map(shard => `the schema ${getShardSchema(shard)} is missing: restore it from a backup`),
    ...behind.map(
      shard =>
        `${getShardSchema(shard)} has the migrations up to ${numbers.get(shard) ?? 'an unknown one'}, public up to ${newest?.number}: restore it from a backup`,
    ),
  ]
}

async function findOtherColumns(sql: Sql): Promise<string[]> {
  const rows = await readCatalog<{ name: string; columns: string }>(
    sql,
    `with columns as (
      select n.nspname::text as schema, c.relname::text as name, a.attname::text as attname,
        concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end) as type
      from pg_namespace n join pg_class c on c.relnamespace = n.oid join pg_attribute a on a.attrelid = c.oid
      where c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped and c.${IS_NO_PART}
    ), expected as (
      select s.nspname::text as schema, c.name, c.attname, c.type
      from columns c join (${SELECT_SHARD_TABLES}) t on t.name = c.name, pg_namespace s
      where c.schema = 'public' and s.nspname ~ '${SHARD_NAME.source}'
    ), found as (
      select * from columns where schema ~ '${SHARD_NAME.source}'
    )
    select schema || '.' || name as name, string_agg(attname, ', ' order by attname) as columns
    from expected e full join found f using (schema, name, attname)
    where e.type is distinct from f.type group by schema, name order by schema, name`,
  )
  return rows.map(
    ({ name, columns }) =>
      `${name} differs from the table in public in ${columns}: somebody has changed one of them by hand`,
  )
}
