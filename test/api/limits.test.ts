/** Tests the rate limit: its headers in every response, who is rejected when, and which error comes first. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { HTTPMethods } from 'fastify'
import { setPlan } from '../../src/accounts/account/accounts.ts'
import { createAddressLimits, MAX_ADDRESSES } from '../../src/accounts/limits/address-limits.ts'
import { type Answer, type Ask, type Harness, newProduct, nextGtin, startHarness } from '../harness.ts'

const PRODUCTS = '/api/v1/products'
const NOBODYS = '01m7ywhcr7fxwrqq1xd4m28c2t'
const WRONG_KEY = `dpp_live_${'A'.repeat(42)}`

/** Limit, remaining requests, and seconds until the next one is free, as in the headers. */
function rate(t: Harness, { headers }: Answer) {
  const read = (name: string) => {
    assert.match(String(headers[`x-ratelimit-${name}`]), /^\d+$/, name)
    return Number(headers[`x-ratelimit-${name}`])
  }
  const now = t.clock.now().getTime() / 1000
  return { limit: read('limit'), remaining: read('remaining'), wait: read('reset') - Math.floor(now) }
}

describe('requests per minute of a key', () => {
  let t: Harness
  before(async () => {
    t = await startHarness()
    t.clock.set('2026-11-21T10:00:00Z')
  })
  after(() => t.close())

  for (const [plan, limit] of [
    ['beta', 300],
    ['pro', 120],
    ['business', 300],
    ['enterprise', 600],
  ] as const) {
    test(`${plan}: ${limit} requests, then 429 until the first is a minute old`, async () => {
      const { key } = await t.account({ plan, isLimited: true })
      for (let i = 1; i <= limit; i++) {
        const answer = await t.ask('GET', '/api/v1/categories', { key })
        assert.equal(answer.status, 200)
        assert.deepEqual(rate(t, answer), { limit, remaining: limit - i, wait: i === 1 ? 60 : 50 })
        if (i === 1) t.clock.advance(10_000)
      }
      for (let i = 0; i < 20; i++) {
        const refused = await t.ask('GET', '/api/v1/categories', { key })
        assert.equal(refused.status, 429)
        assert.equal(refused.json.code, 'rate_limited')
        assert.match(refused.json.error, new RegExp(`may make ${limit} requests a minute.*in 50 seconds`))
        assert.equal(refused.headers['retry-after'], '50')
        assert.deepEqual(rate(t, refused), { limit, remaining: 0, wait: 50 })
      }
      t.clock.advance(50_000)
      assert.equal((await t.ask('GET', '/api/v1/categories', { key })).status, 200)
      assert.equal((await t.ask('GET', '/api/v1/categories', { key })).status, 429)
    })
  }

  test('each key has its own limit; an account may have more or fewer than its plan', async () => {
    const account = await t.account({ isLimited: true })
    await setPlan(account.ctx, { accountId: account.id, plan: 'pro', quota: {}, requestsPerMinute: 2 })
    const other = await t.apiKey(account, 'read')
    for (const key of [account.key, other]) {
      const statuses: number[] = []
      for (let i = 0; i < 3; i++) statuses.push((await t.ask('GET', '/api/v1/categories', { key })).status)
      assert.deepEqual(statuses, [200, 200, 429])
    }
  })

  test('a plan without a limit rejects nobody, and its headers show the largest number', async () => {
    await t.sql`insert into plan (id, api, requests_per_minute) values ('endless', true, null)`
    const { key } = await t.account({ plan: 'endless', isLimited: true })
    for (let i = 0; i < 700; i++) {
      const answer = await t.ask('GET', '/api/v1/categories', { key })
      assert.equal(answer.status, 200)
      assert.deepEqual(rate(t, answer), { limit: 2_147_483_647, remaining: 2_147_483_647, wait: 0 })
    }
  })

  test('every response to a key counts and has rate headers', async () => {
    const { key, id, ctx } = await t.account({ isLimited: true })
    const made = await t.ask('POST', PRODUCTS, { key, body: newProduct() })
    const one = `${PRODUCTS}/${made.json.data.id}`
    const asks: [HTTPMethods, string, Ask, number][] = [
      ['GET', one, {}, 200],
      ['HEAD', one, {}, 200],
      ['GET', one, { headers: { 'if-none-match': made.headers.etag ?? '' } }, 304],
      ['GET', `${one}/qr`, {}, 200],
      ['GET', `${PRODUCTS}/${NOBODYS}`, {}, 404],
      ['GET', '/api/v1/nothing', {}, 404],
      ['DELETE', one, {}, 405],
      ['POST', PRODUCTS, { text: '{' }, 400],
      ['POST', PRODUCTS, { text: 'x', headers: { 'content-type': 'text/plain' } }, 415],
      ['POST', PRODUCTS, { text: ' '.repeat(1_048_577) }, 413],
      ['POST', PRODUCTS, { body: {} }, 422],
      ['PATCH', one, { body: { data: {} }, headers: { 'if-match': '"v7"' } }, 412],
    ]
    let remaining = rate(t, made).remaining
    for (const [method, path, ask, status] of asks) {
      const answer = await t.ask(method, path, { key, ...ask })
      assert.equal(answer.status, status, `${method} ${path} ${answer.text}`)
      assert.deepEqual(rate(t, answer), { limit: 300, remaining: --remaining, wait: 60 })
    }
    await setPlan(ctx, { accountId: id, plan: 'free', quota: {} })
    t.clock.advance(2_000)
    const without = await t.ask('GET', one, { key })
    assert.equal(without.json.code, 'plan_required')
    assert.deepEqual(rate(t, without), { limit: 300, remaining: 299, wait: 60 })
  })
})

describe('while the shares of the limit cannot be read', () => {
  test('reads are served, and at most one is delayed', async () => {
    const t = await startHarness()
    const { key } = await t.account({ plan: 'pro', isLimited: true })
    const made = await t.ask('POST', PRODUCTS, { key, body: newProduct() })
    const release = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const lock = t.sql.begin(async sql => {
      await sql`lock table rate_share in access exclusive mode`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const statuses: number[] = []
    for (let i = 0; i < 125; i++)
      statuses.push((await t.ask('GET', `${PRODUCTS}/${made.json.data.id}`, { key })).status)
    assert.deepEqual(
      [statuses.filter(status => status === 200).length, statuses.filter(status => status === 429).length],
      [119, 6],
    )
    release.resolve()
    await lock
    await t.close()
  })
})

describe('requests per minute of an IP address', () => {
  let t: Harness
  before(async () => {
    t = await startHarness({ trustedProxies: ['10.1.1.1'] })
    t.clock.set('2026-11-21T10:00:00Z')
  })
  after(() => t.close())
  const drain = async (from: string) => {
    for (let i = 1; i <= 300; i++) {
      const answer = await t.ask('GET', PRODUCTS, {
        from,
        key: i % 2 === 0 ? WRONG_KEY : 'nothing like a key',
      })
      assert.equal(answer.status, 401)
      assert.deepEqual(rate(t, answer), { limit: 300, remaining: 300 - i, wait: 60 })
    }
  }

  test('300 wrong keys, then 429; valid keys from there and other addresses are not rejected', async () => {
    const from = '192.0.2.7'
    await drain(from)
    for (const ask of [{}, { key: WRONG_KEY }, { key: 'x' }]) {
      const refused = await t.ask('GET', PRODUCTS, { from, ...ask })
      assert.deepEqual([refused.status, refused.json.code], [429, 'rate_limited'])
      assert.equal(refused.headers['retry-after'], '60')
      assert.deepEqual(rate(t, refused), { limit: 300, remaining: 0, wait: 60 })
    }
    const { key } = await t.account({ isLimited: true })
    assert.equal(rate(t, await t.ask('GET', PRODUCTS, { from, key })).remaining, 299)
    assert.equal((await t.ask('GET', PRODUCTS, { from: '192.0.2.8' })).status, 401)
    assert.equal((await t.ask('GET', '/api/v1/openapi.json', { from })).status, 429)
    assert.equal((await t.ask('POST', '/api/v1/health', { from })).status, 405)
    for (let i = 0; i < 310; i++) {
      const health = await t.ask('GET', '/api/v1/health', { from })
      assert.equal(health.status, 200)
      assert.deepEqual(rate(t, health), { limit: 300, remaining: 0, wait: 60 })
    }
    t.clock.advance(60_000)
    assert.equal((await t.ask('GET', PRODUCTS, { from })).status, 401)
  })

  test('300 calls with keys of a plan without the API count too, and are never rejected for their number', async () => {
    const from = '192.0.2.10'
    const { id, ctx, key } = await t.account()
    await setPlan(ctx, { accountId: id, plan: 'free', quota: {} })
    for (let i = 1; i <= 302; i++) {
      const answer = await t.ask('GET', PRODUCTS, { from, key })
      assert.deepEqual([answer.status, answer.json.code], [403, 'plan_required'])
      assert.deepEqual(rate(t, answer), { limit: 300, remaining: Math.max(0, 300 - i), wait: 60 })
    }
    assert.equal((await t.ask('GET', PRODUCTS, { from, key: WRONG_KEY })).status, 429)
  })

  test('calls without a key count too, whatever their response', async () => {
    const from = '192.0.2.9'
    const statuses = [
      await t.ask('GET', '/api/v1/health', { from }),
      await t.ask('GET', '/api/v1/openapi.json', { from }),
      await t.ask('DELETE', '/api/v1/openapi.json', { from }),
      await t.ask('GET', '/api/v1/%zz', { from }),
      await t.ask('GET', `${PRODUCTS}?${'x'.repeat(9_000)}`, { from }),
    ].map((answer, i) => [answer.status, rate(t, answer).remaining - 299 + i])
    assert.deepEqual(statuses, [
      [200, 0],
      [200, 0],
      [405, 0],
      [400, 0],
      [414, 0],
    ])
  })

  test('an IPv6 address counts by its /64; behind a trusted proxy the client counts, not the proxy', async () => {
    const remaining = async (from: string, forwarded?: string) => {
      const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
      return rate(t, await t.ask('GET', PRODUCTS, { from, headers })).remaining
    }
    assert.equal(await remaining('2001:db8:0:5::1'), 299)
    assert.equal(await remaining('2001:db8:0:5:ffff::2'), 298)
    assert.equal(await remaining('2001:db8:0:6::1'), 299)
    assert.equal(await remaining('10.1.1.1', '198.51.100.1'), 299)
    assert.equal(await remaining('10.1.1.1', '198.51.100.2'), 299)
    assert.equal(await remaining('198.51.100.1'), 298)
    assert.equal(await remaining('203.0.113.1', '198.51.100.9'), 299)
    assert.equal(await remaining('203.0.113.1', '198.51.100.10'), 298)
  })

  test('ports, quotes and brackets around an address make no separate client; an invalid address counts as the proxy', async () => {
    const remaining = async (forwarded: string) =>
      rate(t, await t.ask('GET', PRODUCTS, { from: '10.1.1.1', headers: { 'x-forwarded-for': forwarded } }))
        .remaining
    const spellings: [string[], number][] = [
      [['198.51.100.20:50001', '198.51.100.20:50002', '198.51.100.20', '"198.51.100.20:1"'], 299],
      [['8.8.8.8, 198.51.100.20:4', '8.8.8.8, 198.51.100.20:4,  10.1.1.1:8080'], 295],
      [['[2001:db8:77::1]:443', '[2001:db8:77::1]', '2001:db8:77::2', '"[2001:db8:77::3]:1"'], 299],
      [['unknown', '_hidden', '999.1.1.1', '198.51.100.20x', '[::1', '8.8.8.8, -', '10.1.1.1'], 299],
    ]
    for (const [forwarded, first] of spellings) {
      const left = []
      for (const one of forwarded) left.push(await remaining(one))
      assert.deepEqual(
        left,
        forwarded.map((_, i) => first - i),
        forwarded.join(' | '),
      )
    }
  })

  test('outside the API there are no rate headers', async () => {
    for (const path of ['/healthz', '/p/nothing', '/nothing']) {
      assert.equal((await t.ask('GET', path)).headers['x-ratelimit-limit'], undefined, path)
    }
  })

  test('the memory for addresses is bounded', () => {
    const limits = createAddressLimits()
    for (let i = 0; i < 3 * MAX_ADDRESSES; i++) limits.take(`2001:db8:${i.toString(16)}::1`, i)
    assert.equal(limits.size(), MAX_ADDRESSES)
    assert.equal(limits.take('2001:db8:1::1', 1).remaining, 299)
  })
})

describe('the order of error checks', () => {
  let t: Harness
  let taken: string
  const keys = new Map<string, string>()
  const FLAWS = ['plan_required', 'rate_limited', 'read_only'] as const
  const nameOf = (flaws: readonly string[]) => FLAWS.filter(flaw => flaws.includes(flaw)).join()

  before(async () => {
    t = await startHarness()
    t.clock.set('2026-11-21T10:00:00Z')
    for (let bits = 0; bits < 8; bits++) {
      const flaws = FLAWS.filter((_, i) => bits & (1 << i))
      const account = await t.account({ scope: flaws.includes('read_only') ? 'read' : 'full' })
      keys.set(nameOf(flaws), account.key)
      const requestsPerMinute = flaws.includes('rate_limited') ? 1 : 10_000
      await setPlan(account.ctx, { accountId: account.id, plan: 'beta', quota: {}, requestsPerMinute })
      if (flaws.includes('rate_limited')) await t.ask('GET', '/api/v1/categories', { key: account.key })
      const plan = flaws.includes('plan_required') ? 'free' : 'beta'
      await setPlan(account.ctx, { accountId: account.id, plan, quota: { model: 1 }, requestsPerMinute })
    }
    t.clock.advance(1_100)
    taken = nextGtin()
    const other = await t.account()
    await t.ask('POST', PRODUCTS, { key: other.key, body: newProduct({ gtin: taken }) })
    keys.set('room', (await t.account()).key)
    const last = { key: keys.get('') ?? '', body: newProduct() }
    assert.equal((await t.ask('POST', PRODUCTS, last)).status, 201)
  })
  after(() => t.close())

  /** In order of precedence; the codes of one step cannot occur together. */
  const STEPS = [
    ['unauthorized'],
    ['plan_required'],
    ['rate_limited'],
    ['read_only'],
    ['method_not_allowed'],
    ['not_found'],
    ['unsupported_media_type', 'payload_too_large', 'bad_request'],
    ['validation', 'gtin_taken', 'plan_limit'],
  ]
  const textOf = (has: (flaw: string) => boolean) => {
    if (has('bad_request')) return '{'
    if (has('payload_too_large')) return ' '.repeat(has('not_found') ? 8 * 1_048_576 + 1 : 1_048_577)
    return JSON.stringify(newProduct(has('gtin_taken') ? { gtin: taken } : {}))
  }
  const send = (flaws: readonly string[]) => {
    const has = (flaw: string) => flaws.includes(flaw)
    const base = has('not_found') ? `${PRODUCTS}/${NOBODYS}/children` : PRODUCTS
    const holder = nameOf(flaws) === '' && has('gtin_taken') ? 'room' : nameOf(flaws)
    return t.ask(
      has('method_not_allowed') ? 'DELETE' : 'POST',
      has('validation') ? `${base}?nothing=1` : base,
      {
        key: has('unauthorized') ? WRONG_KEY : (keys.get(holder) ?? ''),
        text: textOf(has),
        ...(has('unsupported_media_type') ? { headers: { 'content-type': 'text/plain' } } : {}),
      },
    )
  }

  for (const [i, step] of STEPS.entries()) {
    for (const first of step) {
      test(`${first} is reported, alone or together with later ones`, async () => {
        assert.equal((await send([first])).json.code, first)
        for (const second of STEPS.slice(i + 1).flat()) {
          assert.equal((await send([first, second])).json.code, first, `${first} and ${second}`)
        }
        assert.equal(
          (await send([first, ...STEPS.slice(i + 1).map(later => later[0] ?? '')])).json.code,
          first,
        )
      })
    }
  }
})
