/** Tests that a lost machine stops only what needs it: a server whose second shard cannot be reached. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { idFromUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { explainDatabaseError, movePool } from '../../src/kernel/db/database.ts'
import { getShard } from '../../src/kernel/db/shards.ts'
import { listSitemapFiles } from '../../src/passports/read/sitemap.ts'
import { type Forwarder, startForwarder } from '../forwarder.ts'
import {
  type Answer,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'

describe('a server that has lost the machine of a shard', () => {
  let t: Harness
  let wire: Forwarder
  let reachable: TestAccount
  let lost: TestAccount
  /** By account, of products that were created before. */
  const ids = new Map<TestAccount, string>()
  const gtins = new Map<TestAccount, string>()

  before(async () => {
    t = await startHarness({ shards: 2 })
    reachable = await t.account()
    lost = await t.account()
    for (const account of [reachable, lost]) {
      const gtin = nextGtin()
      const answer = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct({ gtin }) })
      ids.set(account, answer.json.data.id)
      gtins.set(account, gtin)
    }
    assert.equal((await listSitemapFiles(t.setup.sql)).length, 2)
    wire = await startForwarder(t.target)
    movePool(getShard(t.setup.sql, 2), wire.target)
    await wire.cut()
  })
  after(async () => {
    await t.close()
    await wire.cut()
  })

  const read = (account: TestAccount) =>
    t.ask('GET', `/api/v1/products/${ids.get(account)}`, { key: account.key })
  const readPage = (id: string) =>
    t.ask('GET', `/p/${id}`, {
      headers: {
        accept: 'text/html',
        'user-agent': 'Mozilla/5.0 (Linux; Android 14) Chrome/126 Mobile Safari',
      },
    })
  const isUnavailable = (answer: Answer) => {
    assert.equal(answer.status, 503, answer.text)
    assert.ok(Number(answer.headers['retry-after']) > 0)
  }

  test('answers 503 for its accounts, and others notice nothing', async () => {
    isUnavailable(await read(lost))
    isUnavailable(await t.ask('POST', '/api/v1/products', { key: lost.key, body: newProduct() }))
    assert.equal((await read(reachable)).status, 200)
    const made = await t.ask('POST', '/api/v1/products', { key: reachable.key, body: newProduct() })
    assert.equal(made.status, 201)
  })

  test('shows a passport that is elsewhere, whatever its id names', async () => {
    const sql = getShard(t.setup.sql, 1)
    const uuid = parseId(ids.get(reachable) ?? '') ?? ''
    const moved = `${uuid.slice(0, -3)}002`
    await sql`update passport set id = ${moved}, model_id = ${moved} where id = ${uuid}`
    assert.equal((await readPage(idFromUuid(moved))).status, 200)
    await sql`update passport set id = ${uuid}, model_id = ${uuid} where id = ${moved}`
  })

  test('answers 503, not 404, for a passport that may be there', async () => {
    isUnavailable(await readPage(ids.get(lost) ?? ''))
    const named = `${(parseId(ids.get(lost) ?? '') ?? '').slice(0, -3)}001`
    isUnavailable(await readPage(idFromUuid(named)))
  })

  test('resolves the GS1 addresses of others, also those asked for at the same time', async () => {
    const [found, missing] = await Promise.all(
      [reachable, lost].map(account => t.ask('GET', `/01/0${gtins.get(account)}`)),
    )
    assert.ok(found?.headers.location?.includes(ids.get(reachable) ?? '-'), 'it resolves')
    assert.ok(missing)
    isUnavailable(missing)
  })

  test('keeps all files in the sitemap, and serves those of others', async () => {
    assert.deepEqual(await listSitemapFiles(t.setup.sql), [1, 2])
    assert.equal((await t.ask('GET', '/sitemap/1.xml')).status, 200)
    isUnavailable(await t.ask('GET', '/sitemap/2.xml'))
  })

  test('writes the scans of others, and those of the lost one when it is back, once', async () => {
    const countScans = async (shard: number) => {
      const [row] = await getShard(t.sql, shard)<{ n: number }[]>`
        select coalesce(sum(scans), 0)::int as n from scan_total`
      return row?.n
    }
    await t.scans.flush()
    const before = await countScans(1)
    await wire.mend()
    for (const account of [lost, reachable])
      assert.equal((await readPage(ids.get(account) ?? '')).status, 200)
    await wire.cut()
    await assert.rejects(t.scans.flush(), error => explainDatabaseError(error)?.code === 'unavailable')
    assert.equal(await countScans(1), (before ?? 0) + 1)
    await wire.mend()
    await t.scans.flush()
    assert.deepEqual(await Promise.all([1, 2].map(countScans)), [(before ?? 0) + 1, 1])
  })
})

describe('an error of a node of a cluster', () => {
  const CASES = [
    'failure on connection marked as essential: node2:5432',
    'terminating connection due to administrator command',
    'canceling statement due to lock timeout',
    'the database system is shutting down',
    'connection to the remote node carnet@node2:5432 failed with the following error: server closed the connection unexpectedly',
    'server closed the connection unexpectedly',
    "failed to prepare transaction 'citus_1' on host node2:5432",
  ]
  for (const message of CASES) {
    test(`is unavailable: ${message.slice(0, 40)}`, () => {
      const error = Object.assign(new Error(message), { code: 'XX000' })
      assert.equal(explainDatabaseError(error)?.code, 'unavailable')
    })
  }

  test('is unavailable: a new account while only workers can be reached', () => {
    const error = Object.assign(new Error('nextval: reached maximum value'), { code: '2200H' })
    assert.equal(explainDatabaseError(error)?.code, 'unavailable')
  })

  test('is a bug if it says nothing of a connection', () => {
    const error = Object.assign(new Error('cache lookup failed for type 17'), { code: 'XX000' })
    assert.equal(explainDatabaseError(error), undefined)
  })
})
