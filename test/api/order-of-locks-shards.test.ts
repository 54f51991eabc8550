/**
 * Runs creates and bulk calls of an account on several shards that is at its limit of models: the counters are
 * locked before GTINs and SKUs, which others lock first. Nobody deadlocks, and no model is too many.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { findHome } from '../../src/accounts/account-shard.ts'
import { getUsage } from '../../src/accounts/limits/quota.ts'
import {
  type Harness,
  newProduct,
  nextGtin,
  spreadClosed,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { pick, runBeside, shuffled } from './beside-stand.ts'

let t: Harness
let servers: Harness[]
let account: TestAccount
before(async () => {
  t = await startHarness({ shards: 3 })
  account = await t.account({ plan: 'enterprise' })
  await spreadClosed(t.setup.sql, account.id, [1, 2, 3])
  servers = [t, await t.beside()]
})
after(async () => {
  await servers[1]?.close()
  await t.close()
})

test('creates and bulk calls at the limit of models, with and without an Idempotency-Key', async () => {
  const gtins = Array.from({ length: 6 }, () => nextGtin())
  const skus = Array.from({ length: 6 }, (_, i) => `s-${i}`)
  const setQuota = (quota: number) =>
    t.setup.sql`update account set model_quota = ${quota} where id = ${account.id}`
  let quota = 4
  await setQuota(quota)
  let created = 0
  const ask = async (path: string, body: object) => {
    const headers = Math.random() < 0.5 ? { 'idempotency-key': randomUUID() } : {}
    const answer = await pick(servers).ask('POST', `/api/v1${path}`, { key: account.key, body, headers })
    const rows = answer.json?.data?.summary?.created ?? (answer.status === 201 ? 1 : 0)
    created += rows
    return answer
  }
  const create = () => ask('/products', newProduct({ gtin: pick([...gtins, nextGtin()]), sku: randomUUID() }))
  const bulk = () => {
    const rows = shuffled([pick(skus), pick(skus), randomUUID()])
    const items = [...new Set(rows)].map(sku => newProduct({ sku, gtin: pick([...gtins, nextGtin()]) }))
    return ask('/products/bulk', { items })
  }
  // Always near the limit, on every shard.
  const raise = async () => {
    await new Promise(resolve => setTimeout(resolve, 50))
    quota += 2
    await setQuota(quota)
    return { status: 200, text: '' }
  }
  await runBeside(t, [create, create, create, bulk, bulk, bulk, bulk, raise])
  const [models] = await getUsage({ ...account.ctx, ...(await findHome(t.setup.sql, account.id)) })
  assert.ok(created > 4, `${created} models`)
  assert.ok(created <= quota, `${created} models, and room for ${quota}`)
  assert.equal(models?.used, created)
})
