import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, startHarness } from '../harness.ts'

describe('GET /health', () => {
  let t: Harness
  before(async () => {
    t = await startHarness()
  })
  after(() => t.close())

  test('200 without a key', async () => {
    t.clock.set('2026-11-21T10:00:00.000Z')
    const { status, json } = await t.ask('GET', '/api/v1/health')
    t.clock.release()
    assert.equal(status, 200)
    assert.deepEqual(json, {
      data: { status: 'ok', version: '0.0.0-test', time: '2026-11-21T10:00:00.000Z' },
    })
  })

  test('a query string is ignored', async () => {
    for (const query of ['x=1', 'x=1&x=2', '%zz'])
      assert.equal((await t.ask('GET', `/api/v1/health?${query}`)).status, 200)
  })

  test('503 when the database does not answer', async () => {
    const lost = await startHarness()
    await lost.setup.sql.end({ timeout: 0 })
    const { status, json, headers } = await lost.ask('GET', '/api/v1/health')
    assert.equal(status, 503)
    assert.equal(json.data.status, 'unavailable')
    assert.equal(headers['retry-after'], '2')
    const products = await lost.ask('GET', '/api/v1/products', { key: `dpp_live_${'A'.repeat(36)}` })
    assert.equal(products.status, 401)
    await lost.close()
  })
})
