/** Counts passports with free-form keys that have become fields: they stay private until sent again. */
import { allCategories, type CompleteCategory } from '../../categories/catalogue.ts'
import type { Sql } from '../../kernel/db/database.ts'

/** Models and units with keys of their own, on one shard. Reads all passports of earlier schema versions. */
export async function countWithPrivateKeys(sql: Sql): Promise<number> {
  let total = 0
  for (const category of allCategories()) total += await countInCategory(sql, category)
  return total
}

async function countInCategory(sql: Sql, { id, fields, schemaVersion }: CompleteCategory): Promise<number> {
  let n = 0
  for (let version = 1; version < schemaVersion; version++) {
    const names = fields.filter(({ since = 1 }) => since > version).map(({ name }) => name)
    const [row] = await sql<{ n: number }[]>`
      select count(*)::bigint as n from passport p join content c on c.id = p.content_id and c.account_id = p.account_id
      where p.category = ${id} and p.schema_version = ${version} and case when p.parent_id is null
        then jsonb_exists_any(c.data, ${names}::text[]) else jsonb_exists_any(p.own, ${names}::text[]) end`
    n += row?.n ?? 0
  }
  return n
}
