/** One account on shards of two machines: transactions that write both, its quota, SKUs, changes and webhooks. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findHome } from '../../src/accounts/account/account-shard.ts'
import { setPlan } from '../../src/accounts/account/accounts.ts'
import { getUsage } from '../../src/accounts/limits/quota.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { addWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { spreadAccount } from '../../src/webhooks/spread-account.ts'
import { type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { POLICY, SECRET_KEY } from '../webhooks/stand.ts'
import { type CitusDatabase, SKIP_WITHOUT_CITUS } from './cluster.ts'
import { makeShardedDatabase } from './sharded-database.ts'

const SHARDS = [1, 2, 3, 4]
const SKU_ROUNDS = 200

describe('an account on shards of two machines', { skip: SKIP_WITHOUT_CITUS }, () => {
  let database: CitusDatabase
  let t: Harness
  let account: TestAccount

  before(async () => {
    database = await makeShardedDatabase(SHARDS.length)
    const { coordinator, drop } = database
    t = await startHarness({ database: { target: { url: coordinator.url }, isDistributed: true, drop } })
    account = await t.account({ plan: 'enterprise' })
    const before = await findHome(t.setup.sql, account.id)
    const setup = { secretCipher: createSecretCipher(SECRET_KEY), policy: POLICY }
    await addWebhook({ ...account.ctx, ...before }, setup, { url: 'http://127.0.0.1:9/hook' })
    await t.setup.sql`update account set closed_at = '2000-01-01' where id = ${account.id}`
    await spreadAccount({ sql: t.setup.sql, clock: t.clock }, { accountId: account.id, modelShards: SHARDS })
    await t.setup.sql`update account set closed_at = null where id = ${account.id}`
    account.ctx = { ...account.ctx, ...(await findHome(t.setup.sql, account.id)) }
    t.clock.advance(2_000)
  })
  after(async () => {
    await t?.close()
    await database?.drop()
  })

  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: object, headers = {}) =>
    t.ask(method, `/api/v1${path}`, { key: account.key, headers, ...(body === undefined ? {} : { body }) })
  const shardOf = (id: string) => Number.parseInt(parseId(id)?.slice(-3) ?? '', 16)
  const ids: string[] = []

  test('creates, changes and lists on all of them', async () => {
    for (let i = 0; i < 24; i++) {
      const answer = await ask('POST', '/products', newProduct({ sku: `C-${i}`, gtin: nextGtin() }), {
        'idempotency-key': `key ${i}`,
      })
      assert.equal(answer.status, 201, answer.text)
      ids.push(answer.json.data.id)
    }
    assert.deepEqual([...new Set(ids.map(shardOf))].sort(), SHARDS)
    for (const [i, id] of ids.slice(0, 8).entries()) {
      const answer = await ask(
        'PATCH',
        `/products/${id}`,
        { data: { productName: 'New' } },
        { 'idempotency-key': `patch ${i}` },
      )
      assert.equal(answer.status, 200, answer.text)
    }
    const pages = await Promise.all([1, 2, 3].map(page => ask('GET', `/products?limit=10&page=${page}`)))
    assert.deepEqual(
      pages.flatMap(page => page.json.data.map((row: { id: string }) => row.id)),
      ids.toSorted().reverse(),
    )
    const changes = await ask('GET', '/products?updated_since=2000-01-01T00:00:00Z&limit=100')
    assert.equal(new Set(changes.json.data.map((row: { id: string }) => row.id)).size, 24)
    const found = await ask('GET', '/products?q=new')
    assert.equal(found.json.meta.total, 8)
  })

  test('queues each event once for a webhook that was there before', async () => {
    const rows = await Promise.all(
      SHARDS.map(async shard => {
        const [row] = await database.coordinator.sql.unsafe(
          `select (select count(*)::int from shard_${shard}.webhook_delivery) as queued,
            (select count(*)::int from shard_${shard}.event) as events`,
        )
        return [row?.queued, row?.events]
      }),
    )
    assert.equal(
      rows.reduce((sum, [queued]) => sum + queued, 0),
      32,
    )
    assert.deepEqual(
      rows.filter(([queued, events]) => queued !== events),
      [],
    )
  })

  test(`creates one product for concurrent requests with one new SKU, in ${SKU_ROUNDS} rounds`, async () => {
    const other = await t.beside()
    try {
      for (let round = 0; round < SKU_ROUNDS; round++) {
        const sku = `R-${round}`
        const put = (server: Harness) =>
          server.ask('PUT', `/api/v1/products/by-sku/${sku}`, { key: account.key, body: newProduct({ sku }) })
        const answers = await Promise.all([t, other, t, other].map(put))
        assert.deepEqual(
          answers.map(one => one.status).sort(),
          [200, 200, 200, 201],
          answers.map(one => one.text).join('\n'),
        )
        assert.equal(new Set(answers.map(one => one.json.data.id)).size, 1)
      }
    } finally {
      await other.close()
    }
    const found = await ask('GET', '/products?sku=R-0')
    assert.equal(found.json.meta.total, 1)
  })

  test('keeps a draft, and has no product of it, if a machine fails while it is published', async () => {
    const { sql } = database.coordinator
    const drafts: string[] = []
    while (new Set(drafts.map(shardOf)).size < SHARDS.length) {
      const answer = await ask('POST', '/drafts', newProduct({ sku: `D-${drafts.length}` }))
      assert.equal(answer.status, 201, answer.text)
      drafts.push(answer.json.data.id)
    }
    const count = async () => (await ask('GET', '/products')).json.meta.total
    const before = await count()
    await sql.unsafe(`create function public.stop_event() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`)
    // The event is written last: the draft is deleted and the passport inserted by then.
    for (const shard of SHARDS)
      await sql.unsafe(`create trigger stop_event before insert on shard_${shard}.event
        for each row execute function public.stop_event()`)
    const failed = await Promise.all(drafts.map(id => ask('POST', `/drafts/${id}/publish`)))
    for (const shard of SHARDS) await sql.unsafe(`drop trigger stop_event on shard_${shard}.event`)
    assert.deepEqual([...new Set(failed.map(one => one.status))], [503])
    assert.equal(await count(), before)
    assert.equal((await ask('GET', '/drafts')).json.meta.total, drafts.length)
    for (const id of drafts) assert.equal((await ask('POST', `/drafts/${id}/publish`)).status, 201)
    assert.equal(await count(), before + drafts.length)
  })

  test('creates exactly as many products as the quota allows', async () => {
    const [models] = await getUsage(account.ctx)
    const quota = { model: (models?.used ?? 0) + 10 }
    await setPlan(
      { sql: t.setup.sql, clock: t.clock },
      { accountId: account.id, plan: 'enterprise', quota, requestsPerMinute: 10_000_000 },
    )
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ask('POST', '/products', newProduct({ sku: `Q-${i}` }))),
    )
    assert.deepEqual(
      [201, 403].map(status => answers.filter(one => one.status === status).length),
      [10, 10],
      answers.map(one => one.status).join(),
    )
    assert.equal((await getUsage(account.ctx))[0]?.used, quota.model)
  })
})
