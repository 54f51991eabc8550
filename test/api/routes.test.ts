/** What holds for every route, so that no new one escapes: keys, scopes, strangers, methods, request ids, the document. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { API_PREFIX, ROUTES } from '../../src/api/door.ts'
import { OPERATIONS } from '../../src/api/operations.ts'
import {
  type Answer,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'

describe('every route', () => {
  let t: Harness
  let account: TestAccount
  let readKey: string
  let product: { id: string }
  before(async () => {
    t = await startHarness()
    account = await t.account()
    readKey = await t.apiKey(account, 'read')
    product = (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json.data
    const unit = { level: 'item', serial: 'R0' }
    await t.ask('POST', `/api/v1/products/${product.id}/children`, { key: account.key, body: unit })
  })
  after(() => t.close())

  const closed = ROUTES.filter(route => !route.open)
  const path = (route: { path: string }) =>
    API_PREFIX +
    route.path
      .replace(':id', product.id)
      .replace(':category', 'textile')
      .replace(':n', '1')
      .replace(':sku', 'T-7')
      .replace(':gtin', gtin)
  const gtin = nextGtin()
  let serials = 0
  const body = (route: { method: string; path: string }) => {
    if (route.method === 'GET') return {}
    if (route.path.endsWith('/children')) return { body: { level: 'item', serial: `R${++serials}` } }
    if (route.path.endsWith('/children/update')) return { body: { items: [{ serial: 'R0', data: {} }] } }
    if (route.path.endsWith('/bulk')) return { body: { items: [newProduct({ sku: 'T-8' })] } }
    if (route.method === 'PUT')
      return { body: newProduct({ sku: undefined, ...(route.path.endsWith('sku') ? {} : { sku: 'T-2' }) }) }
    if (route.method === 'PATCH') return { body: { data: {} } }
    return route.path === '/products' && route.method === 'POST' ? { body: newProduct() } : {}
  }
  const refused = (answer: Answer, status: number, code: string) => {
    assert.equal(answer.status, status)
    assert.equal(answer.json.code, code)
    assert.equal(answer.json.request_id, answer.headers['x-request-id'])
    assert.match(answer.headers['content-type'] ?? '', /^application\/json; charset=utf-8$/)
  }

  for (const route of ROUTES) {
    const name = `${route.method} ${route.path}`

    test(`${name}: answers, with a request id of its own`, async () => {
      const first = await t.ask(route.method, path(route), { key: account.key, ...body(route) })
      const second = await t.ask(route.method, path(route), { key: account.key, ...body(route) })
      assert.ok(first.status < 300, `${first.status} ${first.text}`)
      assert.match(first.headers['x-request-id'] ?? '', /^[0-9a-z]{26}$/)
      assert.notEqual(first.headers['x-request-id'], second.headers['x-request-id'])
    })

    test(`${name}: other methods get 405 with Allow`, async () => {
      const allowed = new Set<string>(ROUTES.filter(one => one.path === route.path).map(one => one.method))
      if (allowed.has('GET')) allowed.add('HEAD')
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const) {
        if (allowed.has(method)) continue
        const answer = await t.ask(method, path(route), { key: account.key })
        refused(answer, 405, 'method_not_allowed')
        assert.equal(answer.headers.allow, [...allowed].join(', '))
      }
    })
  }

  for (const route of closed) {
    const name = `${route.method} ${route.path}`

    test(`${name}: 401 without a key, and with every kind of wrong one`, async () => {
      const wrong = [
        ...[
          '',
          'Bearer',
          'Bearer ',
          'Basic YTpi',
          account.key,
          `Bearer ${account.key} x`,
          `Bearer ${account.key.slice(0, -1)}`,
        ],
        `Bearer ${account.key.slice(0, -1)}${account.key.endsWith('A') ? 'B' : 'A'}`,
        `Bearer ${account.key.toLowerCase()}`,
        `Bearer dpp_live_${'A'.repeat(42)}`,
      ]
      for (const authorization of [undefined, ...wrong]) {
        const headers = authorization === undefined ? {} : { authorization }
        const answer = await t.ask(route.method, path(route), { headers, ...body(route) })
        refused(answer, 401, 'unauthorized')
        assert.equal(answer.headers['www-authenticate'], 'Bearer')
      }
    })

    test(`${name}: a hash that is stored is no key`, async () => {
      const [row] = await t.sql<{ hash: string }[]>`select hash from api_key limit 1`
      refused(
        await t.ask(route.method, path(route), { key: row?.hash ?? '', ...body(route) }),
        401,
        'unauthorized',
      )
    })

    if (route.method !== 'GET') {
      test(`${name}: 403 read_only for a read key, before anything is looked at`, async () => {
        refused(await t.ask(route.method, path(route), { key: readKey, text: '{' }), 403, 'read_only')
        const unknown = path(route).replace(product.id, '01m7ywhcr7fxwrqq1xd4m28c2t')
        refused(await t.ask(route.method, unknown, { key: readKey, ...body(route) }), 403, 'read_only')
      })
    } else {
      test(`${name}: a read key reads, HEAD too`, async () => {
        assert.equal((await t.ask('GET', path(route), { key: readKey })).status, 200)
        const head = await t.ask('HEAD', path(route), { key: readKey })
        assert.deepEqual([head.status, head.text], [200, ''])
      })
    }

    if (route.path.includes(':id')) {
      test(`${name}: another account's product is not there`, async () => {
        const stranger = await t.account()
        const foreign = await t.ask(route.method, path(route), { key: stranger.key, ...body(route) })
        const nobodys = path(route).replace(product.id, '01m7ywhcr7fxwrqq1xd4m28c2t')
        const unknown = await t.ask(route.method, nobodys, { key: stranger.key, ...body(route) })
        refused(foreign, 404, 'not_found')
        assert.equal(foreign.json.error, unknown.json.error)
        const odd = await t.ask(route.method, `${path(route)}?nothing=1`, {
          key: stranger.key,
          ...body(route),
        })
        refused(odd, 404, 'not_found')
      })
    }

    test(`${name}: 403 plan_required for a plan without the API`, async () => {
      const free = await t.account({ plan: 'free' })
      refused(await t.ask(route.method, path(route), { key: free.key, ...body(route) }), 403, 'plan_required')
    })
  }

  test('DELETE with a read key is read_only, with a full one 405', async () => {
    refused(await t.ask('DELETE', `/api/v1/products/${product.id}`, { key: readKey }), 403, 'read_only')
    refused(
      await t.ask('DELETE', `/api/v1/products/${product.id}`, { key: account.key }),
      405,
      'method_not_allowed',
    )
  })

  test('an address that is none: 401 without a key, 404 with one', async () => {
    for (const address of ['/api/v1/nothing', '/api/v1/products/', '/api/v1/products/x/y/z', '/api/v1/']) {
      refused(await t.ask('GET', address), 401, 'unauthorized')
      refused(await t.ask('GET', address, { key: account.key }), 404, 'not_found')
    }
    const odd = { key: account.key, text: '{', headers: { 'content-type': 'text/plain' } }
    refused(await t.ask('POST', '/api/v1/nothing', odd), 404, 'not_found')
  })

  test('a revoked key, and one that has expired, are refused within two seconds', async () => {
    const own = await t.account()
    const soon = await t.apiKey(own, 'full', new Date(Date.now() + 60_000))
    assert.equal((await t.ask('GET', '/api/v1/products', { key: soon })).status, 200)
    assert.equal((await t.ask('GET', '/api/v1/products', { key: own.key })).status, 200)
    await t.sql`update api_key set revoked_at = now() where account_id = ${own.id} and expires_at is null`
    t.clock.set(new Date(Date.now() + 61_500))
    refused(await t.ask('GET', '/api/v1/products', { key: soon }), 401, 'unauthorized')
    refused(await t.ask('GET', '/api/v1/products', { key: own.key }), 401, 'unauthorized')
    t.clock.release()
  })

  test('the time of a key’s last use is kept to the minute', async () => {
    const { flushKeyUse } = await import('../../src/accounts/key-use.ts')
    const own = await t.account()
    t.clock.set('2026-11-21T10:00:42Z')
    await t.ask('GET', '/api/v1/products', { key: own.key })
    t.clock.release()
    await flushKeyUse(t.sql)
    const [row] = await t.sql`select last_used_at from api_key where account_id = ${own.id}`
    assert.equal(row?.last_used_at.toISOString(), '2026-11-21T10:00:00.000Z')
  })
})

describe('?api_key=', () => {
  for (const allowed of [false, true]) {
    test(`is ${allowed ? 'taken on GET when the switch is on' : 'refused by default'}`, async () => {
      const t = await startHarness({ allowQueryApiKey: allowed })
      try {
        const { key } = await t.account()
        assert.equal((await t.ask('GET', `/api/v1/products?api_key=${key}`)).status, allowed ? 200 : 401)
        assert.equal(
          (await t.ask('POST', `/api/v1/products?api_key=${key}`, { body: newProduct() })).status,
          401,
        )
        assert.equal((await t.ask('GET', `/api/v1/products?api_key=${key}&api_key=${key}`)).status, 401)
      } finally {
        await t.close()
      }
    })
  }
})

describe('GET /openapi.json', () => {
  let t: Harness
  before(async () => {
    t = await startHarness()
  })
  after(() => t.close())

  test('an independent validator finds it to be OpenAPI 3.1', async () => {
    const { status, json, headers } = await t.ask('GET', '/api/v1/openapi.json')
    assert.equal(status, 200)
    const result = await new Validator().validate(json)
    assert.deepEqual(result.errors ?? [], [])
    assert.ok(result.valid)
    assert.equal(
      (await t.ask('GET', '/api/v1/openapi.json', { headers: { 'if-none-match': headers.etag ?? '' } }))
        .status,
      304,
    )
  })

  test('describes every route, and no other', () => {
    const names = (list: readonly { method: string; path: string }[]) =>
      list.map(one => `${one.method} ${one.path}`).sort()
    assert.deepEqual(names(OPERATIONS), names(ROUTES))
  })
})
