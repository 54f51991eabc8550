/** Tests what counts as a scan, through the page and the two scan endpoints. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { ADDRESSES } from '../harness.ts'
import { anotherAddress, COMPUTER, CRAWLER, PHONE, type ScanStand, startScanStand } from './scan-stand.ts'

let stand: ScanStand
before(async () => {
  stand = await startScanStand()
})
after(() => stand.t.close())

/** Total and crawlers of a new passport after some page views. */
const countOf = async (looks: (id: string) => Promise<unknown>, open = stand.newModel) => {
  const id = await open()
  await looks(id)
  const { total, unique, crawlers } = await stand.scansOf(id)
  return { total, unique, crawlers }
}

describe('a scan', () => {
  test('counts every page view, and each reader once a day as unique', async () => {
    const count = await countOf(async id => {
      assert.equal(await stand.look(id, { from: '203.0.113.7' }), 200)
      await stand.look(id, { from: '203.0.113.7' })
      await stand.look(id, { from: '::ffff:203.0.113.7' })
      await stand.look(id, { from: '203.0.113.7', agent: COMPUTER })
      await stand.look(id, { from: '203.0.113.8' })
    })
    assert.deepEqual(count, { total: 5, unique: 3, crawlers: 0 })
  })

  test('counts a reader as unique once, also over several flushes', async () => {
    const count = await countOf(async id => {
      for (let i = 0; i < 4; i++) {
        await stand.look(id, { from: '203.0.113.9' })
        await stand.t.scans.flush()
      }
    })
    assert.deepEqual(count, { total: 4, unique: 1, crawlers: 0 })
  })

  test('counts an address with a language that a camera or a shop opens', async () => {
    const count = await countOf(async id => {
      for (const site of ['none', 'cross-site'])
        await stand.look(id, { query: '?lang=de', headers: { 'sec-fetch-site': site } })
      await stand.look(id, { query: '?lang=de' })
    })
    assert.deepEqual(count, { total: 3, unique: 3, crawlers: 0 })
  })

  test('counts at most 32 unique readers of one network, and one more for all others of it', async () => {
    const rows = async () => (await stand.t.sql`select count(*)::int as n from scan_visitor`)[0]?.n
    const before = await rows()
    const item = await stand.newItem()
    for (let i = 0; i < 50; i++) {
      await stand.look(item, { from: '198.51.100.9', agent: `${PHONE} ${i}` })
      if (i % 10 === 9) await stand.t.scans.flush()
    }
    // A reader who was counted before stays the same reader.
    for (let i = 0; i < 5; i++) await stand.look(item, { from: '198.51.100.9', agent: `${PHONE} ${i}` })
    const { total, unique } = await stand.scansOf(item)
    assert.deepEqual({ total, unique }, { total: 55, unique: 33 })
    assert.equal(await rows(), before + 33)
    const [hours] = await stand.t.sql`
      select count(distinct visitor)::int as n from scan_item_hour where passport_id = ${parseId(item) ?? ''}`
    assert.equal(hours?.n, 33)
    await stand.look(item, { from: '198.51.100.10' })
    assert.equal((await stand.scansOf(item)).unique, 34)
  })

  for (const [bits, group] of [
    ['/56', (i: number) => `db8:ff00:${i.toString(16)}`],
    ['/48', (i: number) => `db8:ff00:${(i * 256).toString(16)}`],
    ['/32', (i: number) => `db8:${i.toString(16)}`],
  ] as const) {
    test(`treats a ${bits} of IPv6 addresses as one network of an item`, async () => {
      const count = await countOf(async id => {
        for (let i = 0; i < 40; i++) await stand.look(id, { from: `2001:${group(i)}::${i + 1}` })
        await stand.look(id, { from: '2001:db9::1' })
      }, stand.newItem)
      assert.deepEqual(count, { total: 41, unique: 34, crawlers: 0 })
    })
  }

  test('is not counted for a 304, because the cached page was counted when it was sent', async () => {
    const count = await countOf(async id => {
      const first = await stand.t.ask('GET', `/p/${id}`)
      const again = { 'if-none-match': String(first.headers.etag) }
      assert.equal(await stand.look(id, { headers: again }), 304)
      assert.equal(await stand.look(id, { headers: again }), 304)
    })
    assert.equal(count.total, 1)
  })

  test('is counted for a reader who disconnects before the page is read from the database', async () => {
    const { app, sql } = stand.t
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const count = await countOf(async id => {
      const arrived = once(app.server, 'request')
      await sql.begin(async held => {
        await held`lock table passport in access exclusive mode`
        const socket = connect(port, '127.0.0.1', () =>
          socket.write(
            `GET /p/${id} HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nUser-Agent: ${PHONE}\r\n\r\n`,
          ),
        )
        const [request] = (await arrived) as [IncomingMessage]
        const left = new Promise(resolve => request.socket.once('close', resolve))
        socket.resetAndDestroy()
        await left
      })
      for (let turn = 0; turn < 200 && (await stand.scansOf(id)).total === 0; turn++) await setTimeout(10)
    })
    assert.deepEqual(count, { total: 1, unique: 1, crawlers: 0 })
  })

  test('is counted for an access link, once, after the redirect', async () => {
    const count = await countOf(async id => {
      const { token } = await createAccessLink(stand.account.ctx, {
        passportId: id,
        audience: 'authority',
        label: 'test',
        expiresAt: new Date(stand.t.clock.now().getTime() + 3_600_000),
        addresses: ADDRESSES,
      })
      assert.equal(await stand.look(id, { query: `?access=${token}` }), 303)
      assert.equal(await stand.look(id, { headers: { authorization: `Bearer ${token}` } }), 200)
    })
    assert.equal(count.total, 1)
  })

  test('is counted for the page that says an access link has expired', async () => {
    const count = await countOf(async id => {
      assert.equal(await stand.look(id, { query: '?access=x' }), 200)
      assert.equal((await stand.t.ask('HEAD', `/p/${id}?access=x`)).status, 200)
    })
    assert.equal(count.total, 1)
  })

  test('is counted for a generic client and for an empty user agent, with the device “other”', async () => {
    const id = await stand.newModel()
    const clients = [
      'curl/8.5.0',
      'python-requests/2.32.3',
      'undici',
      'node',
      'Go-http-client/1.1',
      'okhttp/4.12.0',
    ]
    for (const agent of [...clients, 'Wget/1.21.4', 'axios/1.7.2', 'Java/17.0.1', ''])
      await stand.look(id, { agent })
    const headless = PHONE.replace('Chrome/', 'HeadlessChrome/')
    await stand.look(id, { agent: headless })
    const summary = await stand.scansOf(id)
    assert.deepEqual(summary.byDevice, { mobile: 1, tablet: 0, desktop: 0, other: 10 })
    assert.equal(summary.crawlers, 0)
  })

  test('is counted for people of other accounts and for invalid session cookies', async () => {
    const other = await stand.t.account()
    const cookie = await stand.signIn(other.id)
    const count = await countOf(async id => {
      await stand.look(id, { headers: { cookie } })
      await stand.look(id, { headers: { cookie: `__Host-carnet=${'x'.repeat(43)}` } })
      await stand.look(id, { headers: { cookie: '__Host-carnet=' } })
    })
    assert.equal(count.total, 3)
  })

  test('is not counted again for a reload within a minute, by the same reader only', async () => {
    const headers = { 'cache-control': 'max-age=0' }
    const count = await countOf(async id => {
      const [from, other] = [anotherAddress(), anotherAddress()]
      // Two phones of one model may have one address.
      for (let n = 0; n < 2; n++) await stand.look(id, { from })
      await stand.scansOf(id)
      await stand.look(id, { from, headers })
      await stand.look(id, { from, headers: { 'cache-control': 'no-cache', pragma: 'no-cache' } })
      await stand.scansOf(id)
      await stand.look(id, { from, headers })
      // Some scanner apps bypass caches.
      await stand.look(id, { from: other, headers })
      await stand.scansOf(id)
      await stand.look(id, { from: other, headers: { 'cache-control': 'max-age=01' } })
      stand.t.clock.advance(59_000)
      await stand.look(id, { from, headers })
      await stand.scansOf(id)
      stand.t.clock.advance(60_000)
      await stand.look(id, { from, headers })
    })
    assert.deepEqual(count, { total: 5, unique: 2, crawlers: 0 })
  })

  test('accepts a user agent of 8 kB', async () => {
    const count = await countOf(async id => {
      await stand.look(id, { from: '203.0.113.7', agent: `${PHONE} ${'x'.repeat(8_000)}` })
      await stand.look(id, { from: '203.0.113.7', agent: `${PHONE} ${'x'.repeat(8_001)}` })
    })
    assert.deepEqual(count, { total: 2, unique: 1, crawlers: 0 })
  })
})

describe('requests that are not counted as scans', () => {
  const none: [string, (id: string) => Promise<unknown>][] = [
    ['HEAD', id => stand.look(id, { method: 'HEAD' })],
    ['JSON-LD by Accept', id => stand.look(id, { headers: { accept: 'application/ld+json' } })],
    ['JSON-LD by query', id => stand.look(id, { query: '?format=jsonld' })],
    ['a prefetch', id => stand.look(id, { headers: { 'sec-purpose': 'prefetch;prerender' } })],
    ['a prefetch of older browsers', id => stand.look(id, { headers: { purpose: 'prefetch' } })],
    ['a prefetch of yet older ones', id => stand.look(id, { headers: { 'x-moz': 'prefetch' } })],
    ['a preview', id => stand.look(id, { headers: { 'x-purpose': 'preview' } })],
    ['a part of the page', id => stand.look(id, { headers: { range: 'bytes=0-99' } })],
    ...['lang=de', 'version=1', 'country=AT'].map((query): [string, (id: string) => Promise<unknown>] => [
      `the link ?${query} of the page itself`,
      id => stand.look(id, { query: `?${query}`, headers: { 'sec-fetch-site': 'same-origin' } }),
    ]),
    ['the symbol', id => stand.t.ask('GET', `/p/${id}/qr.svg`)],
    ['what is not there', id => stand.look(`${id}0`)],
    ['a look by the API', id => stand.t.ask('GET', `/api/v1/products/${id}`, { key: stand.account.key })],
    [
      'somebody signed in to the account',
      async id => stand.look(id, { headers: { cookie: await stand.signIn(stand.account.id) } }),
    ],
  ]
  for (const [name, looks] of none) {
    test(name, async () => {
      assert.deepEqual(await countOf(looks), { total: 0, unique: 0, crawlers: 0 })
    })
  }

  test('crawlers and link previews are counted apart', async () => {
    const id = await stand.newModel()
    for (const agent of [CRAWLER, 'facebookexternalhit/1.1', 'WhatsApp/2.23.20.0 A', 'Twitterbot/1.0']) {
      await stand.look(id, { agent })
    }
    const { total, crawlers, byCountry, byDevice } = await stand.scansOf(id)
    assert.deepEqual({ total, crawlers, byCountry }, { total: 0, crawlers: 4, byCountry: {} })
    assert.deepEqual(byDevice, { mobile: 0, tablet: 0, desktop: 0, other: 0 })
  })
})

describe('country', () => {
  test('is looked up by address; XX if it is unknown', async () => {
    const id = await stand.newModel()
    for (const from of ['8.8.8.8', '::ffff:8.8.8.8', '192.168.1.5', '2001:db8::1'])
      await stand.look(id, { from })
    assert.deepEqual((await stand.scansOf(id)).byCountry, { US: 2, XX: 2 })
  })

  test('is taken from a proxy’s headers, like the address, only if the proxy is trusted', async () => {
    const behind = await startScanStand({
      trustedProxies: ['10.0.0.0/8', 'fd00::/8'],
      countryHeader: 'cf-ipcountry',
    })
    const look = (from: string, headers: Record<string, string>) =>
      behind.look(behind.model, { from, headers })
    await look('10.1.2.3', { 'x-forwarded-for': '198.51.100.4, 203.0.113.1', 'cf-ipcountry': 'de' })
    await look('::ffff:10.1.2.3', { 'x-forwarded-for': '203.0.113.1', 'cf-ipcountry': 'DE' })
    await look('fd00::1', { 'x-forwarded-for': '8.8.8.8', 'cf-ipcountry': 'T1' })
    await look('10.1.2.3', { 'x-forwarded-for': '8.8.8.8', 'cf-ipcountry': 'XX' })
    const forged = { 'x-forwarded-for': '8.8.8.8', 'cf-ipcountry': 'FR', forwarded: 'for=8.8.8.8' }
    await look('203.0.113.77', forged)
    await look('203.0.113.77', { ...forged, 'x-forwarded-for': '8.8.4.4' })
    const { byCountry, unique } = await behind.scansOf(behind.model)
    assert.deepEqual(byCountry, { DE: 2, US: 2, XX: 2 })
    assert.equal(unique, 3)
    for (const forwarded of ['8.8.8.8:5001', '8.8.8.8:5002', '"8.8.8.8"'])
      await look('10.1.2.3', { 'x-forwarded-for': forwarded })
    const ported = await behind.scansOf(behind.model)
    assert.deepEqual([ported.byCountry.US, ported.unique], [5, 3])
    await behind.t.close()
  })
})

describe('GET /products/{id}/scans', () => {
  test('has the documented shape', async () => {
    const id = await stand.newModel('battery')
    await stand.look(id, { from: '8.8.8.8' })
    const summary = await stand.scansOf(id)
    assert.deepEqual(
      { ...summary, by_day: summary.by_day.length },
      {
        product_id: id,
        range_days: 30,
        total: 1,
        unique: 1,
        byCountry: { US: 1 },
        byDevice: { mobile: 1, tablet: 0, desktop: 0, other: 0 },
        by_day: 30,
        crawlers: 0,
      },
    )
    const today = stand.t.clock.now().toISOString().slice(0, 10)
    assert.deepEqual(summary.by_day.at(-1), { date: today, total: 1, unique: 1 })
  })

  test('?include=units adds the scans of units of a model or batch', async () => {
    const fresh = await startScanStand()
    for (const id of [fresh.model, fresh.batch, fresh.item, fresh.item]) await fresh.look(id)
    const totals = async (id: string) => [
      (await fresh.scansOf(id)).total,
      (await fresh.scansOf(id, '?include=units')).total,
    ]
    assert.deepEqual(await totals(fresh.model), [1, 4])
    assert.deepEqual(await totals(fresh.batch), [1, 3])
    assert.deepEqual(await totals(fresh.item), [2, 2])
    const all = await fresh.scans()
    assert.deepEqual(all.byLevel, { model: 1, batch: 1, item: 2 })
    assert.deepEqual(all.byCategory, { textile: 4, battery: 0, furniture: 0 })
    assert.equal(all.unique, 4)
    await fresh.t.close()
  })

  test('accepts 7, 30, 90 or 365 days; anything else is 422', async () => {
    for (const days of ['7', '30', '90', '365']) {
      const summary = await stand.scansOf(stand.model, `?days=${days}`)
      assert.equal(summary.range_days, Number(days))
      assert.equal(summary.by_day.length, Number(days))
    }
    for (const query of [
      'days=1',
      'days=',
      'days=07',
      'days=30.0',
      'days=-7',
      'days=7&days=30',
      'days=all',
      'include=all',
      'x=1',
    ]) {
      for (const path of [`/products/${stand.model}/scans`, '/scans']) {
        const answer = await stand.t.ask('GET', `/api/v1${path}?${query}`, { key: stand.account.key })
        assert.equal(answer.status, 422, `${path}?${query}`)
        assert.equal(answer.json.code, 'validation')
      }
    }
  })

  test('is not visible to another account', async () => {
    const other = await stand.t.account()
    const answer = await stand.t.ask('GET', `/api/v1/products/${stand.model}/scans`, { key: other.key })
    assert.equal(answer.status, 404)
    const all = await stand.t.ask('GET', '/api/v1/scans', { key: other.key })
    assert.equal(all.json.data.total, 0)
  })
})
