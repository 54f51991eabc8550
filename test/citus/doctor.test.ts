/**
 * Tests the findings of `carnet doctor` on a cluster: nodes, settings, prepared transactions, and shards on
 * any node.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Check } from '../../src/cli/store/verify-store.ts'
import { checkNodes } from '../../src/kernel/db/check-nodes.ts'
import { openPool } from '../../src/kernel/db/database.ts'
import { carnet, emptyFolder, type Settings } from '../cli/processes.ts'
import { type CitusDatabase, findPlacement, SKIP_WITHOUT_CITUS } from './cluster.ts'
import { makeShardedDatabase } from './sharded-database.ts'

describe('doctor on Citus', { skip: SKIP_WITHOUT_CITUS }, () => {
  let database: CitusDatabase
  let folder: Awaited<ReturnType<typeof emptyFolder>>
  let settings: Settings

  before(async () => {
    database = await makeShardedDatabase(2)
    folder = await emptyFolder()
    const env = {
      DATABASE_URL: `${database.coordinator.url}?sslmode=disable`,
      PORT: '0',
      SECRET_KEY: 'a key of tests, long enough to be one',
      DATA_DIR: folder.path,
    }
    settings = { cwd: folder.path, env }
  })
  after(async () => {
    await folder?.remove()
    await database?.drop()
  })

  const findBad = async (entry = database.coordinator): Promise<string[]> => {
    const env = { ...settings.env, DATABASE_URL: `${entry.url}?sslmode=disable` }
    const { stdout } = await carnet(['doctor', '--json', '--verify'], { ...settings, env })
    const checks = JSON.parse(stdout) as Check[]
    assert.ok(checks.length > 10, stdout)
    return checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`)
  }
  const worker = () => {
    const [first] = database.workers
    assert.ok(first)
    return first
  }

  test('finds no problem in a sound cluster, whatever node is the entry', async () => {
    assert.deepEqual(await findBad(), [])
    assert.deepEqual(await findBad(worker()), [])
  })

  test('finds a changed table of a shard, whatever node is the entry', async () => {
    const { sql } = database.coordinator
    await sql`alter table shard_1.webhook_endpoint add column extra integer`
    const found = [await findBad(), await findBad(worker())]
    await sql`alter table shard_1.webhook_endpoint drop column extra`
    for (const bad of found) {
      assert.equal(bad.length, 1)
      assert.match(
        bad[0] ?? '',
        /^shards: shard_1\.webhook_endpoint differs from the table in public in extra/,
      )
    }
  })

  test('finds a counter that is wrong on a worker', async () => {
    const { sql } = database.coordinator
    await sql`insert into account (name, plan, created_at, shard) values ('Brand', 'beta', now(), 2)`
    await sql`insert into shard_2.account_usage (account_id, level, used) select id, 'm', 3 from account`
    assert.match((await findBad()).join('\n'), /^counters: shard 2: account \d+ has 0 products .* says 3$/)
    await sql`delete from shard_2.account_usage`
  })

  test('finds settings that a node lacks', async () => {
    const { sql } = worker()
    const name = database.name
    // For this node alone.
    await sql`set citus.enable_ddl_propagation = off`
    await sql.unsafe(`alter database "${name}" set citus.enable_unsafe_triggers = off`)
    const [bad] = await findBad()
    await sql.unsafe(`alter database "${name}" reset citus.enable_unsafe_triggers`)
    await sql`set citus.enable_ddl_propagation = on`
    assert.match(bad ?? '', /^nodes: on 127\.0\.0\.1:\d+ set citus\.enable_unsafe_triggers = on$/)
  })

  test('finds a node that is switched off, and one that does not answer', async () => {
    const { sql } = database.coordinator
    const { node } = await findPlacement(database, 'shard_1.passport')
    await sql`update pg_dist_node set isactive = false where nodeport = ${node.port}`
    const off = await findBad()
    await sql`update pg_dist_node set isactive = true, nodeport = 1 where nodeport = ${node.port}`
    const lost = await findBad()
    await sql`update pg_dist_node set nodeport = ${node.port} where nodeport = 1`
    assert.match(off[0] ?? '', /^nodes: 127\.0\.0\.1:\d+ is switched off: start it/)
    assert.match(lost[0] ?? '', /^nodes: 127\.0\.0\.1:1 does not answer/)
  })

  test('finds a transaction that stays prepared on a node, and says how to end it', async () => {
    const { sql, port } = worker()
    const gid = `lost ${database.name}`
    await sql
      .unsafe(
        `begin; set local citus.enable_ddl_propagation = off; create table lost (); prepare transaction '${gid}'`,
      )
      .simple()
    const pool = openPool({ url: database.coordinator.url }, { max: 1 })
    const found = await checkNodes(pool, 0)
    await pool.end()
    await sql.unsafe(`rollback prepared '${gid}'`)
    assert.ok(Array.isArray(found), String(found))
    assert.equal(found.length, 1)
    assert.match(
      found[0] ?? '',
      new RegExp(`^on 127\\.0\\.0\\.1:${port} the transaction ${gid} has been prepared`),
    )
    assert.ok(found[0]?.endsWith(`run "rollback prepared '${gid}'" on that node`))
  })
})
