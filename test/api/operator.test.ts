/**
 * Tests `/metrics` and its dashboard: token required, routes as templates, no account data, and no panel
 * without a metric.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createApp } from '../../src/cli/server/app.ts'
import { createMetrics } from '../../src/kernel/monitoring/metrics.ts'
import { type Harness, newProduct, startHarness } from '../harness.ts'

const TOKEN = 'a-token-for-prometheus'
const metrics = createMetrics()
let t: Harness
let app: ReturnType<typeof createApp>
let readiness: 'ready' | 'read-only' | 'not ready' = 'ready'

before(async () => {
  t = await startHarness()
  metrics.watchPool('requests', () => ({ size: 10, busy: 1, waiting: 0 }))
  metrics.watchDeliveries(() => ({ inFlight: 2, outcomes: { delivered: 5 } }))
  app = createApp({
    ...t.setup,
    findReadiness: async () => readiness,
    pageMetrics: metrics,
    metrics: {
      token: TOKEN,
      text: () => metrics.registry.metrics(),
      countRequest: metrics.countRequest,
      countError: metrics.countError,
      watchConnections: metrics.watchConnections,
    },
  })
  await app.ready()
})
after(async () => {
  await app.close()
  await t.close()
})

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers })
const numbers = async () => (await get('/metrics', { authorization: `Bearer ${TOKEN}` })).body

describe('GET /metrics', () => {
  test('is 404 without METRICS_TOKEN', async () => {
    assert.equal((await t.ask('GET', '/metrics')).status, 404)
  })

  test('requires the token', async () => {
    for (const headers of [{}, { authorization: 'Bearer other' }, { authorization: TOKEN }]) {
      assert.equal((await get('/metrics', headers as Record<string, string>)).statusCode, 401)
    }
    const answer = await get('/metrics', { authorization: `Bearer ${TOKEN}` })
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['cache-control'], 'no-store')
  })

  test('counts requests by route template, also for cached pages, and errors by code', async () => {
    const account = await t.account()
    const made = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    const id = made.json.data.id as string
    for (const _ of [1, 2]) await get(`/p/${id}`)
    await get(`/api/v1/products/${id}`, { authorization: `Bearer ${account.key}` })
    await get('/api/v1/products/nothing')
    await get('/no/such/address-typed-by-somebody')
    const text = await numbers()
    assert.match(text, /carnet_http_requests_total\{method="GET",route="\/p\/:id",status="2xx"\} 2/)
    assert.match(text, /route="\/api\/v1\/products\/:id",status="2xx"\} 1/)
    assert.match(text, /carnet_refusals_total\{code="unauthorized"\}/)
    assert.match(text, /carnet_pages_total\{from="made"\} 1/)
    assert.match(text, /carnet_pages_total\{from="ready"\} 1/)
    assert.match(text, /carnet_webhook_attempts_total\{outcome="delivered"\} 5/)
    for (const secret of [id, account.key, 'address-typed', 'Test']) assert.ok(!text.includes(secret), secret)
  })
})

test('/readyz is 503 with Retry-After when the server is not ready; /healthz stays 200', async () => {
  readiness = 'not ready'
  const answer = await get('/readyz')
  assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '2'])
  assert.equal((await get('/healthz')).statusCode, 200)
})

test('with a read-only database /readyz is 200 and /readyz/writable is 503', async () => {
  const expected = { ready: [200, 200], 'read-only': [200, 503], 'not ready': [503, 503] } as const
  for (const state of ['ready', 'read-only', 'not ready'] as const) {
    readiness = state
    const answers = [await get('/readyz'), await get('/readyz/writable')]
    assert.deepEqual(
      answers.map(answer => [answer.statusCode, answer.body]),
      expected[state].map(status => [status, `${state}\n`]),
    )
  }
})

for (const file of ['grafana.json', 'alerts.yaml']) {
  test(`every metric used in ${file} exists`, () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/deploy', file), 'utf8')
    const asked = new Set(Array.from(text.matchAll(/\b(carnet_\w+)/g), ([name]) => name))
    const src = join(import.meta.dirname, '../../src')
    const named = [
      'kernel/monitoring/metrics.ts',
      'cli/server/aggregate-metrics.ts',
      'cli/server/server-metrics.ts',
    ]
      .map(name => readFileSync(join(src, name), 'utf8'))
      .join('\n')
    assert.ok(asked.size > 10)
    const unknown = [...asked].filter(name => !named.includes(`'${name.replace(/_bucket$/, '')}'`))
    assert.deepEqual(unknown, [])
  })
}
