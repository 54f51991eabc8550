/** Tests migrations of a database that has shards already, here plain schemas. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type postgres from 'postgres'
import { createShard, listShardTables } from '../../src/kernel/db/create-shard.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { cloneDatabase, connect, emptyDatabase, IS_SHARDED, type TestDatabase } from '../database.ts'
import { describeSchema } from '../describe-schema.ts'
import { type Harness, newProduct, startHarness } from '../harness.ts'
import {
  copyMigrations,
  FIRST_WITH_SHARDS,
  killWhileAsleep,
  type Migrations,
  NOW,
  SHARD_FILE,
  SLEEP_IN_SHARD_2,
} from './shard-migrations.ts'

let database: TestDatabase
let sql: postgres.Sql
let migrations: Migrations

const create = (...shards: number[]) =>
  sql.begin(async tx => {
    for (const shard of shards) await createShard(tx, shard)
  })
const readRecords = async () => {
  const rows = await sql<{ shard: number; number: number }[]>`select * from shard_migration order by shard`
  return rows.map(row => [row.shard, row.number])
}
const assertEqualSchemas = async (...shards: number[]) => {
  const tables = await listShardTables(sql)
  const expected = await describeSchema(sql, 'public', tables)
  for (const shard of shards) assert.deepEqual(await describeSchema(sql, `shard_${shard}`, tables), expected)
}
const countLater = async () => {
  const rows = await sql<{ n: number }[]>`
    select count(*)::int as n from shard_1.later union all select count(*)::int from shard_2.later
    union all select count(*)::int from public.later`
  return rows.map(row => row.n)
}

/** Each test has a database with shards 1 and 2 of all migrations of this version, and a folder for others. */
function withShards(last?: number): void {
  before(async () => {
    migrations = copyMigrations()
    database = await (last === undefined && !IS_SHARDED ? cloneDatabase() : emptyDatabase())
    sql = connect(database.target)
    await migrate(sql, migrations.dir, NOW, last)
    await create(1, 2)
  })
  after(async () => {
    await sql.end()
    await database.drop()
    migrations.remove()
  })
}

describe('shards as they were before all later migrations', () => {
  withShards(FIRST_WITH_SHARDS)

  test('are migrated to the same as new ones', async () => {
    const later = readdirSync(migrations.dir).filter(name => Number(name.slice(0, 4)) > FIRST_WITH_SHARDS)
    const { applied, version } = await migrate(sql, migrations.dir, NOW)
    assert.deepEqual(applied, later.sort())
    await create(3)
    await assertEqualSchemas(1, 2, 3)
    assert.deepEqual(
      await readRecords(),
      [1, 2, 3].map(shard => [shard, version]),
    )
  })
})

describe('a migration of shards', () => {
  withShards()

  test('changes all shards and public, each once, also by several processes', async () => {
    migrations.write('9001_shared.sql', '-- shared\nalter table account add column later integer;')
    migrations.write('9002_shard.sql', SHARD_FILE)
    const others = Array.from({ length: 4 }, () => connect(database.target))
    const results = await Promise.all(others.map(one => migrate(one, migrations.dir, NOW)))
    await Promise.all(others.map(one => one.end()))
    assert.deepEqual(results.flatMap(result => result.applied).sort(), ['9001_shared.sql', '9002_shard.sql'])
    assert.deepEqual(await countLater(), [1, 1, 1])
    await create(3)
    await assertEqualSchemas(1, 2, 3)
    assert.deepEqual(await readRecords(), [
      [1, 9002],
      [2, 9002],
      [3, 9002],
    ])
  })
})

describe('a migration of shards that is killed halfway', () => {
  withShards()

  test('is continued by the next start where it stopped', async () => {
    const newest = Math.max(...readdirSync(migrations.dir).flatMap(name => Number(name.slice(0, 4)) || []))
    migrations.write('9001_shard.sql', `${SHARD_FILE}${SLEEP_IN_SHARD_2}`)
    await killWhileAsleep(sql, database.target, migrations.dir)
    const [first, second] = await readRecords()
    assert.deepEqual([first?.[1], second?.[1]], [9001, newest])
    assert.deepEqual(await migrate(sql, migrations.dir, NOW), { applied: ['9001_shard.sql'], version: 9001 })
    assert.deepEqual(await countLater(), [1, 1, 1])
    await create(3)
    await assertEqualSchemas(1, 2, 3)
  })
})

describe('a migration that fails on a shard', () => {
  withShards()

  test('names file, line and shard, and keeps the shards before it', async () => {
    const text = '-- shard\nalter table account_usage\n  add constraint little check (used < 10);\n'
    migrations.write('9001_shard.sql', text)
    await sql`insert into account (name, plan, created_at) values ('Brand', 'beta', ${NOW})`
    await sql`insert into shard_2.account_usage (account_id, level, used) values (1, 'm', 10)`
    await assert.rejects(migrate(sql, migrations.dir, NOW), error => {
      assert.ok(error instanceof AppError, String(error))
      assert.match(error.message, /9001_shard\.sql, line 2 failed for shard_2, which is as before: /)
      return true
    })
    assert.deepEqual((await readRecords())[0], [1, 9001])
    await sql`update shard_2.account_usage set used = 1`
    assert.deepEqual((await migrate(sql, migrations.dir, NOW)).applied, ['9001_shard.sql'])
    await assertEqualSchemas(1, 2)
  })
})

describe('a server of the version before', () => {
  let t: Harness
  before(async () => {
    migrations = copyMigrations()
    t = await startHarness({ shards: 2 })
    sql = connect(t.target)
  })
  after(async () => {
    await sql.end()
    await t.close()
    migrations.remove()
  })

  test('writes to all shards while only some have the migration', async () => {
    const accounts = [await t.account(), await t.account()]
    const createAll = async (name: string) => {
      for (const { key } of accounts) {
        const answer = await t.ask('POST', '/api/v1/products', { key, body: newProduct({ sku: name }) })
        assert.equal(answer.status, 201, answer.text)
      }
    }
    await createAll('before')
    migrations.write('9001_shard.sql', `${SHARD_FILE}${SLEEP_IN_SHARD_2}`)
    await killWhileAsleep(sql, t.target, migrations.dir)
    await createAll('halfway')
    await migrate(sql, migrations.dir, NOW)
    await createAll('after')
  })
})
