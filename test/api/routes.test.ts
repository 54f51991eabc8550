/**
 * Tests rules for every route, including new ones: keys, scopes, other accounts, methods, bodies, ids, rate
 * headers.
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { METHODS } from 'node:http'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { HTTPMethods } from 'fastify'
import { API_PREFIX, getBodyLimit } from '../../src/api/door/door.ts'
import type { Endpoint } from '../../src/api/endpoint/endpoint.ts'
import { PATH_PARAMETERS, type PathParameterName } from '../../src/api/endpoint/path-parameters.ts'
import { ENDPOINTS } from '../../src/api/endpoints.ts'
import { buildOperation } from '../../src/api/openapi/document.ts'
import { buildResponses, canBeNotFound } from '../../src/api/openapi/responses.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { ARRIVED } from '../answers.ts'
import { type Answer, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'

const NOTICE = {
  hazard: { en: 'It breaks.' },
  action: { en: 'Stop using it.' },
  url: null,
  contact: null,
  from: '2026-11-24',
}

describe('every route', () => {
  let t: Harness
  let account: TestAccount
  let readKey: string
  let product: { id: string }
  let item: string
  const draft = '01m7ywk3v8q2c5n6x7z9b1d4fg'
  const offer = '01m7ywm5d8w4s9t2v6x8y1a3bc'
  let picture: Buffer
  let media: string
  before(async () => {
    t = await startHarness()
    account = await t.account()
    readKey = await t.apiKey(account, 'read')
    product = (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json.data
    const unit = { level: 'item', serial: 'R0' }
    const children = `/api/v1/products/${product.id}/children`
    item = (await t.ask('POST', children, { key: account.key, body: unit })).json.data.id
    picture = await makePng({ width: 2, height: 2 })
    media = hash('sha256', picture, 'hex')
  })
  /** Drafts and links that tests publish, delete or end. */
  beforeEach(async () => {
    await Promise.all([storeDraft(), storeOffer(), storeRecall(), storeFile()])
  })
  after(() => t.close())

  async function storeDraft(): Promise<void> {
    await t.sql`
      insert into draft (account_id, id, product_id, category, change_type, data, created_at, created_by, updated_at)
      values (${account.id}, ${parseId(draft) ?? ''}, ${parseId(product.id) ?? ''}, 'textile', 'change', '{}', now(), 1, now())
      on conflict do nothing`
  }

  async function storeOffer(): Promise<void> {
    await t.sql`
      insert into offer (account_id, id, kind, countries, title, url, position, created_at, updated_at)
      values (${account.id}, ${parseId(offer) ?? ''}, 'repair', '{}', '{"en":"Repair"}', 'https://shop.example', 0, now(), now())
      on conflict do nothing`
  }

  let recalls = 0
  async function storeRecall(): Promise<void> {
    // Requests write the next numbers.
    recalls += 10
    await t.sql`
      insert into recall_change (account_id, passport_id, number, kind, notice, set_at, changed_at, changed_by)
      values (${account.id}, ${parseId(product.id) ?? ''}, ${recalls}, 's', ${t.sql.json(NOTICE)}, now(), now(), 1)`
  }

  async function storeFile(): Promise<void> {
    const [stored] = await t.sql`
      select from media where account_id = ${account.id} and id = decode(${media}, 'hex') and status = 'r'`
    if (stored !== undefined) return
    const headers = { 'content-type': 'image/png' }
    const { status, text } = await t.ask('POST', '/api/v1/media', {
      key: account.key,
      text: picture,
      headers,
    })
    assert.equal(status, 201, text)
  }

  const WASHED = { at: '2026-01-01T00:00:00Z', values: { washCycles: 1 } }
  const OWN_BODIES: Readonly<Record<string, object>> = {
    'POST /products/:id/children/update': { items: [{ serial: 'R0', data: {} }] },
    'POST /products/:id/children/events': { items: [{ serial: 'R0', kind: 'repair', at: '2026-01-01' }] },
    'POST /products/:id/children/measurements': { items: [{ serial: 'R0', ...WASHED }] },
    'POST /products/:id/measurements': WASHED,
  }
  const closed = ENDPOINTS.filter(route => !route.isPublic)
  const path = (route: { path: string }) => {
    const isOfUnit = /^\/products\/:id\/(?:events|measurements)/.test(route.path)
    const own: Readonly<Record<string, string>> = { id: isOfUnit ? item : product.id, draft, offer, media }
    const example = (name: string) => String(PATH_PARAMETERS[name as PathParameterName].example)
    return API_PREFIX + route.path.replaceAll(/:(\w+)/g, (_, name: string) => own[name] ?? example(name))
  }
  /** The query parameters in the document. */
  const queryNames = (route: Endpoint) =>
    buildOperation(route).parameters.flatMap(one => ('in' in one && one.in === 'query' ? [one.name] : []))
  let serials = 0
  /** A body that the route accepts repeatedly: defined here, or the document's first example. */
  const body = (route: Endpoint) => {
    if (route.path.endsWith('/children')) {
      return route.method === 'GET' ? {} : { body: { level: 'item', serial: `R${++serials}` } }
    }
    const own = OWN_BODIES[`${route.method} ${route.path}`]
    if (own !== undefined) return { body: own }
    if (route.path.endsWith('/bulk')) return { body: { items: [newProduct({ sku: 'T-8' })] } }
    if (/^\/offers|\/recall$|\/settings$/.test(route.path)) return example(route)
    if (route.method === 'PUT')
      return { body: newProduct({ sku: undefined, ...(route.path.endsWith('sku') ? {} : { sku: 'T-2' }) }) }
    return route.method === 'PATCH' ? { body: { data: {} } } : example(route)
  }
  const example = (route: Endpoint) => {
    if (route.path === '/products' && route.method === 'POST') return { body: newProduct() }
    const [example] = Object.values(route.body?.examples ?? {})
    return example === undefined ? {} : { body: example.value }
  }
  const hasRateHeaders = ({ headers }: Answer) => {
    if (!ARRIVED.rateLimit) return
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
      assert.match(String(headers[name]), /^\d+$/, name)
    }
  }
  const refused = (answer: Answer, status: number, code: string) => {
    assert.equal(answer.status, status, answer.text)
    assert.equal(answer.json.code, code)
    assert.equal(answer.json.request_id, answer.headers['x-request-id'])
    assert.match(answer.headers['content-type'] ?? '', /^application\/json; charset=utf-8$/)
    hasRateHeaders(answer)
  }

  for (const route of ENDPOINTS) {
    const name = `${route.method} ${route.path}`

    test(`${name}: answers with its own request id`, async () => {
      const first = await t.ask(route.method, path(route), { key: account.key, ...body(route) })
      const second = await t.ask(route.method, path(route), { key: account.key, ...body(route) })
      assert.ok(first.status < 300, `${first.status} ${first.text}`)
      assert.match(first.headers['x-request-id'] ?? '', /^[0-9a-z]{26}$/)
      assert.notEqual(first.headers['x-request-id'], second.headers['x-request-id'])
      hasRateHeaders(first)
    })

    test(`${name}: other methods get 405 with Allow`, async () => {
      const allowed = new Set<string>(ENDPOINTS.filter(one => one.path === route.path).map(one => one.method))
      if (allowed.has('GET')) allowed.add('HEAD')
      for (const method of METHODS) {
        if (allowed.has(method) || method === 'CONNECT') continue
        const answer = await t.ask(method as HTTPMethods, path(route), { key: account.key })
        if (method === 'HEAD') {
          assert.deepEqual([answer.status, answer.headers.allow], [405, [...allowed].join(', ')])
          continue
        }
        refused(answer, 405, 'method_not_allowed')
        assert.equal(answer.headers.allow, [...allowed].join(', '))
      }
    })
  }

  for (const route of closed) {
    const name = `${route.method} ${route.path}`

    test(`${name}: 401 without a key, and with every kind of wrong one`, async () => {
      const wrong = [
        '',
        'Bearer',
        'Bearer ',
        'Basic YTpi',
        account.key,
        `Bearer ${account.key} x`,
        `Bearer ${account.key.slice(0, -1)}`,
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

    test(`${name}: a stored hash is not accepted as a key`, async () => {
      const [row] = await t.sql<{ hash: string }[]>`select hash from api_key limit 1`
      refused(
        await t.ask(route.method, path(route), { key: row?.hash ?? '', ...body(route) }),
        401,
        'unauthorized',
      )
    })

    if (route.method !== 'GET') {
      test(`${name}: 403 read_only for a read key, before any other check`, async () => {
        refused(await t.ask(route.method, path(route), { key: readKey, text: '{' }), 403, 'read_only')
        const unknown = path(route).replace(/[0-9a-z]{26}/, '01m7ywhcr7fxwrqq1xd4m28c2t')
        refused(await t.ask(route.method, unknown, { key: readKey, ...body(route) }), 403, 'read_only')
      })
    } else {
      test(`${name}: a read key reads, HEAD too`, async () => {
        assert.equal((await t.ask('GET', path(route), { key: readKey })).status, 200)
        const head = await t.ask('HEAD', path(route), { key: readKey })
        assert.deepEqual([head.status, head.text], [200, ''])
      })
    }

    if ('304' in buildResponses(route)) {
      test(`${name}: 304 for a client that has the current version`, async () => {
        const { headers } = await t.ask('GET', path(route), { key: account.key })
        const etag = headers.etag ?? 'none'
        const known = await t.ask('GET', path(route), {
          key: account.key,
          headers: { 'if-none-match': etag },
        })
        assert.deepEqual([known.status, known.text, known.headers.etag], [304, '', etag])
      })
    }

    test(`${name}: 400 for an unreadable URL`, async () => {
      const answer = await t.ask(route.method, `${path(route)}?q=%ff`, { key: account.key, ...body(route) })
      refused(answer, 400, 'bad_request')
    })

    test(`${name}: 422 for an undocumented parameter; accepts the documented ones`, async () => {
      const answer = await t.ask(route.method, `${path(route)}?nothing=1`, {
        key: account.key,
        ...body(route),
      })
      refused(answer, 422, 'validation')
      const names = queryNames(route)
      const taken = /this call takes (.*)\.$/.exec(answer.json.errors[0].message)?.[1] ?? ''
      assert.deepEqual(taken === 'none' ? [] : taken.split(', ').sort(), names.sort())
    })

    if (route.method !== 'GET') {
      test(`${name}: 400, 413 and 415 for an unreadable body`, async () => {
        const send = (text: string, headers: Record<string, string> = {}) =>
          t.ask(route.method, path(route), { key: account.key, text, headers })
        refused(await send('{'), 400, 'bad_request')
        if (route.body !== undefined && !route.body.isOptional) {
          refused(await send(''), 400, 'bad_request')
          const noJson = await send('', { 'content-type': 'text/plain' })
          // Whatever its type says, an empty file is one.
          if (!route.isPublic && route.takesFile) refused(noJson, 422, 'validation')
          else refused(noJson, 415, 'unsupported_media_type')
        }
        refused(await send(' '.repeat(getBodyLimit(route) + 1)), 413, 'payload_too_large')
        refused(await send('{}', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type')
      })
    }

    if (canBeNotFound(route) && !route.path.includes(':id')) {
      test(`${name}: 404 for a product that does not exist`, async () => {
        const nothing = API_PREFIX + route.path.replaceAll(/:\w+/g, 'nothing')
        refused(await t.ask(route.method, nothing, { key: account.key, ...body(route) }), 404, 'not_found')
      })
    }

    for (const [part, missing] of [
      [':n', '99'],
      [':n', 'x'],
      [':category', 'nope'],
    ] as const) {
      if (!route.path.includes(part)) continue
      test(`${name}: 404 for ${missing} as ${part}, whatever else is wrong`, async () => {
        const address = API_PREFIX + route.path.replace(part, missing).replace(':id', product.id)
        const send = (path: string, more: object = {}) =>
          t.ask(route.method, path, { key: account.key, ...more })
        refused(await send(`${address}?foo=1`, body(route)), 404, 'not_found')
        refused(await send(`${address}?q=%ff`, body(route)), 404, 'not_found')
        if (route.method === 'GET') return
        refused(await send(address, { text: '{' }), 404, 'not_found')
        refused(
          await send(address, { text: '{}', headers: { 'content-type': 'text/plain' } }),
          404,
          'not_found',
        )
        refused(await send(address, { text: ' '.repeat(getBodyLimit(route) + 1) }), 404, 'not_found')
      })
    }

    if (route.path.includes(':id')) {
      test(`${name}: 404 for another account's product`, async () => {
        const stranger = await t.account()
        const foreign = await t.ask(route.method, path(route), { key: stranger.key, ...body(route) })
        const nobodys = path(route).replace(/[0-9a-z]{26}/, '01m7ywhcr7fxwrqq1xd4m28c2t')
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

  test('an unknown URL: 401 without a key, 404 with one', async () => {
    for (const address of ['/api/v1/nothing', '/api/v1/products/', '/api/v1/products/x/y/z', '/api/v1/']) {
      refused(await t.ask('GET', address), 401, 'unauthorized')
      refused(await t.ask('GET', address, { key: account.key }), 404, 'not_found')
    }
    const odd = { key: account.key, text: '{', headers: { 'content-type': 'text/plain' } }
    refused(await t.ask('POST', '/api/v1/nothing', odd), 404, 'not_found')
  })

  test('a revoked or expired key is rejected within two seconds', async () => {
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

  test('the last use of a key is stored to the minute', async () => {
    const { flushKeyUse } = await import('../../src/accounts/keys/key-use.ts')
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
    test(`is ${allowed ? 'accepted on GET when the setting is on' : 'rejected by default'}`, async () => {
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

describe('every route when something fails', () => {
  const closed = ENDPOINTS.filter(route => !route.isPublic)
  const path = (route: { path: string }) => API_PREFIX + route.path.replaceAll(/:\w+/g, 'x')
  const askAll = async (t: Harness, key: string, status: number, code: string) => {
    for (const route of closed) {
      const answer = await t.ask(route.method, path(route), { key, text: '{}' })
      assert.deepEqual([answer.status, answer.json.code], [status, code], `${route.method} ${route.path}`)
      assert.deepEqual(Object.keys(answer.json).sort(), ['code', 'error', 'request_id'])
      assert.equal(answer.headers['retry-after'], status === 503 ? '2' : undefined)
    }
  }

  test('500 internal, without any internal detail', async () => {
    const t = await startHarness()
    try {
      const { key } = await t.account()
      await t.sql`alter table api_key rename to api_key_gone`
      await askAll(t, key, 500, 'internal')
    } finally {
      await t.close()
    }
  })

  test('503 unavailable with Retry-After while the database does not answer', async () => {
    const t = await startHarness()
    try {
      const { key } = await t.account()
      await t.setup.sql.end()
      await askAll(t, key, 503, 'unavailable')
    } finally {
      await t.close()
    }
  })
})
