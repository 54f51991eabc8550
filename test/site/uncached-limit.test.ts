/** Tests the limit of uncached responses by network. Cached pages are always sent. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createPageLimit, MAX_PAGES_AT_ONCE, PAGES_PER_SECOND } from '../../src/accounts/limits/page-limit.ts'
import { MAX_WAITING_PER_NETWORK } from '../../src/accounts/limits/turns.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { getLabels, LANGUAGES } from '../../src/i18n/catalogue.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { createLog } from '../../src/kernel/errors/log.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { endPools } from '../database.ts'
import { ADDRESSES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let t: Harness
let account: TestAccount
let id: string
let gs1: string
let app: ReturnType<typeof createApp>
let sql: Sql
let statements = 0
const outcomes: string[] = []
const warnings: { rejected: number }[] = []

before(async () => {
  t = await startHarness()
  t.clock.set('2026-11-21T10:00:00Z')
  account = await t.account()
  const gtin = nextGtin()
  const { json } = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct({ gtin }) })
  id = json.data.id
  gs1 = `/01/0${gtin}`
  const log = createLog({ logLevel: 'silent', logFormat: 'json' })
  sql = await t.openPools({ onStatementEnd: () => statements++ })
  app = createApp({
    ...t.setup,
    sql,
    pageMetrics: { countPage: from => outcomes.push(from), watchPageCacheSize: () => {} },
    log: Object.assign(log, { warn: (fields: { rejected: number }) => warnings.push(fields) }),
  })
})
after(async () => {
  await app.close()
  await endPools(sql)
  await t.close()
})

let networks = 0
/** An address in a new network. */
const newNetwork = () => `2001:db8:${(++networks).toString(16)}::1`

const get = (url: string, from: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url, remoteAddress: from, headers })

/** Uses up a network's uncached responses, except `spared` ones. */
async function exhaust(from: string, spared = 0): Promise<void> {
  for (let n = 0; n < MAX_PAGES_AT_ONCE - spared; n++) {
    assert.equal((await get(`/p/${id}/qr.svg?size_mm=${20 + (n % 50)}`, from)).statusCode, 200)
  }
}

describe('a network that requests too many uncached pages', () => {
  const from = newNetwork()
  before(async () => {
    await get(`/p/${id}`, newNetwork())
    await get(`/p/${id}`, newNetwork(), { 'accept-encoding': 'br' })
    await exhaust(from)
  })

  for (const [what, url] of [
    ['an earlier version', () => `/p/${id}?version=1`],
    ['a form that is not made', () => `/p/${id}?lang=fi`],
    ['a passport that is not there', () => '/p/01jdq0000000000000000000zz'],
    ['a token that nobody has given', () => `/p/${id}?access=${'x'.repeat(10)}`],
    ['a linkset', () => `${gs1}?linkType=linkset`],
    ['a sitemap', () => '/sitemap/3.xml'],
  ] as const) {
    test(`${what} is rejected without a look-up`, async () => {
      const before = statements
      const answer = await get(url(), from)
      assert.equal(answer.statusCode, 429)
      assert.equal(answer.headers['retry-after'], '1')
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.equal(answer.json().code, 'rate_limited')
      assert.equal(statements, before)
      assert.notEqual((await get(url(), newNetwork())).statusCode, 429)
      assert.ok(statements > before)
    })
  }

  test('another size of the symbol is rejected', async () => {
    const answer = await get(`/p/${id}/qr.svg?size_mm=77`, from)
    assert.equal(answer.statusCode, 429)
    assert.equal((await get(`/p/${id}/qr.svg?size_mm=77`, newNetwork())).statusCode, 200)
  })

  test('still gets cached pages, also of a passport that was read a while ago', async () => {
    assert.equal((await get(`/p/${id}`, from)).statusCode, 200)
    t.clock.advance(5_000)
    const again = newNetwork()
    await exhaust(again)
    for (const headers of [{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip' }]) {
      assert.equal((await get(`/p/${id}`, again, headers as Record<string, string>)).statusCode, 200)
    }
  })

  test('gets an error page in the reader’s language', async () => {
    const again = newNetwork()
    await exhaust(again)
    for (const { code } of LANGUAGES) {
      const answer = await get(`/p/${id}?version=1`, again, { accept: BROWSER, 'accept-language': code })
      assert.equal(answer.statusCode, 429)
      assert.equal(answer.headers['content-language'], code)
      assert.equal(answer.headers['retry-after'], '1')
      assert.ok(answer.body.includes(getLabels(code).ui['error.tooMany']), code)
    }
  })

  test('is counted, and logged once a minute', async () => {
    t.clock.advance(60_000)
    const again = newNetwork()
    await exhaust(again)
    warnings.length = 0
    outcomes.length = 0
    for (let n = 0; n < 5; n++) await get(`/p/${id}?version=1`, again)
    assert.deepEqual(outcomes, Array(5).fill('rejected'))
    assert.equal(warnings.length, 1)
    t.clock.advance(60_000)
    await exhaust(again)
    await get(`/p/${id}?version=1`, again)
    assert.equal(warnings.length, 2)
    assert.equal(warnings[1]?.rejected, 5)
  })

  test('can still read with an access link', async () => {
    const link = await createAccessLink(account.ctx, {
      passportId: id,
      audience: 'authority',
      label: 'Test',
      expiresAt: new Date(t.clock.now().getTime() + 3_600_000),
      addresses: ADDRESSES,
    })
    const again = newNetwork()
    const authorization = `Bearer ${link.token}`
    await exhaust(again, 1)
    for (let n = 0; n < 5; n++) {
      assert.equal((await get(`/p/${id}`, again, { authorization })).statusCode, 200)
    }
    const entered = await get(`/p/${id}?access=${link.token}`, again)
    const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
    assert.equal((await get(`/p/${id}/qr.svg`, again)).statusCode, 200)
    assert.equal((await get(`/p/${id}/qr.svg`, again)).statusCode, 429)
    assert.equal((await get(`/p/${id}`, again, { cookie })).statusCode, 200)
  })
})

describe('networks with concurrent requests', () => {
  test('take turns: one with few requests is answered before most requests of another', async () => {
    const [many, few] = [newNetwork(), newNetwork()]
    await get(`/p/${id}`, newNetwork())
    const order: string[] = []
    const ask = async (name: string, from: string) => {
      const { statusCode, headers } = await get(`/p/${id}/qr.svg`, from)
      order.push(`${name} ${statusCode} ${headers['retry-after'] ?? ''}`.trim())
    }
    const asked = Array.from({ length: 60 }, () => ask('many', many))
    await Promise.all([...asked, ask('few', few)])
    const served = order.filter(line => line.endsWith('200'))
    assert.ok(served.indexOf('few 200') >= 0 && served.indexOf('few 200') <= 2, String(served))
    assert.equal(served.length, 2 + MAX_WAITING_PER_NETWORK)
    assert.equal(order.filter(line => line === 'many 503 2').length, 59 - MAX_WAITING_PER_NETWORK)
  })

  test('cached pages do not wait, and all readers behind an unconfigured proxy share a queue', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.50' }
    const order: string[] = []
    const ask = async (name: string, url: string) => {
      order.push(`${name} ${(await get(url, '172.18.0.9', headers)).statusCode}`)
    }
    await get(`/p/${id}`, newNetwork())
    const asked = Array.from({ length: 2 * MAX_WAITING_PER_NETWORK }, () => ask('made', `/p/${id}/qr.svg`))
    await Promise.all([...asked, ask('ready', `/p/${id}`)])
    assert.ok(order.indexOf('ready 200') <= 2, String(order))
    assert.equal(order.filter(line => line === 'made 200').length, asked.length)
  })

  test('a client that disconnects leaves the queue', async () => {
    const from = newNetwork()
    outcomes.length = 0
    const leaving = new AbortController()
    const version = (signal?: AbortSignal) =>
      app.inject({ url: `/p/${id}?version=1`, remoteAddress: from, ...(signal && { signal }) })
    const first = version()
    const gone = Array.from({ length: 20 }, () => version(leaving.signal).catch(() => undefined))
    await turn()
    leaving.abort()
    await Promise.all([first, ...gone])
    assert.equal((await version()).statusCode, 200)
    // Only the responses in progress are finished after their clients left.
    assert.ok(outcomes.length >= 2 && outcomes.length < 10, String(outcomes.length))
  })
})

describe('which addresses share a network', () => {
  test('a household is one IPv4 address or one IPv6 /56', async () => {
    for (const [one, other, isSame] of [
      ['203.0.113.7', '::ffff:203.0.113.7', true],
      ['203.0.113.8', '203.0.113.9', false],
      ['2001:db8:ffff:1100::1', '2001:db8:ffff:11ff::2', true],
      ['2001:db8:fffe:1100::1', '2001:db8:fffe:1200::1', false],
    ] as const) {
      await exhaust(one)
      assert.equal((await get(`/p/${id}/qr.svg`, other)).statusCode, isSame ? 429 : 200, `${one} ${other}`)
    }
  })

  test('readers behind an unconfigured proxy are not limited', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.50' }
    for (let n = 0; n <= MAX_PAGES_AT_ONCE; n++) {
      assert.equal((await get(`/p/${id}/qr.svg`, '172.18.0.9', headers)).statusCode, 200)
    }
    // A header sent by a reader is ignored.
    const from = newNetwork()
    await exhaust(from)
    assert.equal((await get(`/p/${id}/qr.svg`, from, headers)).statusCode, 429)
  })
})

describe('readers with the same preferred languages in another order', () => {
  test('share one page', async () => {
    const languages = ['en', 'ja', 'zh', 'ko', 'th', 'vi', 'hi']
    const text = Object.fromEntries(languages.map(tag => [tag, `${tag} text`]))
    const { json } = await t.ask('POST', '/api/v1/products', {
      key: account.key,
      body: newProduct({
        languages,
        careInstructions: text,
        endOfLife: { recyclingInstructions: text, disposalInstructions: text },
      }),
    })
    outcomes.length = 0
    for (let n = 0; n < 60; n++) {
      const rest = languages.slice(2).map((tag, i, all) => all[(i + n) % all.length] ?? tag)
      const acceptLanguage = ['ja', ...rest].join(', ')
      const answer = await get(`/p/${json.data.id}`, newNetwork(), { 'accept-language': acceptLanguage })
      assert.match(answer.body, /ja text/)
    }
    assert.equal(outcomes.filter(from => from === 'rendered').length, 1)
  })
})

describe('createPageLimit', () => {
  test('refills each second, up to its maximum', () => {
    const limit = createPageLimit()
    const take = (now: number) => limit.take('203.0.113.1', now)
    const isOut = { seconds: 1, isOwn: true }
    for (let n = 0; n < MAX_PAGES_AT_ONCE; n++) assert.equal(take(0), undefined)
    assert.deepEqual(take(0), isOut)
    for (let n = 0; n < PAGES_PER_SECOND; n++) assert.equal(take(1_000), undefined)
    assert.deepEqual(take(1_000), isOut)
    assert.deepEqual(take(500), isOut)
    for (let n = 0; n < MAX_PAGES_AT_ONCE; n++) assert.equal(take(3_600_000), undefined)
    assert.deepEqual(take(3_600_000), isOut)
  })

  test('the networks of a site and of a provider share a bucket, which refuses none as its own fault', () => {
    const limit = createPageLimit()
    const countAll = (toAddress: (n: number) => string) => {
      let taken = 0
      for (let n = 0; n < 5_000; n++) {
        const refusal = limit.take(toAddress(n), 0)
        if (refusal === undefined) taken++
        else assert.equal(refusal.isOwn, false)
      }
      return taken
    }
    const hex = (n: number) => n.toString(16)
    assert.equal(
      countAll(n => `2001:db8:1:${hex((n % 250) << 8)}::1`),
      4 * MAX_PAGES_AT_ONCE,
    )
    assert.equal(
      countAll(n => `2001:db9:${hex(n)}::1`),
      12 * MAX_PAGES_AT_ONCE,
    )
    assert.equal(
      countAll(n => `2a00:${hex(n)}::1`),
      5_000,
    )
  })

  test('remembers a bounded number of networks', () => {
    const limit = createPageLimit()
    for (let i = 0; i < 20_100; i++)
      limit.take(`2001:${(i >> 12).toString(16)}:${(i & 4_095).toString(16)}::1`, 0)
    // The 20,001st network drops a sixteenth of the others, and 99 follow.
    assert.equal(limit.size(), 20_001 - 1_250 + 99)
  })
})
