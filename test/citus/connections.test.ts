/** A store's connections on Citus: each shard's pool leads to the node that has the shard, also after a move. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openPools, type StorePools } from '../../src/cli/store/pools.ts'
import { createShards } from '../../src/kernel/db/citus.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { getShard, listShards } from '../../src/kernel/db/shards.ts'
import { inTransaction } from '../../src/kernel/db/transaction.ts'
import { type CitusDatabase, findPlacement, moveShard, SKIP_WITHOUT_CITUS } from './cluster.ts'
import { makeShardedDatabase } from './sharded-database.ts'

describe('connections to the shards', { skip: SKIP_WITHOUT_CITUS }, () => {
  let database: CitusDatabase
  let pools: StorePools
  let queue: Sql

  before(async () => {
    database = await makeShardedDatabase(2)
    pools = openPools(
      { url: database.coordinator.url },
      { name: 'carnet', isServer: true, isDistributed: true },
    )
    assert.equal(await pools.openShards(), true)
    queue = pools.openQueuePool()
  })
  after(async () => {
    await pools?.end()
    await database?.drop()
  })

  const portOf = async (sql: Sql) => {
    const [row] = await sql<{ port: number }[]>`select current_setting('port')::int as port`
    return row?.port
  }
  const nodeOf = async (shard: number) => (await findPlacement(database, `shard_${shard}.passport`)).node
  const checkPorts = async () => {
    for (const shared of [pools.sql, queue]) {
      assert.equal(await portOf(shared), database.coordinator.port)
      for (const shard of [1, 2])
        assert.equal(await portOf(getShard(shared, shard)), (await nodeOf(shard)).port)
    }
  }

  test('lead to the workers that have them', checkPorts)

  test('follow a shard that moves, while what is under way ends on the old node', async () => {
    const from = await nodeOf(1)
    const to = database.workers.find(worker => worker !== from)
    assert.ok(to)
    const sql = getShard(pools.sql, 1)
    await sql`select count(*) from passport`
    await moveShard(database, 'shard_1.passport', to)
    assert.equal(await portOf(sql), from.port)
    const underWay = inTransaction(sql, async tx => {
      await tx`select count(*) from passport`
      assert.equal(await pools.openShards(), false)
      return portOf(tx)
    })
    assert.equal(await underWay, from.port)
    await checkPorts()
  })

  test('are opened for a shard that is created meanwhile', async () => {
    assert.deepEqual(await createShards(database.coordinator.sql, 3), [3])
    assert.equal(await pools.openShards(), true)
    assert.equal(listShards(pools.sql).length, 3)
    assert.equal(await portOf(getShard(queue, 3)), (await nodeOf(3)).port)
  })
})
