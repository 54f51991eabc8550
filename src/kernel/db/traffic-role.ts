/** Grants rights to the role that requests use: it may write rows, but not change append-only tables. */
import type postgres from 'postgres'
import { SHARD_NAME } from './shards.ts'

/** Triggers also ensure that rows are only added: the history of every passport, what was measured,
 * and the audit log. */
export const APPEND_ONLY_TABLES = [
  'content',
  'passport_version',
  'passport_status',
  'audit_entry',
  'measurement',
] as const
/** Only the owner writes to them. */
const READ_ONLY_TABLES = ['schema_migration', 'shard_migration']

/**
 * Call it as the owner, after migrations. Grants rights on all tables of the owner, also those of shards,
 * unless the role already has exactly these rights. Locks no table.
 */
export async function grantTraffic(sql: postgres.Sql | postgres.TransactionSql, role: string): Promise<void> {
  const schemas = await sql<{ schema: string; tables: string[]; sequences: string[] }[]>`
    with ours as (
      select n.nspname, c.oid, c.relkind, c.relname, format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where (n.nspname = current_schema() or n.nspname ~ ${SHARD_NAME.source}) and c.relkind in ('r', 'p', 'S')
        and c.relowner = (select relowner from pg_class where oid = to_regclass('schema_migration')))
    select quote_ident(nspname) as schema,
      coalesce(json_agg(name) filter (where relkind <> 'S'), '[]') as tables,
      coalesce(json_agg(name) filter (where relkind = 'S'), '[]') as sequences
    from ours group by nspname
    having not bool_and(has_schema_privilege(${role}, nspname, 'usage') and case
        when relkind = 'S' then has_sequence_privilege(${role}, oid, 'usage')
          and has_sequence_privilege(${role}, oid, 'update')
        else has_table_privilege(${role}, oid, 'select')
          and has_table_privilege(${role}, oid, 'insert') = (relname <> all(${`{${READ_ONLY_TABLES}}`}::text::name[]))
          and has_table_privilege(${role}, oid, 'update')
            = (relname <> all(${`{${[...READ_ONLY_TABLES, ...APPEND_ONLY_TABLES]}}`}::text::name[]))
        end)
    order by nspname`
  for (const { schema, tables, sequences } of schemas) {
    const to = `to ${quote(role)}`
    const from = `from ${quote(role)}`
    const named = (names: readonly string[]) =>
      tables.filter(table => names.includes(table.slice(schema.length + 1)))
    const statements = [
      `grant usage on schema ${schema} ${to}`,
      `grant select, insert, update, delete on ${tables.join()} ${to}`,
      ...(sequences.length === 0
        ? []
        : [`grant usage, select, update on sequence ${sequences.join()} ${to}`]),
      ...revoke('update, delete, truncate', named(APPEND_ONLY_TABLES), from),
      ...revoke('insert, update, delete, truncate', named(READ_ONLY_TABLES), from),
    ]
    for (const statement of statements) await sql.unsafe(statement)
  }
}

const revoke = (rights: string, tables: readonly string[], from: string): string[] =>
  tables.length === 0 ? [] : [`revoke ${rights} on ${tables.join()} ${from}`]

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
