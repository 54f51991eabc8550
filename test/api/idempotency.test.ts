/**
 * Tests Idempotency-Key: a completed request is not repeated and gets the same response; a failed one can be
 * retried.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { HTTPMethods } from 'fastify'
import { deleteExpiredKeys } from '../../src/accounts/idempotency/idempotency.ts'
import { API_PREFIX } from '../../src/api/door/door.ts'
import { ENDPOINTS } from '../../src/api/endpoints.ts'
import { getPrefixDigits } from '../../src/gs1/gtin.ts'
import { inTransaction } from '../../src/kernel/db/transaction.ts'
import { findCachedMetadata, readPublicPassport } from '../../src/passports/read/public-passport.ts'
import { refreshesEnded } from '../../src/passports/units/refresh-job.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { getTestShard } from '../database.ts'
import {
  type Answer,
  type Ask,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { makePng } from '../media/sample-files.ts'
import { waitForLocks } from '../waiting.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

let t: Harness
let elsewhere: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  elsewhere = await t.beside()
  account = await t.account({ plan: 'enterprise' })
})
after(async () => {
  await elsewhere.close()
  await t.close()
})

const withKey = (key: string, ask: Ask = {}): Ask => ({
  key: account.key,
  ...ask,
  headers: { ...ask.headers, 'idempotency-key': key },
})
const send = (method: HTTPMethods, path: string, ask: Ask, on = t) =>
  on.ask(method, `${API_PREFIX}${path}`, ask)
const create = (key: string, body: unknown = newProduct(), on = t) =>
  send('POST', '/products', withKey(key, { body }), on)
const isReplay = (answer: Answer) => answer.headers['idempotency-replayed'] === 'true'

const WASHED = { at: '2026-11-20T10:00:00Z', values: { washCycles: 3 } }
const OF_ITEMS: readonly string[] = ['/products/:id/events', '/products/:id/measurements']

async function rowsOf(id = account.id): Promise<{
  passports: number
  versions: number
  events: number
  drafts: number
  keys: number
}> {
  const [row] = await t.sql`
    select (select count(*) from passport where account_id = ${id})::int as passports,
      (select count(*) from passport_version where account_id = ${id})::int as versions,
      (select count(*) from event where account_id = ${id})::int as events,
      (select count(*) from draft where account_id = ${id})::int as drafts,
      (select count(*) from idempotency_key where account_id = ${id})::int as keys`
  return row as Awaited<ReturnType<typeof rowsOf>>
}

function replays(first: Answer, second: Answer): void {
  assert.equal(second.status, first.status)
  assert.equal(second.text, first.text)
  assert.ok(isReplay(second) && !isReplay(first))
  const own = new Set(['x-request-id', 'date', 'idempotency-replayed'])
  const lasting = ({ headers }: Answer) =>
    Object.fromEntries(
      Object.entries(headers).filter(([name]) => !own.has(name) && !name.startsWith('x-ratelimit')),
    )
  assert.deepEqual(lasting(second), lasting(first))
  assert.notEqual(second.headers['x-request-id'], first.headers['x-request-id'])
}

function refused(answer: Answer, status: number, code: string, detail?: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.json.code, code)
  if (detail !== undefined)
    assert.deepEqual(
      answer.json.errors.map((one: { code: string }) => one.code),
      [detail],
    )
}

const EVENT = { kind: 'repair', at: '2026-01-01' }
const RECALL = { hazard: { en: 'It breaks.' }, action: { en: 'Stop using it.' } }

describe('every route that changes data', () => {
  type Stand = {
    model: string
    item: string
    serial: string
    draft: string
    picture: Buffer
    media: string
    offer: string
  }
  let serials = 0
  const OFFER = { kind: 'repair', title: { en: 'Repair' }, url: 'https://shop.example/repair' }

  const makePicture = () => makePng({ width: 1 + serials, height: 2 })
  const sendPicture = (picture: Buffer): Ask => ({ text: picture, headers: { 'content-type': 'image/png' } })

  /** A model with an item that a correction has made outdated, a draft, an offer, a stored file and one to store. */
  async function stand(): Promise<Stand> {
    const serial = `S${++serials}`
    const model = (await send('POST', '/products', { key: account.key, body: newProduct() })).json.data.id
    const unit = { level: 'item', serial }
    const item = (await send('POST', `/products/${model}/children`, { key: account.key, body: unit })).json
      .data.id
    const correction = { change_type: 'correction', data: { countryOfManufacture: 'ES' } }
    await send('PATCH', `/products/${model}`, { key: account.key, body: correction })
    await send('PUT', `/products/${model}/recall`, { key: account.key, body: RECALL })
    const prepared = await send('POST', '/drafts', { key: account.key, body: newProduct() })
    const file = { key: account.key, ...sendPicture(await makePicture()) }
    const media = (await send('POST', '/media', file)).json.data.id
    const offer = (await send('POST', '/offers', { key: account.key, body: OFFER })).json.data.id
    serials++
    return { model, item, serial, draft: prepared.json.data.id, picture: await makePicture(), media, offer }
  }

  const fixedBodies = ({ model, serial }: Pick<Stand, 'serial' | 'model'>): Record<string, object> => ({
    'POST /readiness': { category: 'battery', data: { weightKg: 2 } },
    'PUT /readiness/settings': { acts: ['fr.agec.textile'] },
    'POST /offers': OFFER,
    'PUT /products/:id/recall': { ...RECALL, contact: model },
    'PATCH /offers/:offer': OFFER,
    'POST /products/:id/events': EVENT,
    'POST /products/:id/children/events': {
      items: [
        { serial, ...EVENT },
        { serial: 'none', ...EVENT },
      ],
    },
    'POST /products/:id/measurements': WASHED,
    'POST /products/:id/children/measurements': {
      items: [
        { serial, ...WASHED },
        { serial: 'none', ...WASHED },
      ],
    },
    'POST /registry/results': { results: [{ passport_id: model, version_no: 1, state: 'registered' }] },
  })

  const body = (
    route: { method: string; path: string },
    { serial, model, picture }: Pick<Stand, 'serial' | 'model' | 'picture'>,
  ): Ask => {
    if (route.path === '/media') return sendPicture(picture)
    const fixed = fixedBodies({ model, serial })[`${route.method} ${route.path}`]
    if (fixed !== undefined) return { body: fixed }
    if (route.path.endsWith('/bulk')) return { body: { items: [newProduct({ sku: `N${serial}` }), {}] } }
    if (route.method === 'PUT')
      return { body: newProduct({ sku: route.path.endsWith('sku') ? undefined : `P${serial}` }) }
    if (route.path.endsWith('/children'))
      return { body: { level: 'item', items: [{ serial: `N${serial}` }, {}] } }
    if (route.path.endsWith('/children/update')) {
      return {
        body: {
          items: [
            { serial, data: { countryOfManufacture: 'FR' } },
            { serial: 'none', data: {} },
          ],
        },
      }
    }
    if (route.method === 'PATCH') return { body: { data: { countryOfManufacture: 'IT' } } }
    return route.path === '/products' || route.path === '/drafts' ? { body: newProduct() } : {}
  }

  for (const route of ENDPOINTS.filter(one => one.method !== 'GET' && !one.isPublic)) {
    test(`${route.method} ${route.path}: executed once, answered twice, here and by another process`, async () => {
      const made = await stand()
      const { model, item, serial, draft, media, offer } = made
      const path = route.path
        .replace(':id', OF_ITEMS.includes(route.path) ? item : model)
        .replace(':draft', draft)
        .replace(':media', media)
        .replace(':offer', offer)
        .replace(':n', '1')
        .replace(':sku', serial)
        .replace(':gtin', nextGtin())
      const key = randomUUID()
      const ask = withKey(key, body(route, made))
      const first = await send(route.method, path, ask)
      assert.ok(first.status < 300, first.text)
      assert.equal(first.headers['idempotency-replayed'], undefined)
      const done = await rowsOf()
      replays(first, await send(route.method, path, ask))
      replays(first, await send(route.method, path, ask, elsewhere))
      assert.deepEqual(await rowsOf(), done)
      const other = await send(route.method, `${path}?x=1`, ask)
      refused(other, 422, 'validation', 'idempotency_key_reused')
      assert.deepEqual(await rowsOf(), done)
    })

    test(`${route.method} ${route.path}: an error stores nothing`, async () => {
      const { model, draft } = await stand()
      const path = route.path
        .replace(':id', model)
        .replace(':draft', draft)
        .replace(':n', '1')
        .replace(':sku', 'T-1')
        .replace(':gtin', '1')
      const before = await rowsOf()
      const refusal = await send(
        route.method,
        `${path}?nothing=1`,
        withKey(randomUUID(), body(route, { model: 'x', serial: 'x', picture: Buffer.from('x') })),
      )
      assert.equal(refusal.status, 422, refusal.text)
      assert.deepEqual(await rowsOf(), before)
    })
  }
})

describe('an idempotency key', () => {
  test('reused with another method, path, query or body is 422, and nothing happens', async () => {
    const key = randomUUID()
    const first = await create(key)
    const { id } = first.json.data
    const done = await rowsOf()
    const others: [HTTPMethods, string, Ask][] = [
      ['POST', '/products', { body: newProduct({ sku: 'T-2' }) }],
      ['POST', '/products', { body: {} }],
      ['POST', '/products', { text: `${JSON.stringify(newProduct())} ` }],
      ['POST', `/products/${id}/archive`, {}],
      ['PATCH', `/products/${id}`, { body: newProduct() }],
      ['PATCH', `/products/${id}`, { body: { data: {} } }],
    ]
    for (const [method, path, ask] of others) {
      const answer = await send(method, path, withKey(key, ask))
      refused(answer, 422, 'validation', 'idempotency_key_reused')
      assert.equal(answer.json.errors[0].field, 'Idempotency-Key')
    }
    assert.deepEqual(await rowsOf(), done)
    replays(first, await create(key))
  })

  test('a thousand keys reused with another body: a thousand errors, nothing created', async () => {
    const own = await t.account({ plan: 'enterprise' })
    const keys = Array.from({ length: 1_000 }, () => randomUUID())
    const all = (body: unknown) =>
      Promise.all(keys.map(key => send('POST', '/products', { ...withKey(key, { body }), key: own.key })))
    for (const answer of await all(newProduct())) assert.equal(answer.status, 201, answer.text)
    const done = await rowsOf(own.id)
    assert.deepEqual([done.passports, done.keys], [1_000, 1_000])
    for (const answer of await all(newProduct({ sku: 'T-2' })))
      refused(answer, 422, 'validation', 'idempotency_key_reused')
    assert.deepEqual(await rowsOf(own.id), done)
  })

  test('belongs to its account', async () => {
    const key = randomUUID()
    const first = await create(key)
    const stranger = await t.account()
    const second = await send('POST', '/products', {
      ...withKey(key, { body: newProduct({ sku: 'T-9' }) }),
      key: stranger.key,
    })
    assert.equal(second.status, 201)
    assert.ok(!isReplay(second))
    assert.notEqual(second.json.data.id, first.json.data.id)
  })

  test('is shared by all API keys of the account', async () => {
    const key = randomUUID()
    const first = await create(key)
    const another = await t.apiKey(account, 'full')
    replays(first, await send('POST', '/products', { ...withKey(key, { body: newProduct() }), key: another }))
  })

  test('may have 200 characters of any kind', async () => {
    for (const key of [
      'k'.repeat(200),
      '"a quoted one"',
      "'; drop table passport --",
      ' ~!@#$%^&*()_+ x',
      'ключ '.repeat(40),
    ]) {
      const sent = Buffer.from(key).toString('latin1')
      const first = await create(sent)
      assert.equal(first.status, 201, first.text)
      replays(first, await create(sent))
    }
  })

  test('over 200 characters, empty, or with control characters is 422', async () => {
    const before = await rowsOf()
    for (const [key, code] of [
      ['k'.repeat(201), 'length'],
      ['', 'length'],
      ['   ', 'length'],
      ['a\tb', 'format'],
      ['a\u0000b', 'format'],
      ['a\u007fb', 'format'],
    ] as const) {
      const answer = await create(key)
      refused(answer, 422, 'validation', code)
      assert.equal(answer.json.errors[0].field, 'Idempotency-Key')
    }
    assert.deepEqual(await rowsOf(), before)
  })

  test('is ignored on GET and HEAD', async () => {
    const key = randomUUID()
    const before = await rowsOf()
    for (const method of ['GET', 'HEAD', 'GET'] as const) {
      const answer = await send(method, '/products', withKey(key))
      assert.equal(answer.status, 200)
      assert.ok(!isReplay(answer))
    }
    assert.deepEqual(await rowsOf(), before)
  })
})

describe('only successful requests are remembered', () => {
  test('an invalid body may be corrected and sent again with the same key', async () => {
    const key = randomUUID()
    refused(await create(key, newProduct({ sku: undefined })), 422, 'validation', 'required')
    refused(await create(key, newProduct({ sku: undefined })), 422, 'validation', 'required')
    const made = await create(key)
    assert.equal(made.status, 201)
    assert.ok(!isReplay(made))
  })

  test('a request over the quota may be repeated after the quota is raised', async () => {
    const own = await t.account()
    await t.sql`update account set model_quota = 1 where id = ${own.id}`
    const ask = (key: string) => ({ ...withKey(key, { body: newProduct() }), key: own.key })
    assert.equal((await send('POST', '/products', ask('first'))).status, 201)
    const full = await rowsOf(own.id)
    refused(await send('POST', '/products', ask('second')), 403, 'plan_limit')
    refused(await send('POST', '/products', ask('second')), 403, 'plan_limit')
    assert.deepEqual(await rowsOf(own.id), full)
    await t.sql`update account set model_quota = 2 where id = ${own.id}`
    const made = await send('POST', '/products', ask('second'))
    assert.equal(made.status, 201)
    replays(made, await send('POST', '/products', ask('second')))
  })

  test('a request with a taken GTIN or a stale version may be repeated', async () => {
    const gtin = nextGtin()
    const holder = (await create(randomUUID(), newProduct({ gtin }))).json.data
    const key = randomUUID()
    refused(await create(key, newProduct({ gtin })), 409, 'gtin_taken')
    await send('PATCH', `/products/${holder.id}`, { key: account.key, body: { data: { gtin: null } } })
    await t.sql`delete from gtin_claim where gtin14 = ${gtin.padStart(14, '0')}`
    assert.equal((await create(key, newProduct({ gtin }))).status, 201)
    const path = `/products/${holder.id}`
    const stale = withKey(randomUUID(), { body: { data: {} }, headers: { 'if-match': '"v1"' } })
    refused(await send('PATCH', path, stale), 412, 'version_conflict')
    const fresh = { ...stale, headers: { ...stale.headers, 'if-match': '"v2"' } }
    assert.equal((await send('PATCH', path, fresh)).json.data.version_no, 3)
    // The replay returns the original result, whatever the version is now.
    assert.ok(isReplay(await send('PATCH', path, fresh)))
  })

  test('a dry run does not use a key', async () => {
    const { id } = (await create(randomUUID())).json.data
    const key = randomUUID()
    const ask = withKey(key, { body: { data: { countryOfManufacture: 'IT' } } })
    for (let i = 0; i < 2; i++) {
      const dry = await send('PATCH', `/products/${id}?dry_run=true`, ask)
      assert.equal(dry.status, 200)
      assert.ok(!isReplay(dry))
    }
    const real = await send('PATCH', `/products/${id}`, ask)
    assert.equal(real.json.data.version_no, 2)
    assert.ok(!isReplay(real))
  })

  test('a list of units is remembered if some could be issued, not if none could', async () => {
    const own = await t.account()
    await t.sql`update account set item_quota = 2 where id = ${own.id}`
    const { id } = (await send('POST', '/products', { key: own.key, body: newProduct() })).json.data
    const path = `/products/${id}/children`
    const units = (...serials: string[]) => ({
      body: { level: 'item', items: serials.map(serial => ({ serial })) },
    })
    const ask = (key: string, of: Ask) => ({ ...withKey(key, of), key: own.key })
    const before = await rowsOf(own.id)
    const none = await send('POST', path, ask('a', units('@', '~')))
    refused(none, 422, 'validation')
    assert.deepEqual(await rowsOf(own.id), before)
    const some = await send('POST', path, ask('a', units('1', '@', '2', '3')))
    assert.equal(some.status, 201)
    assert.deepEqual(some.json.data.summary, { requested: 4, created: 2, failed: 2 })
    assert.deepEqual(
      some.json.data.errors.map((one: { index: number; code: string }) => [one.index, one.code]),
      [
        [1, 'validation'],
        [3, 'plan_limit'],
      ],
    )
    const done = await rowsOf(own.id)
    replays(some, await send('POST', path, ask('a', units('1', '@', '2', '3'))))
    refused(await send('POST', path, ask('b', units('4'))), 403, 'plan_limit')
    assert.deepEqual(await rowsOf(own.id), done)
    assert.equal(done.keys, before.keys + 1)
  })

  test('failed rows in a list of changes do not affect the other rows', async () => {
    const { id } = (await create(randomUUID())).json.data
    const items = Array.from({ length: 30 }, (_, i) => ({ serial: `U${i}` }))
    await send('POST', `/products/${id}/children`, withKey(randomUUID(), { body: { level: 'item', items } }))
    const changes = items.map(({ serial }, i) => ({
      serial: i % 5 === 0 ? 'gone' : serial,
      data: i % 7 === 0 ? { countryOfManufacture: 'XX' } : { countryOfManufacture: 'ES' },
    }))
    const ask = withKey(randomUUID(), { body: { items: changes } })
    const answer = await send('POST', `/products/${id}/children/update`, ask)
    const { summary } = answer.json.data
    assert.deepEqual(summary, { requested: 30, updated: 20, failed: 10 })
    const done = await rowsOf()
    replays(answer, await send('POST', `/products/${id}/children/update`, ask))
    assert.deepEqual(await rowsOf(), done)
  })
})

describe('concurrent requests', () => {
  /** One request did the work. The others get its response, or the error that it is still in progress. */
  function onlyOneDid(answers: readonly Answer[], status: number): Answer {
    const [did, ...more] = answers.filter(answer => answer.status === status && !isReplay(answer))
    assert.ok(did)
    assert.equal(more.length, 0)
    for (const answer of answers) {
      if (answer === did) continue
      if (answer.status === 409) {
        refused(answer, 409, 'idempotency_in_progress')
        assert.equal(answer.headers['retry-after'], '1')
      } else replays(did, answer)
    }
    return did
  }

  test('64 POSTs with one key create one product', async () => {
    const before = await rowsOf()
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 64 }, () => create(key)))
    onlyOneDid(answers, 201)
    assert.equal((await rowsOf()).passports, before.passports + 1)
  })

  test('64 POSTs with one key over two servers create one product', async () => {
    for (let round = 0; round < 5; round++) {
      const before = await rowsOf()
      const key = randomUUID()
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, i) => create(key, newProduct(), i % 2 === 0 ? t : elsewhere)),
      )
      onlyOneDid(answers, 201)
      assert.equal((await rowsOf()).passports, before.passports + 1)
    }
  })

  test('64 PATCHes with one key over two servers make one version', async () => {
    const { id } = (await create(randomUUID())).json.data
    const ask = withKey(randomUUID(), { body: { data: { countryOfManufacture: 'IT' } } })
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        send('PATCH', `/products/${id}`, ask, i % 2 === 0 ? t : elsewhere),
      ),
    )
    onlyOneDid(answers, 200)
    assert.equal((await send('GET', `/products/${id}`, { key: account.key })).json.data.version_no, 2)
  })

  test('many keys on one product over two servers, beside requests without a key: every change is stored', async () => {
    const { id } = (await create(randomUUID())).json.data
    const change = (i: number) => {
      const body = { data: { [`note${i}`]: i } }
      const ask = i % 3 === 0 ? { key: account.key, body } : withKey(randomUUID(), { body })
      return send('PATCH', `/products/${id}`, ask, i % 2 === 0 ? t : elsewhere)
    }
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => change(i)))
    for (const answer of answers) assert.equal(answer.status, 200, answer.text)
    const { data } = (await send('GET', `/products/${id}`, { key: account.key })).json
    assert.equal(data.version_no, 61)
    for (let i = 0; i < 60; i++) assert.equal(data.data[`note${i}`], i)
  })

  test('two lists of changes in opposite order on two servers both succeed', async () => {
    const { id } = (await create(randomUUID())).json.data
    const items = Array.from({ length: 40 }, (_, i) => ({ serial: `D${i}` }))
    await send('POST', `/products/${id}/children`, { key: account.key, body: { level: 'item', items } })
    const changes = items.map(one => ({ ...one, data: { countryOfManufacture: 'ES' } }))
    const path = `/products/${id}/children/update`
    const answers = await Promise.all([
      send('POST', path, withKey(randomUUID(), { body: { items: changes } })),
      send('POST', path, withKey(randomUUID(), { body: { items: changes.toReversed() } }), elsewhere),
    ])
    for (const { json } of answers)
      assert.deepEqual(json.data.summary, { requested: 40, updated: 40, failed: 0 })
  })

  test('200 creates with keys and room for 50, over two servers: exactly 50 are created', async () => {
    const own = await t.account()
    await t.sql`update account set model_quota = 50 where id = ${own.id}`
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        send(
          'POST',
          '/products',
          { ...withKey(`q${i}`, { body: newProduct() }), key: own.key },
          i % 2 === 0 ? t : elsewhere,
        ),
      ),
    )
    assert.equal(answers.filter(one => one.status === 201).length, 50)
    assert.equal(answers.filter(one => one.json.code === 'plan_limit').length, 150)
    const { passports, keys, events } = await rowsOf(own.id)
    assert.deepEqual([passports, keys, events], [50, 50, 50])
  })

  test('lists with the same serials beyond the quota, over two servers: exactly the quota is issued, no serial twice', async () => {
    const own = await t.account()
    await t.sql`update account set item_quota = 50 where id = ${own.id}`
    const { id } = (await send('POST', '/products', { key: own.key, body: newProduct() })).json.data
    const items = Array.from({ length: 80 }, (_, i) => ({ serial: `Q${i}` }))
    const answers = await Promise.all(
      [items, items.toReversed(), items, items].map((rows, i) =>
        send(
          'POST',
          `/products/${id}/children`,
          { ...withKey(randomUUID(), { body: { level: 'item', items: rows } }), key: own.key },
          i % 2 === 0 ? t : elsewhere,
        ),
      ),
    )
    for (const { status, text } of answers) assert.ok([201, 403, 422].includes(status), text)
    const created = answers.flatMap(({ json }) => json.data?.created ?? []).map(one => one.serial)
    assert.equal(new Set(created).size, created.length)
    assert.equal(created.length, 50)
    assert.equal((await rowsOf(own.id)).passports, 51)
  })

  /** Only statements of this test's own database: other tests use the same server. */
  const waitingForLocks = () =>
    t.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

  test('while the first request runs, a repetition waits two seconds, then gets 409 with Retry-After; later it is replayed', async () => {
    const gtin = nextGtin()
    const key = randomUUID()
    const held = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const gtin14 = gtin.padStart(14, '0')
    // Another claim of this GTIN waits for this transaction.
    const blocker = t.sql.begin(async sql => {
      await sql`
        insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at)
        values (${gtin14}, ${getPrefixDigits(gtin14)}, 0, ${randomUUID()}, now())`
      locked.resolve()
      await held.promise
      throw new Error('undone')
    })
    blocker.catch(() => undefined)
    await locked.promise
    const body = newProduct({ gtin })
    const first = create(key, body)
    while ((await waitingForLocks()).length === 0) {}
    const began = performance.now()
    const early = await Promise.all([create(key, body), create(key, body), create(key, body, elsewhere)])
    for (const answer of early) {
      refused(answer, 409, 'idempotency_in_progress')
      assert.equal(answer.headers['retry-after'], '1')
    }
    assert.ok(performance.now() - began >= 1_900)
    const reads = await Promise.all(
      Array.from({ length: 4 }, () => send('GET', '/products', { key: account.key })),
    )
    assert.ok(reads.every(answer => answer.status === 200))
    const patient = create(key, body)
    held.resolve()
    const made = await first
    assert.equal(made.status, 201, made.text)
    replays(made, await patient)
    replays(made, await create(key, body, elsewhere))
  })
})

describe('after a day', () => {
  test('an expired key counts as unused, before and after its deletion', async () => {
    const key = randomUUID()
    const start = new Date(Date.now() + DAY_MS)
    t.clock.set(start)
    try {
      const first = await create(key)
      t.clock.advance(DAY_MS - 1)
      replays(first, await create(key))
      t.clock.advance(1)
      const second = await create(key, newProduct({ sku: 'T-2' }))
      assert.equal(second.status, 201)
      assert.ok(!isReplay(second))
      assert.notEqual(second.json.data.id, first.json.data.id)
      replays(second, await create(key, newProduct({ sku: 'T-2' })))
      t.clock.advance(DAY_MS - 1)
      assert.equal(await countKeys(key), 1)
      await deleteExpiredKeys(t.sql, t.clock.now())
      assert.equal(await countKeys(key), 1)
      t.clock.advance(1)
      await deleteExpiredKeys(t.sql, t.clock.now())
      assert.equal(await countKeys(key), 0)
      const third = await create(key)
      assert.ok(third.status === 201 && !isReplay(third))
    } finally {
      t.clock.release()
    }
  })

  test('many expired keys are deleted in batches, by two processes at once', async () => {
    const own = await t.account()
    await t.sql`
      insert into idempotency_key (created_at, account_id, fingerprint, key, status, headers, body)
      select now() - interval '25 hours', ${own.id}::int, '\\x00', 'old' || i, 200, '{}', '{}' from generate_series(1, 1300) i`
    await t.sql`
      insert into idempotency_key (created_at, account_id, fingerprint, key, status, headers, body)
      values (now() - interval '23 hours', ${own.id}, '\\x00', 'young', 200, '{}', '{}')`
    const counts = await Promise.all([
      deleteExpiredKeys(t.sql, new Date()),
      deleteExpiredKeys(t.sql, new Date()),
    ])
    assert.ok(counts[0] + counts[1] >= 1_300)
    assert.equal((await rowsOf(own.id)).keys, 1)
  })

  test('keys that another process deletes are left to it', async () => {
    const own = await t.account()
    await t.sql`
      insert into idempotency_key (created_at, account_id, fingerprint, key, status, headers, body)
      select now() - interval '25 hours', ${own.id}::int, '\\x00', 'held' || i, 200, '{}', '{}' from generate_series(1, 3) i`
    await t.sql.begin(async tx => {
      await tx`select from idempotency_key where account_id = ${own.id} and key = 'held2' for update`
      const deleted = deleteExpiredKeys(t.sql, new Date())
      deleted.catch(() => undefined)
      await Promise.race([deleted, waitForLocks(t.sql, 1)])
      assert.equal((await rowsOf(own.id)).keys, 1)
    })
  })

  const countKeys = async (key: string) =>
    (await t.sql`select 1 from idempotency_key where key = ${key}`).length
})

describe('a key that is stored with its product', () => {
  const store = (key: string, own: TestAccount, now: Date) =>
    createPassport(
      {
        ...own.ctx,
        clock: { now: () => now },
        idempotency: { request: { key, fingerprint: Buffer.from('of it') }, isStored: false },
      },
      { ...newProduct(), strict: false },
      () => ({ status: 201, headers: {}, body: randomUUID() }),
    )

  test('is free if another account has it, and again after a day', async () => {
    const [one, two] = [await t.account(), await t.account()]
    const key = randomUUID()
    const now = new Date()
    await store(key, one, now)
    await store(key, two, now)
    const later = (ms: number) => store(key, one, new Date(now.getTime() + ms))
    await assert.rejects(later(DAY_MS - 1), { name: 'IdempotencyKeyTaken' })
    await later(DAY_MS)
  })

  test('limits no other wait of the statement', async () => {
    const rows = await inTransaction(getTestShard(t.sql), async sql => {
      await sql`select public.carnet_store_responses('[]')`
      return sql`select current_setting('lock_timeout') as wait`
    })
    assert.deepEqual([...rows], [{ wait: '0' }])
  })
})

describe('work that continues after the commit', () => {
  test('a large refresh with a key continues after the response, once', async () => {
    const { id } = (await create(randomUUID())).json.data
    for (let i = 0; i < 2; i++) {
      const items = Array.from({ length: 300 }, (_, n) => ({ serial: `L${i}-${n}` }))
      await send(
        'POST',
        `/products/${id}/children`,
        withKey(randomUUID(), { body: { level: 'item', items } }),
      )
    }
    const correction = { change_type: 'correction', data: { countryOfManufacture: 'ES' } }
    await send('PATCH', `/products/${id}`, withKey(randomUUID(), { body: correction }))
    const ask = withKey(randomUUID())
    const first = await send('POST', `/products/${id}/refresh`, ask)
    assert.equal(first.status, 202)
    assert.equal(first.json.data.pending, 600)
    await refreshesEnded(t.sql)
    const { json } = await send('GET', `/products/${id}/refresh`, { key: account.key })
    assert.deepEqual([json.data.outdated, json.data.job.refreshed], [0, 600])
    replays(first, await send('POST', `/products/${id}/refresh`, ask))
  })

  test('a reader of the public page sees a change made with a key immediately', async () => {
    const { id } = (await create(randomUUID())).json.data
    const now = t.clock.now()
    await readPublicPassport(t.sql, id, now)
    assert.ok(findCachedMetadata(t.sql, id, now))
    await send('PATCH', `/products/${id}`, withKey(randomUUID(), { body: { data: { productName: 'Anew' } } }))
    assert.equal(findCachedMetadata(t.sql, id, now), undefined)
  })
})
