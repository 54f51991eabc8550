/** Tests that a restore which was killed after it had loaded the data is finished by its repetition. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { createBackup } from '../../src/transfer/backup/create-backup.ts'
import { restoreBackup } from '../../src/transfer/backup/restore-backup.ts'
import { cloneWithShards, type TestDatabase } from '../database.ts'
import { newProduct, startHarness } from '../harness.ts'
import { STUCK_MS } from '../waiting.ts'
import {
  BACKUP_KEY,
  digests,
  type Folder,
  MIGRATIONS,
  NO_FILES,
  onSchemas,
  poolOfOne,
  temporaryFolder,
} from './stores.ts'

const PRODUCTS = 3

let folder: Folder
let path: string
let source: TestDatabase
let rows: Record<string, string>
let ids: string[]

const setup = (of: TestDatabase) => ({
  openPool: poolOfOne(of),
  clock: systemClock,
  key: BACKUP_KEY,
  keys: [BACKUP_KEY],
  version: '0.0.0-test',
  mediaStore: NO_FILES,
  migrations: MIGRATIONS,
})

before(async () => {
  folder = await temporaryFolder()
  source = await cloneWithShards(0)
  const t = await startHarness({ database: source })
  const { key } = await t.account()
  ids = []
  for (let n = 0; n < PRODUCTS; n++) {
    const { json } = await t.ask('POST', '/api/v1/products', { key, body: newProduct() })
    ids.push((json.data as { id: string }).id)
  }
  await t.close()
  rows = await withSql(source, digests)
  path = (await createBackup(setup(source), { path: folder.file('plain') })).path
})
after(async () => {
  await source?.drop()
  await folder?.remove()
})

async function withSql<T>(database: TestDatabase, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = openPool(database.target, { max: 1, name: 'look' })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** A process that is killed sends nothing more. */
const DEATHS = {
  /** The load reserves the first connection, and releases it after its commit. */
  'after the load': (pool: Sql) => dyingPool(pool, { reserves: 1 }),
  /** The checks reserve the second. */
  'before the checks': (pool: Sql) => dyingPool(pool, { reserves: 2 }),
}

function dyingPool(pool: Sql, { reserves }: { reserves: number }): Sql {
  let [reserved, isDead] = [0, false]
  const die = () => {
    isDead = true
    throw new Error('killed')
  }
  const reserve = async () => {
    if (++reserved === 2) die()
    const sql = await pool.reserve()
    const { release } = sql
    return Object.assign(sql, {
      release() {
        release()
        isDead = reserves === 1
      },
    })
  }
  return new Proxy(pool, {
    apply: (_, __, words) => (isDead ? die() : Reflect.apply(pool, undefined, words)),
    get(_, name) {
      if (name === 'end') return pool.end
      if (isDead) die()
      return name === 'reserve' ? reserve : Reflect.get(pool, name)
    },
  })
}

describe('a restore that was killed', { timeout: STUCK_MS }, () => {
  for (const shards of [0, 2]) {
    for (const [moment, kill] of Object.entries(DEATHS)) {
      test(`${moment} is finished by the next, once; ${shards} shards`, async () => {
        const database = await cloneWithShards(shards)
        const dying = { ...setup(database), openPool: () => kill(poolOfOne(database)()) }
        try {
          await assert.rejects(restoreBackup(dying, { path }), /killed/)
          const back = await restoreBackup(setup(database), { path })
          assert.ok(back.loaded_at !== null)
          assert.deepEqual([back.passports, back.broken], [PRODUCTS, []])
          assert.deepEqual(back.tables, Object.keys(rows).length)
          if (shards === 0) assert.deepEqual(await withSql(database, digests), rows)
          await requireAllProducts(database)
          await assert.rejects(restoreBackup(setup(database), { path }), {
            code: 'validation',
            message: /^This backup was already restored here, on \S+Z\. Nothing was changed now\. /,
          })
          await requireAllProducts(database)
        } finally {
          await database.drop()
        }
      })
    }
  }

  test('before its commit has left nothing', async () => {
    const database = await cloneWithShards(0)
    const progress = () => {
      throw new Error('killed')
    }
    try {
      await assert.rejects(restoreBackup(setup(database), { path, progress }), /killed/)
      assert.equal((await restoreBackup(setup(database), { path })).loaded_at, null)
    } finally {
      await database.drop()
    }
  })

  test('is not taken for one of another backup', async () => {
    const database = await cloneWithShards(0)
    const other = await createBackup(setup(source), { path: folder.file('other') })
    const dying = { ...setup(database), openPool: () => DEATHS['after the load'](poolOfOne(database)()) }
    try {
      await assert.rejects(restoreBackup(dying, { path }), /killed/)
      await assert.rejects(restoreBackup(setup(database), { path: other.path }), /The store is not empty/)
    } finally {
      await database.drop()
    }
  })
})

async function requireAllProducts(database: TestDatabase): Promise<void> {
  const t = await startHarness({ database })
  try {
    for (const id of ids) assert.equal((await t.ask('GET', `/p/${id}`)).status, 200)
    const counts = await onSchemas(
      t.setup.sql,
      tx => tx<{ n: number }[]>`select count(*)::int as n from passport`,
    )
    assert.equal(
      counts.flat().reduce((sum, { n }) => sum + n, 0),
      PRODUCTS,
    )
  } finally {
    await t.close()
  }
}
