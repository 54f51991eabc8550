/** Tests the quota under concurrency: exactly as many passports are created as the quota allows. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setPlan } from '../../src/accounts/account/accounts.ts'
import type { QuotaOverrides } from '../../src/accounts/account/plans.ts'
import { getUsage } from '../../src/accounts/limits/quota.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { endPools } from '../database.ts'
import { type Answer, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

const ROOM = 50
/** The time of a call on a slow machine. */
const MAX_TRIES = 20

describe('quotas', () => {
  let t: Harness
  before(async () => {
    t = await startHarness()
  })
  after(() => t.close())

  const withRoom = async (quota: QuotaOverrides): Promise<TestAccount> => {
    const account = await t.account()
    await setPlan(account.ctx, { accountId: account.id, plan: 'beta', quota, requestsPerMinute: 100_000 })
    return account
  }
  /** If the server is too busy, which it says before it does anything, the call is sent again. */
  const issue = async (account: TestAccount, model: string, body: object): Promise<Answer> => {
    for (let tries = 1; ; tries++) {
      const answer = await t.ask('POST', `/api/v1/products/${model}/children`, { key: account.key, body })
      if (answer.status !== 503 || tries === MAX_TRIES) return answer
      await pause(200)
    }
  }
  const count = (answers: readonly Answer[], code: number | string) =>
    answers.filter(answer => answer.status === code || answer.json?.code === code).length
  const used = async (account: TestAccount) => (await getUsage(account.ctx)).map(level => level.used)
  const events = async (account: TestAccount) =>
    (await t.sql`select 1 from event where account_id = ${account.id} and type = 'product.created'`).length

  test('200 concurrent creates with room for 50: 50 created, 150 plan_limit', async () => {
    const account = await withRoom({ model: ROOM })
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() }),
      ),
    )
    assert.deepEqual([count(answers, 201), count(answers, 'plan_limit')], [ROOM, 150])
    assert.deepEqual(await used(account), [ROOM, 0, 0])
    assert.equal(await events(account), ROOM)
    const refused = answers.find(answer => answer.status !== 201)
    assert.equal(refused?.status, 403)
  })

  test('200 concurrent creates over two servers with room for 50: 50 created, 150 plan_limit', async () => {
    const account = await withRoom({ model: ROOM })
    const sql = await t.openPools()
    const other = createApp({ ...t.setup, sql })
    const post = (i: number) =>
      i % 2 === 0
        ? t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
        : other
            .inject({
              method: 'POST',
              url: '/api/v1/products',
              headers: { authorization: `Bearer ${account.key}` },
              payload: newProduct(),
            })
            .then(({ statusCode, body }) => ({ status: statusCode, json: JSON.parse(body) }) as Answer)
    try {
      const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => post(i)))
      assert.deepEqual([count(answers, 201), count(answers, 'plan_limit')], [ROOM, 150])
      assert.deepEqual(await used(account), [ROOM, 0, 0])
    } finally {
      await other.close()
      await endPools(sql)
    }
  })

  for (const level of ['item', 'batch'] as const) {
    const word = level === 'item' ? 'serial' : 'lot'

    test(`200 concurrent bulk calls of one ${level} with room for 50: 50 created`, async () => {
      const account = await withRoom({ [level]: ROOM })
      const model = (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json
        .data
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          issue(account, model.id, { level, items: [{ [word]: `N${i}` }] }),
        ),
      )
      assert.deepEqual([count(answers, 201), count(answers, 'plan_limit')], [ROOM, 150])
      assert.deepEqual(await used(account), level === 'item' ? [1, 0, ROOM] : [1, ROOM, 0])
    })
  }

  test('concurrent bulk calls of ten with room for 55: exactly 55 are created, the others are reported as errors', async () => {
    const account = await withRoom({ item: 55 })
    const model = (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json
      .data
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, call) => {
        const items = Array.from({ length: 10 }, (_, i) => ({ serial: `C${call}-${i}` }))
        return issue(account, model.id, { level: 'item', items })
      }),
    )
    let created = 0
    for (const { status, json } of answers) {
      if (status === 201) {
        created += json.data.created.length
        assert.equal(json.data.created.length + json.data.errors.length, 10)
        assert.ok(json.data.errors.every((error: { code: string }) => error.code === 'plan_limit'))
      } else assert.deepEqual([status, json.code], [403, 'plan_limit'])
    }
    assert.equal(created, 55)
    assert.deepEqual(await used(account), [1, 0, 55])
  })

  test('a quota set by the operator replaces that of the plan until it is removed', async () => {
    const account = await t.account()
    const quotas = async (plan: string, quota: QuotaOverrides) => {
      await setPlan(account.ctx, { accountId: account.id, plan, quota })
      return (await getUsage(account.ctx)).map(level => level.quota)
    }
    assert.deepEqual(await quotas('beta', {}), [500, 5_000, 50_000])
    assert.deepEqual(await quotas('beta', { model: 1, batch: 2, item: 3 }), [1, 2, 3])
    assert.deepEqual(await quotas('pro', { item: 0 }), [1_000, 10_000, 0])
    assert.deepEqual(await quotas('business', {}), [10_000, 100_000, 1_000_000])
    assert.deepEqual(await quotas('enterprise', {}), [null, null, null])
    assert.deepEqual(await quotas('free', {}), [5, 0, 0])
    await assert.rejects(quotas('gold', {}), { code: 'not_found', message: /The plans are .*pro/ })
  })

  test('a quota below the current count keeps what exists and allows nothing new', async () => {
    const account = await withRoom({ model: 3 })
    const post = () => t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    for (let i = 0; i < 3; i++) assert.equal((await post()).status, 201)
    await setPlan(account.ctx, { accountId: account.id, plan: 'beta', quota: { model: 1 } })
    assert.equal((await post()).json.code, 'plan_limit')
    assert.equal((await t.ask('GET', '/api/v1/products', { key: account.key })).json.meta.total, 3)
  })
})
