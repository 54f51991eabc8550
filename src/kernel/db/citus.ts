/** Distributes a migrated database over the nodes of a Citus cluster. */
import type postgres from 'postgres'
import { withTimeout } from '../concurrency/timeout.ts'
import { AppError } from '../errors/errors.ts'
import { createShard } from './create-shard.ts'
import { databaseUnavailable, isDistributed, perDatabase, type Sql } from './database.ts'
import { getShardSchema, readShards, SHARD_NAME, SHARED_TABLES } from './shards.ts'
import { getPool } from './transaction.ts'

/**
 * After this statement, `set local` sets the other nodes of a cluster, too. Without Citus nobody reads this
 * setting.
 */
export const PROPAGATE_SETTINGS = "set local citus.propagate_set_commands = 'local'"

/** Returns true if the database has the extension. */
export async function hasCitus(sql: Sql | postgres.TransactionSql): Promise<boolean> {
  const found = await sql`select from pg_extension where extname = 'citus'`
  return found.length === 1
}

/**
 * Creates shards until there are `count`, and distributes what accounts share before the first. Call it as
 * the owner of the tables, after the migrations. Returns the numbers of the new shards. Throws `validation`
 * without Citus, and if `public` has accounts already.
 */
export async function createShards(sql: postgres.Sql, count: number): Promise<number[]> {
  await sql`set statement_timeout = 0`
  if (!(await hasCitus(sql))) {
    throw refusal(
      'Shards need a PostgreSQL with the extension citus; this one keeps everything in one schema.',
    )
  }
  const existing = await readShards(sql)
  if (existing.length === 0) {
    if (await hasAccounts(sql)) {
      throw refusal(
        'There are accounts already, whose passports are on no shard. Create the shards in an empty database, then move each account with `carnet export` and `carnet import`.',
      )
    }
    await sql.begin(distributeNewObjects)
  }
  const first = (existing.at(-1) ?? 0) + 1
  const shards = Array.from({ length: Math.max(0, count - existing.length) }, (_, i) => first + i)
  for (const shard of shards) await createDistributedShard(sql, shard)
  return shards
}

/**
 * In a transaction that writes distributed and shared tables, Citus demands one connection to each node.
 * Without Citus nobody reads this setting.
 */
export const ONE_CONNECTION_PER_NODE = "set local citus.multi_shard_modify_mode = 'sequential'"

/** Creates the shards of a restored database, which may have accounts; without Citus as plain schemas. */
export async function replaceShards(sql: postgres.Sql, shards: readonly number[]): Promise<void> {
  await sql`set statement_timeout = 0`
  if (shards.length > 0) await sql.begin(distributeNewObjects)
  const isDistributed = await hasCitus(sql)
  for (const shard of shards) {
    if (isDistributed) await createDistributedShard(sql, shard)
    else await sql.begin(tx => createShard(tx, shard))
  }
}

/** Not whether any table has a row: migrations insert some. */
async function hasAccounts(sql: postgres.Sql): Promise<boolean> {
  const found = await sql`select from public.account limit 1`
  return found.length > 0
}

const refusal = (message: string) => new AppError('validation', message)

/** Distributes shared tables and functions that are not distributed yet. Does nothing without Citus. */
export async function distributeNewObjects(tx: postgres.TransactionSql): Promise<void> {
  if (!(await hasCitus(tx))) return
  await distributeSharedTables(tx)
  await distributeFunctions(tx)
}

/** Foreign keys of shards lead to shared tables, which have to be on all nodes before. */
async function distributeSharedTables(tx: postgres.TransactionSql): Promise<void> {
  const rows = await tx<{ name: string }[]>`
    select name from unnest(${`{${SHARED_TABLES}}`}::text::text[]) name
    where to_regclass('public.' || name) is not null
      and not exists (select from pg_dist_partition d where d.logicalrelid = to_regclass('public.' || name))`
  for (const { name } of rows) {
    if (name === 'gtin_claim') await distributeGtinClaims(tx)
    else await tx`select create_reference_table(${name})`
  }
}

/**
 * One GTIN stays one product: Citus demands the column in the key, and a check derives it from the GTIN.
 */
async function distributeGtinClaims(tx: postgres.TransactionSql): Promise<void> {
  await tx`alter table gtin_claim drop constraint gtin_claim_pkey, add primary key (gtin14, prefix_digits)`
  await tx`select create_distributed_table('gtin_claim', 'prefix_digits')`
}

/** The number of the node that has the claims of GTINs with these digits; null for those in `sql` itself. */
export async function findClaimNode(sql: Sql, prefixDigits: string): Promise<number | null> {
  if (!isDistributed(getPool(sql))) return null
  const [row] = await sql<{ node: number }[]>`
    select groupid as node from pg_dist_placement
    where shardid = get_shard_id_for_distribution_column('public.gtin_claim', ${prefixDigits}::text)`
  return row?.node ?? null
}

/** Citus copies a new function to all nodes, unless it names a table that was local then. */
async function distributeFunctions(tx: postgres.TransactionSql): Promise<void> {
  await tx`
    select create_distributed_function(p.oid::regprocedure) from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`
}

/** Local first: Citus refuses some settings of columns for tables that are distributed. */
async function createDistributedShard(sql: postgres.Sql, shard: number): Promise<void> {
  await sql.begin(async tx => {
    await createShard(tx, shard)
    await tx`select citus_schema_distribute(${getShardSchema(shard)}::regnamespace)`
  })
}

/** Reads the catalog of the coordinator, whatever node is asked: workers lack some tables of `public`. */
export async function readCatalog<R extends object>(sql: Sql, query: string): Promise<R[]> {
  if (!(await hasCitus(sql))) return sql.unsafe<R[]>(query)
  const [row] = await sql<{ success: boolean; result: string }[]>`
    select success, result from run_command_on_coordinator(${`select coalesce(json_agg(r), '[]') from (${query}) r`})`
  if (row?.success) return JSON.parse(row.result)
  throw new AppError('unavailable', `The coordinator of the cluster cannot be asked: ${row?.result}`)
}

/**
 * A time before which no transaction is open that may write to the shard. In the seconds after a move some
 * writers come through the node that it has left, so all nodes are asked. One that does not answer stands for
 * a transaction of a minute ago, and so does one that has been prepared but not ended: its node was lost.
 */
export async function findOldestTransaction(sql: Sql): Promise<Date> {
  const pool = getPool(sql)
  if (!isDistributed(pool)) return readTime(pool, `least(now(), (${OLDEST_TRANSACTION}))`)
  return withTimeout(askAllNodes(pool)(), NODES_TIMEOUT_MS, databaseUnavailable).catch(() =>
    readTime(pool, `least(now() - interval '1 minute', (${OLDEST_TRANSACTION}))`),
  )
}

/** A node that hangs takes longer. */
const NODES_TIMEOUT_MS = 2_000

async function readTime(pool: Sql, expression: string): Promise<Date> {
  const [row] = await pool.unsafe<{ at: Date }[]>(`select ${expression} as at`, [], { prepare: true })
  return row?.at ?? new Date(0)
}

/** One question at a time, so that a node that hangs keeps one connection. Earlier answers are right, too. */
const askAllNodes = perDatabase((pool: Sql) => {
  let asked: Promise<Date> | undefined
  return (): Promise<Date> => {
    asked ??= readTime(pool, OLDEST_OF_ALL_NODES).finally(() => {
      asked = undefined
    })
    return asked
  }
})

const OLDEST_TRANSACTION = `
  select least(min(xact_start), (
    select min(prepared) - interval '1 minute' from pg_prepared_xacts
    where database = current_database() and prepared < now() - interval '5 seconds'))
  from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
    and query not like 'select citus_move_shard_placement(%'`

const OLDEST_OF_ALL_NODES = `least(now(), (
  select min(case when success then nullif(result, '')::timestamptz else now() - interval '1 minute' end)
  from run_command_on_all_nodes($command$${OLDEST_TRANSACTION}$command$, parallel := true, give_warning_for_connection_errors := true)))`

/**
 * The shards with host and port of the node that each is on, as the entry knows them; null for all on a plain
 * PostgreSQL. A schema that is not distributed yet is none. One small statement, which servers repeat.
 */
export async function findShardNodes(
  sql: Sql | postgres.Sql,
  isDistributed: boolean,
): Promise<Map<number, string | null>> {
  if (!isDistributed) return new Map((await readShards(sql)).map(shard => [shard, null]))
  const rows = await sql<{ shard: number; node: string }[]>`
    select substr(s.nspname, 7)::int as shard,
      format(case when n.nodename like '%:%' then '[%s]:%s' else '%s:%s' end, n.nodename, n.nodeport) as node
    from pg_namespace s join pg_class c on c.relnamespace = s.oid and c.relname = 'passport'
    join pg_dist_shard d on d.logicalrelid = c.oid join pg_dist_placement p on p.shardid = d.shardid
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where s.nspname ~ ${SHARD_NAME.source} order by 1`
  return new Map(rows.map(({ shard, node }) => [shard, node]))
}

/** `node`: host and port of the machine with the shard's tables; null for a shard that is not distributed. */
export type ShardPlacement = { shard: number; node: string | null; bytes: number }

/** The shards in order, with the size of their tables. */
export async function listPlacements(sql: Sql): Promise<ShardPlacement[]> {
  const shards = await readShards(sql)
  const rows = (await hasCitus(sql))
    ? await sql<{ name: string; node: string; bytes: number }[]>`
        select s.name, min(c.nodename || ':' || c.nodeport) as node, sum(c.shard_size)::bigint as bytes
        from unnest(${`{${shards.map(getShardSchema)}}`}::text::text[]) s(name)
        join citus_shards c on c.table_name::text like s.name || '.%' group by s.name`
    : []
  const byName = new Map(rows.map(row => [row.name, row]))
  return shards.map(shard => {
    const row = byName.get(getShardSchema(shard))
    return { shard, node: row?.node ?? null, bytes: row?.bytes ?? 0 }
  })
}
