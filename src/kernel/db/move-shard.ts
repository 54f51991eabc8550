/** Moves a shard to another node of a Citus cluster while its accounts read and write. */
import type postgres from 'postgres'
import { AppError } from '../errors/errors.ts'
import { findShardNodes, hasCitus, listPlacements } from './citus.ts'
import type { Sql } from './database.ts'
import { getShardSchema } from './shards.ts'

export type ShardMove = { shard: number; from: string; to: string; bytes: number }

const PROGRESS_INTERVAL_MS = 1_000

/**
 * Moves the shard to the node `to`, as host:port. `owner` is one connection of the owner of the tables, `sql`
 * another one, for the progress: the share that was copied, from 0 to 1. Throws `validation`.
 */
export async function moveShard(
  owner: postgres.Sql,
  sql: Sql,
  { shard, to }: { shard: number; to: string },
  onProgress: (share: number) => void,
): Promise<ShardMove> {
  const from = await requireMovable(owner, shard, to)
  const placement = (await listPlacements(sql)).find(one => one.shard === shard)
  await owner`set statement_timeout = 0`
  let isReading = false
  const timer = setInterval(() => {
    if (isReading) return
    isReading = true
    readProgress(sql)
      .then(onProgress, () => onProgress(0))
      .finally(() => {
        isReading = false
      })
  }, PROGRESS_INTERVAL_MS)
  try {
    // `findOldestTransaction` knows the statement by its beginning: it writes no passport.
    await owner`select citus_move_shard_placement(
      d.shardid, f.nodename, f.nodeport, t.nodename, t.nodeport, 'auto')
      from pg_dist_shard d, pg_dist_node f, pg_dist_node t
      where d.logicalrelid = ${`${getShardSchema(shard)}.passport`}::text::regclass
        and f.nodename || ':' || f.nodeport = ${from} and t.nodename || ':' || t.nodeport = ${to}`
  } finally {
    clearInterval(timer)
  }
  await analyzeShard(owner, shard)
  return { shard, from, to, bytes: placement?.bytes ?? 0 }
}

/** A moved table has no statistics: a list among a million items then took over ten seconds. */
async function analyzeShard(owner: postgres.Sql, shard: number): Promise<void> {
  const tables = await owner<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = ${getShardSchema(shard)}`
  await owner.unsafe(`analyze ${tables.map(({ name }) => name).join(', ')}`)
}

/** Returns the node that has the shard. */
async function requireMovable(sql: postgres.Sql, shard: number, to: string): Promise<string> {
  if (!(await hasCitus(sql)))
    throw refuse('Shards move between the nodes of Citus; this PostgreSQL has none.')
  const from = (await findShardNodes(sql, true)).get(shard)
  if (!from) throw refuse(`There is no shard ${shard}. \`carnet shards list\` shows all.`)
  if (from === to) throw refuse(`Shard ${shard} is on ${to} already.`)
  const nodes = await sql<{ name: string; isLocal: boolean; isCoordinator: boolean; hasShards: boolean }[]>`
    select nodename || ':' || nodeport as name, groupid = 0 as "isCoordinator", shouldhaveshards as "hasShards",
      groupid = (select groupid from pg_dist_local_group) as "isLocal"
    from pg_dist_node where noderole = 'primary' and isactive order by 1`
  const coordinator = nodes.find(node => node.isCoordinator)
  if (!coordinator?.isLocal)
    throw refuse(`Shards move only by the coordinator (${coordinator?.name}): name it first in DATABASE_URL.`)
  const possible = nodes.filter(node => node.hasShards).map(({ name }) => name)
  if (!possible.includes(to))
    throw refuse(`${to} is no node that holds shards. These do: ${possible.join(', ')}.`)
  const fixed = await sql<{ name: string }[]>`
    select nodename || ':' || nodeport as name
    from run_command_on_all_nodes('show wal_level') r join pg_dist_node n using (nodeid)
    where r.result <> 'logical' order by 1`
  if (fixed.length > 0) {
    const names = fixed.map(({ name }) => name).join(', ')
    throw refuse(`Moving a shard needs wal_level = logical. Set it on ${names}, and restart these nodes.`)
  }
  return from
}

async function readProgress(sql: Sql): Promise<number> {
  const [row] = await sql<{ share: number | null }[]>`
    select (sum(least(target_shard_size, source_shard_size)) / nullif(sum(source_shard_size), 0))::float8 as share
    from get_rebalance_progress()`
  return row?.share ?? 0
}

const refuse = (message: string) => new AppError('validation', message)
