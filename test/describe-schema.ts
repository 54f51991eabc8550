/** Describes the tables that each shard has, to compare the schema of a shard with `public`. */
import type postgres from 'postgres'

/**
 * Columns, constraints, indexes, triggers and storage of a schema, in words without the schema's name. One trigger is for
 * servers of the version before, which know no shards.
 */
const DESCRIPTION = `
  with t as (select oid, relname, relnamespace, reloptions from pg_class where relkind in ('r', 'p')
    and relnamespace = $1::text::regnamespace and relname = any($2::text[]))
  select line from (
    select format('%s.%s %s %s %s %s %s', t.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      a.attstorage, a.attcompression, pg_get_expr(d.adbin, d.adrelid)) as line
    from t join pg_attribute a on a.attrelid = t.oid left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped
    union all select format('%s %s', t.relname, t.reloptions) from t
    union all select format('%s %s %s', t.relname, k.conname, pg_get_constraintdef(k.oid)) from t
      join pg_constraint k on k.conrelid = t.oid where k.contype <> 'n'
    union all select replace(pg_get_indexdef(i.indexrelid), $1 || '.', '') from t join pg_index i on i.indrelid = t.oid
    union all select replace(pg_get_triggerdef(g.oid), $1 || '.', '') from t join pg_trigger g on g.tgrelid = t.oid
      where not g.tgisinternal and g.tgname <> 'event_fans_out'
  ) s order by line collate "C"`

/** One line for each column, constraint, index and trigger of these tables. */
export async function describeSchema(
  sql: postgres.Sql,
  schema: string,
  tables: readonly string[],
): Promise<string[]> {
  return sql.begin(async tx => {
    await tx`select set_config('search_path', ${`${schema}, public`}, true)`
    const rows = await tx.unsafe<{ line: string }[]>(DESCRIPTION, [schema, `{${tables}}`])
    return rows.map(row => row.line.replaceAll(`${schema}.`, ''))
  })
}
