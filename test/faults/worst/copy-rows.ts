/** Fills every table with rows of another account, copied by SQL from those of the account that is called. */
import type postgres from 'postgres'

type Column = { name: string; type: string; isRequired: boolean; isUnique: boolean }

type Copying = { from: number; to: number; count: number }

/** Tables whose rows belong to no account or are one for each, and those that `fill` and `fillItems` write. */
const LEFT_OUT = [
  'account',
  'plan',
  'schema_migration',
  'shard_migration',
  'dpp_id_base',
  'scan_cleaning',
  'passport',
  'content',
  'content_units',
  'passport_count',
  'account_usage',
  'one_time_link',
]
/** Texts that a check limits to some words. */
const WORDS = ['kind', 'form', 'purpose', 'country', 'category']

/** Rows that no call leaves behind; `$1` is the account. */
const SEEDS = [
  `scan_day (account_id, day, scans, uniques, crawlers, passport_id, of, device, country)
    select $1, current_date - (row_number() over ())::int % 60, 3, 2, 1, id, level, 'm', 'DE' from own`,
  `scan_total (account_id, scans, next_milestone, passport_id) select $1, 3, 100, id from own`,
  `scan_account_span (account_id, days, first_day, scans, uniques, crawlers, counts) values ($1, 1, current_date, 5, 4, 1, '{}')`,
  `scan_model_span (account_id, first_day, scans, model_id, days, magnitude)
    select $1, current_date, 5, id, 1, 3 from own where level = 'm'`,
  `scan_item_hour (hour, account_id, scans, passport_id, visitor, before, country)
    select date_trunc('hour', now()), $1, 1, id, gen_random_uuid(), gen_random_uuid(), 'DE' from own`,
  `scan_visitor (day, account_id, slot, visitor) select current_date, $1, 1, id from own`,
  `registry_entry (account_id, passport_id, change_no, checked_no, state, level, version_no)
    select $1, id, 1, 1, 'ready', level, 1 from own`,
  `draft (account_id, id, category, data, created_at, created_by, updated_at)
    select $1, id, category, '{"productName":"x"}', now(), 0, now() from own`,
  `credential_status (account_id, passport_id, first_version, list_no, list_index, created_at)
    select $1, id, 1, 1, row_number() over (), now() from own`,
  `daily_root (account_id, until, versions, root, created_at) values ($1, current_date, 3, sha256('x'), now())`,
  `daily_root_block (account_id, until, number, first_passport, first_version, root, commitments)
    select $1, current_date, 0, id, 1, sha256('x'), sha256('y') from own limit 1`,
  `idempotency_key (created_at, account_id, status, fingerprint, key) values (now(), $1, 200, sha256('x'), 'k')`,
  `refresh_job (created_at, finished_at, alive_at, account_id, actor_id, refreshed, id, passport_id, skipped, failed)
    select now(), now(), now(), $1, 0, 1, id, id, '{}', '[]' from own limit 1`,
  `released_gtin (gtin14, account_id, model_id, released_at) select '04006381333931', $1, id, now() from own limit 1`,
  `signed_document (account_id, passport_id, kind, document_hash, key_number, signature, created_at)
    select $1, id, 'en', sha256('x'), 1, 'x', now() from own`,
]

/** Without checks of other tables. Returns the tables that have no row to copy. */
export async function copyRows(sql: postgres.Sql, copying: Copying): Promise<string[]> {
  await sql`set session_replication_role = replica`
  for (const seed of SEEDS) await insertSeed(sql, seed, copying.from)
  const tables = await listTables(sql)
  const empty: string[] = []
  for (const [table, columns] of tables)
    if (!(await copyTable(sql, table, columns, copying))) empty.push(table)
  return empty
}

async function insertSeed(sql: postgres.Sql, seed: string, account: number): Promise<void> {
  const [table = '', ...rest] = seed.split(/(?<=\))\s+(?=select|values)/)
  const own = `with own as (select * from passport where account_id = ${account} order by id limit 100)`
  await sql.unsafe(
    `${own} insert into ${table} ${rest.join(' ')} on conflict do nothing`.replaceAll('$1', String(account)),
  )
}

async function listTables(sql: postgres.Sql): Promise<Map<string, Column[]>> {
  const rows = await sql<(Column & { table: string })[]>`
    select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull as "isRequired",
      exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = any(i.indkey)) as "isUnique"
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attgenerated = ''
    order by c.relname, a.attnum`
  const tables = Map.groupBy(rows, row => row.table)
  for (const table of LEFT_OUT) tables.delete(table)
  return tables
}

async function copyTable(
  sql: postgres.Sql,
  table: string,
  columns: readonly Column[],
  { from, to, count }: Copying,
): Promise<boolean> {
  const hasAccount = columns.some(({ name }) => name === 'account_id')
  const values = columns.map(column => (column.name === 'account_id' ? String(to) : vary(table, column)))
  const { count: copied } = await sql.unsafe(`
    with old as materialized (
      select *, row_number() over () as place from ${table} ${hasAccount ? `where account_id = ${from}` : ''} limit 50)
    insert into ${table} (${columns.map(({ name }) => name).join()}) overriding system value
    select ${values.join()} from generate_series(1, ${count}) g join old x on x.place = 1 + g % (select count(*) from old)
    on conflict do nothing`)
  return copied > 0
}

/** The column of row `x`, or another value for each `g` where it must be unique. UUIDs agree between tables. */
function vary(table: string, { name, type, isRequired, isUnique }: Column): string {
  const old = `x.${name}`
  if (type === 'uuid') return `case when ${old} is null then null else md5('x' || g)::uuid end`
  // No worker may send what was copied.
  if (table === 'webhook_delivery' && name === 'due_at') return `'2099-01-01'`
  if (name === 'prefix_digits') return `substr(lpad(g::text, 14, '0'), 5, 4)`
  if (!isUnique || WORDS.includes(name)) return old
  if (type === 'integer' || type === 'bigint') return 'g'
  if (type === 'smallint') return isRequired ? old : 'null'
  if (type === 'bytea') return 'sha256(g::text::bytea)'
  if (type === 'date') return `${old} - g % 300`
  if (type.startsWith('timestamp')) return `${old} - g * interval '1 second'`
  if (type !== 'text') return old
  if (name === 'gtin14') return `lpad(g::text, 14, '0')`
  return `case when ${old} ~ '^[0-9a-f]{64}$' then encode(sha256(g::text::bytea), 'hex') else left(${old}, 20) || g end`
}
