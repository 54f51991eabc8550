/** Tests that readers get the last page, marked as stale, while the database is unavailable. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createApp } from '../../src/cli/server/app.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { type Forwarder, startForwarder } from '../forwarder.ts'
import { type Harness, newProduct, nextGtin, startHarness } from '../harness.ts'

const TEN_MINUTES_MS = 600_000
let t: Harness
let wire: Forwarder
let sql: Sql
let app: ReturnType<typeof createApp>
let pages: string[] = []
let id: string
let gs1: string

before(async () => {
  t = await startHarness()
  wire = await startForwarder(t.target)
  sql = openPool(wire.target, { max: 2 })
  const pageMetrics = { countPage: (from: string) => pages.push(from), watchPageCacheSize: () => {} }
  app = createApp({ ...t.setup, sql, pageMetrics })
  await app.ready()
  const account = await t.account()
  const { json } = await t.ask('POST', '/api/v1/products', {
    key: account.key,
    body: newProduct({ gtin: nextGtin() }),
  })
  id = json.data.id
  const { json: found } = await t.ask('GET', `/api/v1/products/${id}`, { key: account.key })
  gs1 = new URL(found.data.gs1_url).pathname
})
after(async () => {
  await app.close()
  await wire.cut()
  await sql.end({ timeout: 1 })
  await t.close()
})

const read = (url: string, headers = {}) => app.inject({ method: 'GET', url, headers })

describe('while the database does not answer', { skip: skipOnCitus('connection') }, () => {
  const began = new Date('2026-11-21T12:00:00Z')
  before(async () => {
    t.clock.set(began)
    assert.equal((await read(`/p/${id}`)).statusCode, 200)
    assert.equal((await read(`/p/${id}?format=jsonld`)).statusCode, 200)
    assert.equal((await read(gs1)).statusCode, 307)
    await wire.cut()
  })

  test('a page read before is shown, with its age and the reason', async () => {
    t.clock.set(new Date(began.getTime() + 90_000))
    pages = []
    const page = await read(`/p/${id}`)
    assert.equal(page.statusCode, 200)
    assert.equal(page.headers.age, '90')
    assert.equal(page.headers['x-carnet-stale'], 'database')
    assert.match(page.body, /Test product/)
    assert.deepEqual(pages, ['stale'])
    const again = await read(`/p/${id}`, { 'if-none-match': String(page.headers.etag) })
    assert.deepEqual([again.statusCode, again.headers['x-carnet-stale']], [304, 'database'])
  })

  test('cached JSON-LD is shown too, and a GS1 address redirects as before', async () => {
    const machine = await read(`/p/${id}?format=jsonld`)
    assert.deepEqual([machine.statusCode, machine.headers['x-carnet-stale']], [200, 'database'])
    const scan = await read(gs1)
    assert.equal(scan.statusCode, 307)
    assert.match(String(scan.headers.location), new RegExp(id))
  })

  test('a format not cached yet, another passport and the API are 503 with Retry-After', async () => {
    for (const url of [`/p/${id}?lang=fr`, `/p/${id}?version=1`, '/api/v1/health']) {
      const answer = await read(url)
      assert.equal(answer.statusCode, 503, url)
      assert.ok(Number(answer.headers['retry-after']) > 0, url)
    }
  })

  test('after ten minutes a cached page is 503 as well', async () => {
    t.clock.set(new Date(began.getTime() + TEN_MINUTES_MS))
    const page = await read(`/p/${id}`)
    assert.equal(page.statusCode, 503)
    assert.ok(Number(page.headers['retry-after']) > 0)
  })

  test('a hanging database does not delay a cached page', async () => {
    await wire.mend()
    t.clock.set(new Date(began.getTime() + 60_000))
    wire.silence()
    const page = await read(`/p/${id}`)
    assert.deepEqual([page.statusCode, page.headers['x-carnet-stale']], [200, 'database'])
  })

  test('when the database is back, the next page is current', async () => {
    await wire.mend()
    t.clock.set(new Date(began.getTime() + 120_000))
    for (let tries = 0; tries < 100; tries++) {
      const page = await read(`/p/${id}`)
      assert.equal(page.statusCode, 200)
      if (page.headers['x-carnet-stale'] === undefined) return
    }
    assert.fail('it stays stale')
  })
})
