/** An account moved between shards of two machines, and back. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findHome } from '../../src/accounts/account/account-shard.ts'
import { getShardNumber } from '../../src/kernel/db/shards.ts'
import { moveAccount } from '../../src/transfer/accounts/move-account.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { newProduct } from '../harness.ts'
import { fill } from '../transfer/stores.ts'
import { STUCK_MS } from '../waiting.ts'
import { type CitusDatabase, SKIP_WITHOUT_CITUS } from './cluster.ts'
import { makeShardedDatabase } from './sharded-database.ts'

const QUIET_MS = 500

describe('an account on Citus', { skip: SKIP_WITHOUT_CITUS, timeout: STUCK_MS }, () => {
  let database: CitusDatabase
  let s: UnitStand
  let ids: string[]
  before(async () => {
    database = await makeShardedDatabase(2)
    const { coordinator, drop } = database
    s = await startUnitStand('enterprise', { target: { url: coordinator.url }, isDistributed: true, drop })
    const { model, batch, items } = await fill(s)
    ids = [model, batch, ...items]
  })
  after(async () => {
    await s?.close()
    await database?.drop()
  })

  const homeOf = async () => getShardNumber((await findHome(s.t.setup.sql, s.account.id)).sql) ?? 0

  const readPages = () => {
    s.t.clock.advance(1_100)
    return Promise.all(
      ids.map(async id => {
        const page = await s.t.ask('GET', `/p/${id}`, { headers: { accept: 'application/ld+json' } })
        return `${page.status} ${page.text}`
      }),
    )
  }

  const countRows = async (shard: number) => {
    const [row] = await database.coordinator.sql.unsafe(`
      select (select count(*)::int from shard_${shard}.passport) as passports,
        (select count(*)::int from shard_${shard}.passport_version) as versions,
        (select count(*)::int from shard_${shard}.content) as contents,
        (select count(*)::int from shard_${shard}.audit_entry) as entries`)
    return row
  }

  for (const round of ['to the other machine', 'back']) {
    test(`is moved ${round} while its pages answer`, async () => {
      const from = await homeOf()
      const to = 3 - from
      const [pages, rows] = [await readPages(), await countRows(from)]
      assert.ok(rows?.passports >= 9, JSON.stringify(rows))
      await s.t.setup.sql`update account set closed_at = '2000-01-01' where id = ${s.account.id}`
      let isMoving = true
      let reads = 0
      const read = async () => {
        for (; isMoving; reads++) assert.deepEqual(await readPages(), pages)
      }
      const moved = moveAccount(
        { sql: s.t.setup.sql, clock: s.t.clock, openOwnerPool: s.t.setup.openPoolOfOne, quietMs: QUIET_MS },
        { accountId: s.account.id, to },
      ).finally(() => {
        isMoving = false
      })
      await Promise.all([moved, read()])
      assert.ok(reads > 3, `${reads} rounds`)
      assert.equal(await homeOf(), to)
      assert.deepEqual(await countRows(to), rows)
      assert.deepEqual(await countRows(from), { passports: 0, versions: 0, contents: 0, entries: 0 })
      await s.t.setup.sql`update account set closed_at = null where id = ${s.account.id}`
      s.t.clock.advance(2_000)
      assert.deepEqual(await readPages(), pages)
      const created = await s.t.ask('POST', '/api/v1/products', {
        key: s.account.key,
        body: newProduct({ sku: round }),
      })
      assert.equal(created.status, 201, created.text)
      await s.call('POST', `/${ids[0]}/archive`)
      await s.call('POST', `/${ids[0]}/restore`)
    })
  }

  test('keeps its history: only the owner deletes rows, and only by a move', async () => {
    const { sql } = database.coordinator
    const shard = await homeOf()
    await assert.rejects(
      sql.unsafe(`delete from shard_${shard}.passport_version where account_id = ${s.account.id}`),
      { code: 'CA002' },
    )
  })
})
