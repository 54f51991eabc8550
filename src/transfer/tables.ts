/** Tables to back up or move: all in the catalogue except those excluded here, so that none is forgotten. */
import type { Sql } from '../kernel/db/database.ts'

/** Each with its reason. Unlogged tables are excluded too, because a crash empties them anyway. */
export const EXCLUDED_TABLES: Readonly<Record<string, string>> = {
  schema_migration: 'written by the migrations that a restore applies; the header lists them',
  shard_migration: 'written when a shard is created or migrated',
  scan_salt: 'deleted after two days, so that nobody can find out who read what; a copy would outlive them',
  scan_visitor: 'hashes of readers under those salts; useless without them',
  scan_item_hour: 'hashes of the readers of items, for the same reason',
  scan_writer: 'batch numbers of processes that have ended',
  webhook_lease: 'leases of processes that have ended',
  public_media: 'derived from references; servers write it again',
  readiness_facts: 'derived from the data; servers write it again',
  rate_share: 'requests of the current minute; not logged without shards',
  idempotency_key: 'responses of the last day to requests that may not be part of the restored state',
  person_session: 'sessions; people sign in again',
  sign_in_attempt: 'counts of sign-ins in the last minutes',
  one_time_link: 'secrets that expire within days; the command line makes new ones',
  password_link: 'secrets that expire within days; the command line makes new ones',
  browser_link: 'secrets that expire within half an hour; people ask for new ones',
  passkey_challenge: 'secrets that expire within a minute',
}

/** Processes write these again; nobody misses their rows when an account is moved to another shard. */
const UNMOVED_TABLES = ['webhook_lease', 'rate_share']

/** Servers write these again, perhaps while an account is moved: they are deleted with it, but not copied. */
export const DERIVED_TABLES: readonly string[] = ['readiness_facts']

export type BackupTable = { name: string; columns: string[] }
/** `needs`: oids of the tables that it references. */
type CatalogTable = BackupTable & { needs: string[]; oid: string }

/** Those of the current schema. Referenced tables come before the tables that reference them. */
export const listBackupTables = (sql: Sql): Promise<BackupTable[]> =>
  listTables(sql, ({ name }) => !Object.hasOwn(EXCLUDED_TABLES, name))

/** Those of the current schema with rows of accounts, in the same order. */
export const listAccountTables = (sql: Sql): Promise<BackupTable[]> =>
  listTables(sql, ({ name, columns }) => columns.includes('account_id') && !UNMOVED_TABLES.includes(name))

async function listTables(sql: Sql, isWanted: (table: BackupTable) => boolean): Promise<BackupTable[]> {
  const tables = await sql<CatalogTable[]>`
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
  return sortByReferences(tables.filter(isWanted))
}

function sortByReferences(tables: readonly CatalogTable[]): BackupTable[] {
  const byOid = new Map(tables.map(table => [table.oid, table]))
  const ordered = new Set<CatalogTable>()
  const visit = (table: CatalogTable) => {
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
