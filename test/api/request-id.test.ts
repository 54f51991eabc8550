/**
 * Tests that a proxy in front can name each request; log and responses use that id if the proxy is trusted.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createApp } from '../../src/cli/server/app.ts'
import { type Harness, newProduct, startHarness } from '../harness.ts'

const PROXY = '10.0.0.7'
const ID = '7f3c9e0b5d1a48f2a6c4e8d0b2f49a13'

describe('X-Request-Id', () => {
  let t: Harness
  before(async () => {
    t = await startHarness({ trustedProxies: [PROXY] })
  })
  after(() => t.close())

  const idOf = async (from: string, id: string, path = '/api/v1/health') =>
    (await t.ask('GET', path, { from, headers: { 'x-request-id': id } })).headers['x-request-id']

  test('comes from a trusted proxy, in the header and in the body of an error', async () => {
    assert.equal(await idOf(PROXY, ID), ID)
    const { json } = await t.ask('GET', '/api/v1/products', { from: PROXY, headers: { 'x-request-id': ID } })
    assert.equal(json.request_id, ID)
  })

  test('comes from a trusted proxy also for a cached page', async () => {
    const account = await t.account()
    const made = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    const server = createApp({ ...t.setup, trustedProxies: ['127.0.0.1'] })
    const url = await server.listen({ port: 0, host: '127.0.0.1' })
    try {
      for (const id of [`${ID}-made`, `${ID}-ready`]) {
        const answer = await fetch(`${url}/p/${made.json.data.id}`, { headers: { 'x-request-id': id } })
        assert.equal(answer.headers.get('x-request-id'), id)
      }
    } finally {
      await server.close()
    }
  })

  test('is generated when an ordinary client sends one', async () => {
    assert.match(String(await idOf('198.51.100.9', ID)), /^[0-9a-z]{26}$/)
  })

  test('is generated when the sent one could break a log line or a header', async () => {
    for (const id of [
      'short',
      'x'.repeat(129),
      'a b c d e f g',
      '<script>alert(1)</script>',
      `${ID}, ${ID}`,
    ]) {
      assert.match(String(await idOf(PROXY, id)), /^[0-9a-z]{26}$/, id)
    }
  })
})
