/** A backup of shards on Citus, restored onto another number of them, and a plain one restored onto them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openPool } from '../../src/kernel/db/database.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { createBackup } from '../../src/transfer/backup/create-backup.ts'
import { restoreBackup } from '../../src/transfer/backup/restore-backup.ts'
import type { TestDatabase } from '../database.ts'
import { newProduct, nextGtin, spreadClosed, startHarness } from '../harness.ts'
import {
  BACKUP_KEY,
  emptyStore,
  type Folder,
  MIGRATIONS,
  NO_FILES,
  temporaryFolder,
} from '../transfer/stores.ts'
import { STUCK_MS } from '../waiting.ts'
import { type CitusDatabase, SKIP_WITHOUT_CITUS } from './cluster.ts'
import { makeShardedDatabase } from './sharded-database.ts'

const setup = (url: string) => ({
  openPool: () => openPool({ url }, { max: 1, isDistributed: true }),
  clock: systemClock,
  key: BACKUP_KEY,
  keys: [BACKUP_KEY],
  version: '0.0.0-test',
  mediaStore: NO_FILES,
  migrations: MIGRATIONS,
})

const asTestDatabase = ({ coordinator: { url } }: CitusDatabase): TestDatabase => ({
  target: { url },
  isDistributed: true,
  drop: async () => undefined,
})

describe('a backup on Citus', { skip: SKIP_WITHOUT_CITUS, timeout: STUCK_MS }, () => {
  let source: CitusDatabase
  let target: CitusDatabase
  let folder: Folder
  before(async () => {
    source = await makeShardedDatabase(2)
    target = await makeShardedDatabase(3)
    folder = await temporaryFolder()
  })
  after(async () => {
    await source?.drop()
    await target?.drop()
    await folder?.remove()
  })

  test('is restored onto three shards, with the claims of its products', async () => {
    const t = await startHarness({ database: asTestDatabase(source) })
    const accounts = [await t.account(), await t.account(), await t.account()]
    try {
      await spreadClosed(t.setup.sql, accounts[2]?.id ?? 0, [1, 2])
      for (const { key } of accounts) {
        const gtin = nextGtin()
        const answer = await t.ask('POST', '/api/v1/products', { key, body: newProduct({ gtin }) })
        assert.equal(answer.status, 201, answer.text)
      }
      const made = await createBackup(setup(source.coordinator.url), { path: folder.file('citus') })
      assert.equal(made.passports, 3)
      const back = await restoreBackup(setup(target.coordinator.url), { path: made.path })
      assert.deepEqual([back.passports, back.broken], [3, []])
    } finally {
      await t.close()
    }
    const restored = await startHarness({ database: asTestDatabase(target) })
    try {
      const [claims] = await target.coordinator.sql<
        { n: number }[]
      >`select count(*)::int as n from gtin_claim`
      assert.equal(claims?.n, 3)
      for (const { key } of accounts) {
        const list = await restored.ask('GET', '/api/v1/products', { key })
        assert.equal(list.json.data.length, 1, list.text)
        const body = newProduct({ gtin: nextGtin(), sku: 'AFTER' })
        const answer = await restored.ask('POST', '/api/v1/products', { key, body })
        assert.equal(answer.status, 201, answer.text)
      }
      const [schemas] = await target.coordinator.sql<{ n: number }[]>`
        select count(distinct table_name::text)::int as n from citus_shards where citus_table_type = 'schema'
          and table_name::text like '%.passport'`
      assert.equal(schemas?.n, 3)
    } finally {
      await restored.close()
    }
  })
})

describe('a plain backup', { skip: SKIP_WITHOUT_CITUS, timeout: STUCK_MS }, () => {
  test('is restored onto shards on Citus', async () => {
    const folder = await temporaryFolder()
    const plain = await emptyStore(1_000)
    const target = await makeShardedDatabase(2)
    try {
      const t = await startHarness({ database: plain.database })
      const keys: string[] = []
      for (let i = 0; i < 2; i++) {
        const { key } = await t.account()
        const body = newProduct({ gtin: nextGtin() })
        assert.equal((await t.ask('POST', '/api/v1/products', { key, body })).status, 201)
        keys.push(key)
      }
      const from = { ...setup(''), openPool: () => openPool(plain.database.target, { max: 1 }) }
      const made = await createBackup(from, { path: folder.file('plain') })
      await t.close()
      const back = await restoreBackup(setup(target.coordinator.url), { path: made.path })
      assert.deepEqual([back.passports, back.broken], [2, []])
      const restored = await startHarness({ database: asTestDatabase(target) })
      for (const key of keys) {
        const list = await restored.ask('GET', '/api/v1/products', { key })
        assert.equal(list.json.data.length, 1, list.text)
      }
      await restored.close()
      const rows = await target.coordinator.sql<{ shard: number }[]>`select shard from account order by id`
      assert.deepEqual(
        rows.map(row => row.shard),
        [1, 2],
      )
    } finally {
      await plain.drop()
      await target.drop()
      await folder.remove()
    }
  })
})
