/** The pools of a store's shards: each leads to the node that has the shard, and follows it when it moves. */
import { findShardNodes } from '../../kernel/db/citus.ts'
import { type DatabaseTarget, movePool, type Sql } from '../../kernel/db/database.ts'
import { replaceHosts } from '../../kernel/db/database-url.ts'
import { addShards, getSearchPath, getShard } from '../../kernel/db/shards.ts'

type OpenShardPool = (target: DatabaseTarget, options: object) => Sql

/** `target`: the whole database, with the user, password and options that the nodes have, too. */
export function createShardPools(target: DatabaseTarget, open: OpenShardPool) {
  /** Host and port by shard; null on a plain PostgreSQL. */
  const nodes = new Map<number, string | null>()
  const sharedPools: { shared: Sql; options: object }[] = []
  const locate = (shard: number): DatabaseTarget => {
    const node = nodes.get(shard)
    return node && 'url' in target ? { url: replaceHosts(target.url, node) } : target
  }
  const openAll = ({ shared, options }: { shared: Sql; options: object }) =>
    addShards(shared, [...nodes.keys()], shard =>
      open(locate(shard), { ...options, searchPath: getSearchPath(shard) }),
    )
  return {
    /** Opens pools with these options for the shards of `shared`, now and when there are new ones. */
    openBeside(shared: Sql, options: object): void {
      sharedPools.push({ shared, options })
      openAll({ shared, options })
    },
    /**
     * Reads where the shards are. Opens pools of new shards, and leads those of moved ones to the new node:
     * running statements end on the old one, which passes them on. Returns whether there are new ones. If it
     * fails, all pools stay as they are.
     */
    async update(sql: Sql, isDistributed: boolean): Promise<boolean> {
      const found = await findShardNodes(sql, isDistributed)
      const moved = [...found].filter(([shard, node]) => nodes.has(shard) && nodes.get(shard) !== node)
      for (const [shard, node] of found) nodes.set(shard, node)
      for (const [shard] of moved)
        for (const { shared } of sharedPools) movePool(getShard(shared, shard), locate(shard))
      return sharedPools.flatMap(openAll).length > 0
    },
  }
}
