/**
 * Runs creates and bulk calls of an account on several shards that is at its limit of models: the counters are
 * locked before GTINs and SKUs, which others lock first. Nobody deadlocks, and no model is too many. Then moves
 * an account between shards beside writes, releases and approvals of two accounts.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { findHome } from '../../src/accounts/account/account-shard.ts'
import { closeAccount, reopenAccount } from '../../src/accounts/account/close-account.ts'
import { nameOnly } from '../../src/accounts/identity/identity.ts'
import { verifyAccount, withdrawVerification } from '../../src/accounts/issuer/verify-account.ts'
import { getUsage } from '../../src/accounts/limits/quota.ts'
import { getShard } from '../../src/kernel/db/shards.ts'
import { releaseDppId } from '../../src/passports/write/release-dpp-id.ts'
import { releaseGtin } from '../../src/passports/write/release-gtin.ts'
import { moveAccount } from '../../src/transfer/accounts/move-account.ts'
import {
  type Harness,
  newProduct,
  nextGtin,
  spreadClosed,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { waitForLocks } from '../waiting.ts'
import { buildFurniture, pick, runBeside, runJob, shuffled } from './beside-stand.ts'

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

test('a GTIN that another account takes while the quota is dealt out is taken, also for a call with a key', async () => {
  const own = await t.account({ plan: 'enterprise' })
  const other = await t.account()
  await spreadClosed(t.setup.sql, own.id, [1, 2, 3])
  const setQuota = (quota: number) =>
    t.setup.sql`update account set model_quota = ${quota} where id = ${own.id}`
  const create = (key: string, gtin?: string) => {
    const headers = { 'idempotency-key': randomUUID() }
    return t.ask('POST', '/api/v1/products', { key, headers, body: newProduct({ gtin }) })
  }
  await setQuota(1)
  while ((await create(own.key)).status < 300);
  await setQuota(10)
  const gtin = nextGtin()
  const home = getShard(t.setup.sql, 1)
  const { sent } = await home.begin(async tx => {
    await tx`select from account_usage where account_id = ${own.id} for update`
    const sent = create(own.key, gtin)
    sent.catch(() => undefined)
    await waitForLocks(t.sql, 1)
    assert.equal((await create(other.key, gtin)).status, 201)
    return { sent }
  })
  const { status, json } = await sent
  assert.deepEqual([status, json.code], [409, 'gtin_taken'])
})

test('moves to other shards beside writes, releases and approvals', async () => {
  const moved = await t.account({ plan: 'enterprise' })
  const gtins = Array.from({ length: 6 }, () => nextGtin())
  const dppIds = Array.from({ length: 12 }, (_, i) => `https://brand.example/${i}`)
  const operator = () => ({ sql: t.setup.sql, clock: t.clock })
  const atMoved = async () => ({
    ...operator(),
    ...(await findHome(t.setup.sql, moved.id)),
    accountId: moved.id,
    actorId: moved.ctx.actorId,
  })
  let moves = 0
  let writes = 0
  const send = async (path: string, body: object) => {
    const headers = Math.random() < 0.5 ? { 'idempotency-key': randomUUID() } : {}
    const { key } = pick([moved, moved, account])
    const answer = await pick(servers).ask('POST', path, { key, body, headers })
    if (answer.status < 300) writes++
    return answer
  }
  const create = () => send('/api/v1/products', newProduct({ gtin: pick(gtins), sku: randomUUID() }))
  const bulk = () => {
    const items = shuffled(gtins).map(gtin => newProduct({ gtin, sku: randomUUID() }))
    return send('/api/v1/products/bulk', { items: items.slice(0, 3) })
  }
  const createByStandard = () =>
    send('/dpp/v1/dpps', {
      ...buildFurniture(),
      uniqueProductIdentifier: `https://id.gs1.org/01/0${pick(gtins)}`,
      digitalProductPassportId: pick(dppIds),
    })
  const move = () =>
    runJob(async () => {
      await closeAccount(operator(), moved.id)
      t.clock.advance(61_000)
      const { openPoolOfOne: openOwnerPool } = t.setup
      await moveAccount(
        { ...operator(), openOwnerPool, quietMs: 50 },
        { accountId: moved.id, to: pick([1, 2, 3]) },
      )
      moves++
    }).finally(() => reopenAccount(operator(), moved.id))
  const release = () =>
    runJob(() =>
      Math.random() < 0.5
        ? releaseGtin(operator(), pick(gtins), { force: true, claimableBy: pick([moved.id, 'anyone']) })
        : releaseDppId(operator(), pick(dppIds), pick([account, moved]).id),
    )
  const verify = () =>
    runJob(async () => {
      await verifyAccount(await atMoved(), nameOnly('Testmarke GmbH'), 'test')
      await withdrawVerification(await atMoved())
    })
  try {
    const loops = [create, bulk, createByStandard, createByStandard, move, release, release, verify]
    await runBeside(t, loops)
    assert.ok(moves > 0 && writes > 0, `${moves} moves, ${writes} writes`)
  } finally {
    t.clock.release()
  }
})
