/** The connection pools of a store: for requests, queues, and single connections of both roles. */
import { isPoolEnded } from '../../kernel/db/connection-pool.ts'
import type { FinishedStatement } from '../../kernel/db/connections.ts'
import { type DatabaseTarget, openPool, POOL_SIZE, type Sql } from '../../kernel/db/database.ts'
import { grantTraffic } from '../../kernel/db/traffic-role.ts'
import { createShardPools } from './shard-pools.ts'

const COMMAND_POOL_SIZE = 2
/** One connection claims, one records the outcome, one deletes expired rows. */
const QUEUE_POOL_SIZE = 3
/** For the pool of a shard, of which a process may have dozens. */
const SHARD_POOL_SIZE = 4

export type StorePools = ReturnType<typeof openPools>

export type StorePoolOptions = {
  name: string
  /** A server's pools are larger than a command's. */
  isServer?: boolean
  maxConnections?: number
  /** A pooler is in front of the database: no statement is prepared. */
  hasPooler?: boolean
  /** The database distributes tables over several machines. */
  isDistributed?: boolean
  /** Called at the end of every statement. */
  onStatement?: ((statement: FinishedStatement) => void) | undefined
}

/** `owner`: the role that owns the tables, if it differs from the traffic role. */
export function openPools(target: DatabaseTarget, options: StorePoolOptions, owner?: DatabaseTarget) {
  const { name, isServer, onStatement, hasPooler = false, isDistributed = false } = options
  const { maxConnections = isServer ? POOL_SIZE : COMMAND_POOL_SIZE } = options
  const common = { name, hasPooler, isDistributed, ...(onStatement && { onStatementEnd: onStatement }) }
  const sql = openPool(target, { ...common, max: maxConnections })
  const pools = [sql]
  let singles: Sql[] = []
  const shards = createShardPools(target, (to, of) => {
    const pool = openPool(to, { ...common, max: SHARD_POOL_SIZE, ...of })
    pools.push(pool)
    return pool
  })
  shards.openBeside(sql, {})
  const openSingle = (to: DatabaseTarget) => {
    const pool = openPool(to, { ...common, max: 1 })
    singles = singles.filter(single => !isPoolEnded(single))
    singles.push(pool)
    return pool
  }
  return {
    sql,
    isDistributed,
    /** Opens pools of new shards, and moves those of moved ones; see `createShardPools`. */
    openShards: () => shards.update(sql, isDistributed),
    /** Opens a pool for queues, and one for the queues of each shard. They end with the store. */
    openQueuePool() {
      const queue = { name: `${name} queue`, max: QUEUE_POOL_SIZE, forQueue: true }
      const pool = openPool(target, { ...common, ...queue })
      pools.push(pool)
      shards.openBeside(pool, queue)
      return pool
    },
    /** Opens a pool of one connection for a caller who holds it long. The caller ends it. */
    openPoolOfOne: () => openSingle(target),
    /** Opens such a pool for the role that owns the tables. Only migrations and restores need it. */
    openOwnerPool: () => openSingle(owner ?? target),
    /** Grants the traffic role its rights. Must be called after the owner has created tables. */
    async grantTraffic() {
      if (owner === undefined) return
      const [row] = await sql<{ role: string }[]>`select current_user::text as role`
      const single = openSingle(owner)
      try {
        await single.begin(tx => grantTraffic(tx, row?.role ?? ''))
      } finally {
        await single.end({ timeout: 1 })
      }
    },
    async end() {
      // Single connections end at once: their users had time to finish.
      const ends = singles.map(pool => pool.end({ timeout: 0 }))
      await Promise.all([...ends, ...pools.map(pool => pool.end({ timeout: 1 }))])
    },
  }
}
