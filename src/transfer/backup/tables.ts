/** Which tables a backup holds: all that the catalog knows but these, so that a new one is never forgotten. */
import type { Sql } from '../../kernel/db/database.ts'

/** With the reason. Unlogged tables are left out as well: after a crash they are empty anyway. */
export const EXCLUDED_TABLES: Readonly<Record<string, string>> = {
  schema_migration: 'written by the migrations that a restore applies; the file says which',
  scan_salt:
    'destroyed after two days, so that nobody can ever tell who read what; a copy would outlive them',
  scan_visitor: 'who read what under those salts; worth nothing without them',
  scan_item_hour: 'the same for items',
  scan_writer: 'of processes that are gone',
  webhook_lease: 'of processes that are gone',
  idempotency_key: 'answers of the last day to requests that may not have happened in the state restored',
  person_session: 'people sign in again',
  sign_in_attempt: 'counts of the last minutes',
  one_time_link: 'secrets that are over within days; the command line makes new ones',
  password_link: 'secrets that are over within days; the command line makes new ones',
  passkey_challenge: 'secrets of a minute',
}

export type BackupTable = { name: string; columns: string[] }

/** Those that others refer to come first. */
export async function listBackupTables(sql: Sql): Promise<BackupTable[]> {
  const tables = await sql<(BackupTable & { needs: string[] })[]>`
    select c.relname::text as name,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
      array(select f.confrelid::regclass::oid::text from pg_constraint f
        where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as needs,
      c.oid::text as oid
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.relname`
  const left = tables.filter(table => !Object.hasOwn(EXCLUDED_TABLES, table.name))
  return inOrder(left as (BackupTable & { needs: string[]; oid: string })[])
}

function inOrder(tables: readonly (BackupTable & { needs: string[]; oid: string })[]): BackupTable[] {
  const byOid = new Map(tables.map(table => [table.oid, table]))
  const ordered = new Set<(typeof tables)[number]>()
  const visit = (table: (typeof tables)[number]) => {
    if (ordered.has(table)) return
    for (const oid of table.needs) {
      const needed = byOid.get(oid)
      if (needed !== undefined) visit(needed)
    }
    ordered.add(table)
  }
  for (const table of tables) visit(table)
  return [...ordered].map(({ name, columns }) => ({ name, columns }))
}
