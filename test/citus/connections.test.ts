/** A store's connections on Citus: each shard's pool leads to the node that has the shard, also after a move. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openPools, type StorePools } from '../../src/cli/store/pools.ts'
import { createShards } from '../../src/kernel/db/citus.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { getShard, listShards } from '../../src/kernel/db/shards.ts'
import { inTransaction } from '../../src/kernel/db/transaction.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { getSettledTime } from '../../src/passports/read/list-changes.ts'
import { carnet, carnetJson, emptyFolder, type Settings } from '../cli/processes.ts'
import {
  type CitusDatabase,
  type CitusNode,
  findPlacement,
  moveShard,
  SKIP_WITHOUT_CITUS,
} from './cluster.ts'
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

describe('carnet shards move', { skip: SKIP_WITHOUT_CITUS }, () => {
  let database: CitusDatabase
  let pools: StorePools
  let settings: Settings
  let folder: Awaited<ReturnType<typeof emptyFolder>>

  before(async () => {
    database = await makeShardedDatabase(2)
    const { url } = database.coordinator
    pools = openPools({ url }, { name: 'carnet', isDistributed: true })
    await pools.openShards()
    folder = await emptyFolder()
    settings = {
      cwd: folder.path,
      env: { DATABASE_URL: url, SECRET_KEY: 'a key of tests, long enough to be one' },
    }
  })
  after(async () => {
    await pools?.end()
    await database?.drop()
    await folder?.remove()
  })

  const move = (...words: string[]) => carnet(['shards', 'move', ...words], settings)
  const nameOf = ({ host, port }: CitusNode) => `${host}:${port}`
  const otherThan = (node: CitusNode) => database.workers.find(worker => worker !== node) as CitusNode

  test('moves a shard, and says from where to where', async () => {
    const { node } = await findPlacement(database, 'shard_1.passport')
    const to = otherThan(node)
    const moved = await carnetJson<{ from: string; to: string }>(
      ['shards', 'move', '1', nameOf(to)],
      settings,
    )
    assert.deepEqual([moved.from, moved.to], [nameOf(node), nameOf(to)])
    const { name, node: holder } = await findPlacement(database, 'shard_1.passport')
    assert.equal(holder, to)
    // Citus hides tables of shards in pg_class.
    const [table] = await to.sql`select pg_stat_get_last_analyze_time(${name}::text::regclass) as at`
    assert.ok(table?.at instanceof Date, 'the moved table was not analyzed')
  })

  test('refuses what cannot be done, and names the way out', async () => {
    const { node } = await findPlacement(database, 'shard_2.passport')
    const cases: [string[], RegExp][] = [
      [['9', nameOf(node)], /no shard 9\. `carnet shards list`/],
      [['2', nameOf(node)], /is on .* already/],
      [['2', 'elsewhere:5432'], new RegExp(`no node that holds shards.*${nameOf(node)}`)],
      [['x', nameOf(node)], /SHARD must be a number/],
    ]
    for (const [words, message] of cases) {
      const { code, stderr } = await move(...words)
      assert.notEqual(code, 0)
      assert.match(stderr, message)
    }
    const byWorker = { ...settings, env: { ...settings.env, DATABASE_URL: node.url } }
    const { stderr } = await carnet(['shards', 'move', '2', nameOf(otherThan(node))], byWorker)
    assert.match(stderr, /only by the coordinator .* name it first in DATABASE_URL/)
  })

  test('does not hide writers that come through the old node', async () => {
    const { node } = await findPlacement(database, 'shard_2.passport')
    const sql = getShard(pools.sql, 2)
    await moveShard(database, 'shard_2.passport', otherThan(node))
    await inTransaction(sql, async old => {
      const [begun] = await old<{ at: Date }[]>`select now() as at`
      await pools.openShards()
      const until = await getSettledTime({ sql, clock: systemClock, accountId: 1, actorId: 1 })
      assert.ok(until.getTime() <= Number(begun?.at) - 2_000, `${until.toISOString()} is not before it`)
    })
  })
})
