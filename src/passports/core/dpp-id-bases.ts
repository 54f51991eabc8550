/** The addresses with which identifiers of documents begin: they outlive a change of PUBLIC_URL. */
import type { Sql } from '../../kernel/db/database.ts'

type Pinning = { configured: string | undefined; publicUrl: string; now: Date }

/**
 * Pins the configured address; without one, that of the first start stays. Returns all, the current first.
 */
export async function pinDppIdBase(sql: Sql, pinning: Pinning): Promise<readonly string[]> {
  const { configured, publicUrl, now } = pinning
  const bases = await readDppIdBases(sql)
  const base = configured ?? bases[0] ?? publicUrl
  if (base === bases[0]) return bases
  await sql`
    insert into dpp_id_base (base, pinned_at) values (${base}, ${now})
    on conflict (base) do update set pinned_at = excluded.pinned_at`
  return readDppIdBases(sql)
}

/**
 * The current one first; empty before the first start, in a database that is not migrated yet, and for a user
 * who may not read it: whatever comes next says so.
 */
export async function readDppIdBases(sql: Sql): Promise<readonly string[]> {
  const [table] = await sql`select where has_table_privilege(to_regclass('public.dpp_id_base'), 'select')`
  if (table === undefined) return []
  const rows = await sql<{ base: string }[]>`select base from dpp_id_base order by pinned_at desc, base`
  return rows.map(({ base }) => base)
}
