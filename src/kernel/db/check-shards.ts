/** Checks that each shard has the tables of `public` and the same migrations. */
import { listShardTables } from './create-shard.ts'
import type { Sql } from './database.ts'
import { getShardSchema, readShards } from './shards.ts'

/** Sentences about shards that are missing, are behind, or have other tables than `public`. */
export async function findShardProblems(sql: Sql): Promise<string[]> {
  const shards = await readShards(sql)
  return [
    ...(await findUnequalMigrations(sql, shards)),
    ...(await findOtherColumns(sql, shards.map(getShardSchema))),
  ]
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

/** On a node that has no tables of shards in `public` there is nothing to compare with. */
async function findOtherColumns(sql: Sql, schemas: readonly string[]): Promise<string[]> {
  const tables = await listShardTables(sql)
  if (tables.length === 0) return []
  const rows = await sql<{ name: string; columns: string }[]>`
    with columns as (
      select n.nspname::text as schema, c.relname::text as name, a.attname::text as attname,
        concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end) as type
      from pg_namespace n join pg_class c on c.relnamespace = n.oid join pg_attribute a on a.attrelid = c.oid
      where c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
    ), expected as (
      select s.schema, c.name, c.attname, c.type from columns c, unnest(${`{${schemas}}`}::text::text[]) s(schema)
      where c.schema = 'public' and c.name = any(${`{${tables}}`}::text::text[])
    ), found as (
      select * from columns where schema = any(${`{${schemas}}`}::text::text[])
    )
    select schema || '.' || name as name, string_agg(attname, ', ' order by attname) as columns
    from expected e full join found f using (schema, name, attname)
    where e.type is distinct from f.type group by schema, name order by schema, name`
  return rows.map(
    ({ name, columns }) =>
      `${name} differs from the table in public in ${columns}: somebody has changed one of them by hand`,
  )
}
