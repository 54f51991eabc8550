/**
 * `bytes`: the bytes of a plain item in `passport`, its indexes and `passport_version`, with 1,000,000 items
 * under one model.
 */
import type { Bench, BenchDatabase } from './environment.ts'
import { issue, models } from './units.ts'

const MANY = 1_000_000
const LIMIT = 480

export const bytesRows: Bench = async stage => {
  const hall = await stage.openDatabase('bytes')
  const tenant = await stage.createTenant(hall)
  const [model = ''] = await models(hall, tenant, 1)
  const before = await sizes(hall)
  const started = performance.now()
  await issue(hall, tenant, { under: model, level: 'item', count: MANY })
  stage.log(`issued ${MANY} items in ${((performance.now() - started) / 1000).toFixed(0)} s`)
  const after = await sizes(hall)
  const each = (name: string) => ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / MANY
  for (const name of after.keys()) stage.log(`  ${name.padEnd(24)}${each(name).toFixed(1).padStart(8)}`)
  const bytes = [...after.keys()].reduce((sum, name) => sum + each(name), 0)
  const unit = 'bytes a plain item at 1,000,000, its indexes included'
  return [{ row: 'bytes', ours: bytes, limit: LIMIT, ratio: bytes / LIMIT, unit }]
}

/**
 * Bytes of the two tables and of each of their indexes. Together they equal pg_total_relation_size of the
 * tables.
 */
async function sizes({ sql }: BenchDatabase): Promise<Map<string, number>> {
  const rows = await sql<{ name: string; bytes: number }[]>`
    select t.relname as name, pg_table_size(t.oid) as bytes from pg_class t
    where t.oid in ('passport'::regclass, 'passport_version'::regclass)
    union all
    select i.indexrelid::regclass::text, pg_relation_size(i.indexrelid) from pg_index i
    where i.indrelid in ('passport'::regclass, 'passport_version'::regclass)`
  return new Map(rows.map(row => [row.name, row.bytes]))
}
