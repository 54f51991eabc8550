/** Tests drafts: what they check, that nobody else sees them, and that publishing happens once or not at all. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { HTTPMethods } from 'fastify'
import { setPlan } from '../../src/accounts/account/accounts.ts'
import { judgeDrafts } from '../../src/passports/drafts/draft.ts'
import { deleteOldDrafts, listDrafts } from '../../src/passports/drafts/store-drafts.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { endPools, getTestShard, IS_SHARDED } from '../database.ts'
import { type Ask, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
})
after(() => t.close())

const send = (method: HTTPMethods, path: string, body?: unknown, more: Ask = {}) =>
  t.ask(method, `/api/v1${path}`, { key: account.key, ...(body === undefined ? {} : { body }), ...more })

async function createDraft(body: object) {
  const { status, json, text } = await send('POST', '/drafts', body)
  assert.equal(status, 201, text)
  return json.data
}

async function createModel() {
  const { json, text } = await send('POST', '/products', newProduct())
  assert.ok(json.data, text)
  return json.data
}

async function countRows(id = account.id) {
  const [row] = await t.sql`
    select (select count(*) from passport where account_id = ${id})::int as passports,
      (select count(*) from passport_version where account_id = ${id})::int as versions,
      (select count(*) from event where account_id = ${id})::int as events,
      (select count(*) from gtin_claim where account_id = ${id})::int as gtins,
      (select coalesce(sum(used), 0) from account_usage where account_id = ${id})::int as used`
  return row
}

const codes = ({ details }: { details: { field: string; code: string }[] }) =>
  details.map(({ field, code }) => `${field} ${code}`)

describe('a draft of a new product', () => {
  test('is stored with what is known, and makes no passport, version, event, GTIN claim or use of quota', async () => {
    const { category, data } = newProduct()
    const { productName: _, ...known } = data as Record<string, unknown>
    const before = await countRows()
    const draft = await createDraft({
      category,
      data: { ...known, gtin: nextGtin() },
      note: 'From the supplier',
    })
    assert.deepEqual(await countRows(), before)
    assert.deepEqual(codes(draft), ['productName required'])
    assert.equal(draft.note, 'From the supplier')
    assert.equal(draft.product_id, null)
    assert.ok(draft.passport_url.endsWith(`/p/${draft.id}`))
    assert.equal(draft.readiness.level, 'model')
    assert.ok(draft.readiness.acts.length > 0)
    assert.deepEqual((await send('GET', `/drafts/${draft.id}`)).json.data, draft)
    assert.equal((await t.ask('GET', `/p/${draft.id}`)).status, 404)
    assert.equal((await send('GET', `/products/${draft.id}`)).status, 404)
  })

  test('with a wrong type or format is 422 and not stored, also when it is changed', async () => {
    const wrong = await send('POST', '/drafts', {
      category: 'textile',
      data: { gtin: 'x', weightGrams: 'y' },
    })
    assert.equal(wrong.status, 422)
    assert.deepEqual(wrong.json.errors.map((one: { field: string }) => one.field).sort(), [
      'gtin',
      'weightGrams',
    ])
    const draft = await createDraft({ category: 'textile', data: {} })
    assert.equal((await send('PATCH', `/drafts/${draft.id}`, { data: { gtin: 'x' } })).status, 422)
    assert.deepEqual((await send('GET', `/drafts/${draft.id}`)).json.data.data, {})
    for (const body of [{ data: {} }, { category: 'none', data: {} }, { category: 'textile' }])
      assert.equal((await send('POST', '/drafts', body)).status, 422)
    const both = { category: 'textile', product_id: draft.id, data: {} }
    assert.equal((await send('POST', '/drafts', both)).status, 422)
    assert.equal((await send('POST', '/drafts', { product_id: draft.id, data: {} })).status, 404)
  })

  test('is filled step by step; null removes a field; then it is published once, with its id', async () => {
    const { category, data } = newProduct()
    const draft = await createDraft({ category, data: { sku: 'D-1', brandName: 'Old' } })
    const path = `/drafts/${draft.id}`
    const filled = (await send('PATCH', path, { data: { ...(data as object), brandName: null } })).json.data
    assert.equal('brandName' in filled.data, false)
    const incomplete = await createDraft({ category, data: { sku: 'D-2' } })
    const refused = await send('POST', `/drafts/${incomplete.id}/publish`)
    assert.equal(refused.status, 422)
    assert.equal((await send('GET', `/drafts/${incomplete.id}`)).status, 200)
    if (filled.details.length > 0) await send('PATCH', path, { data: { brandName: 'New' } })
    const dry = await send('POST', `${path}/publish?dry_run=true`)
    assert.equal(dry.status, 201, dry.text)
    assert.equal((await t.ask('GET', `/p/${draft.id}`)).status, 404)
    const published = await send('POST', `${path}/publish`)
    assert.equal(published.status, 201, published.text)
    assert.equal(published.json.data.id, draft.id)
    assert.equal(published.json.data.version_no, 1)
    assert.ok(String(published.headers.location).endsWith(`/products/${draft.id}`))
    assert.equal((await t.ask('GET', `/p/${draft.id}`)).status, 200)
    assert.equal((await send('GET', path)).status, 404)
    assert.equal((await send('POST', `${path}/publish`)).status, 404)
  })

  test('shows a GTIN that another product took meanwhile, and publishing it is 409', async () => {
    const gtin = nextGtin()
    const { category, data } = newProduct()
    const draft = await createDraft({ category, data: { ...(data as object), gtin } })
    assert.deepEqual(draft.details, [])
    await send('POST', '/products', { category, data: { ...(data as object), sku: 'Other', gtin } })
    assert.deepEqual(codes((await send('GET', `/drafts/${draft.id}`)).json.data), ['gtin duplicate'])
    const refused = await send('POST', `/drafts/${draft.id}/publish`)
    assert.equal(refused.json.code, 'gtin_taken')
    const headers = { 'idempotency-key': 'publish-taken' }
    const withKey = await send('POST', `/drafts/${draft.id}/publish`, undefined, { headers })
    assert.deepEqual([withKey.status, withKey.json.code], [409, 'gtin_taken'])
    assert.equal((await send('GET', `/drafts/${draft.id}`)).status, 200)
  })

  test('published twenty times at once: one 201, the others 404, one passport', async () => {
    const draft = await createDraft(newProduct())
    const before = await countRows()
    const all = await Promise.all(
      Array.from({ length: 20 }, () => send('POST', `/drafts/${draft.id}/publish`)),
    )
    const statuses = all.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 404)])
    const after = await countRows()
    assert.equal(after?.passports, before?.passports + 1)
    assert.equal(after?.used, before?.used + 1)
  })

  test('exists from its publication on, not from the time when its draft was begun', async () => {
    const day = (n: number) => `2026-11-0${n}T10:00:00.000Z`
    t.clock.set(day(1))
    const draft = await createDraft(newProduct())
    t.clock.set(day(3))
    assert.equal((await send('POST', `/drafts/${draft.id}/publish`)).status, 201)
    const path = `/products/${draft.id}`
    const at = (time: string) => send('GET', `${path}?at=${time}`)
    const assertPublished = async () => {
      for (const time of [day(1), day(2), '2026-11-03T09:59:59.999Z'])
        assert.equal((await at(time)).status, 404, time)
      const found = await at(day(3))
      assert.equal(found.status, 200, found.text)
      const { version_no, updated_at, created_at } = found.json.data
      assert.deepEqual([version_no, updated_at, created_at], [1, day(3), day(1)])
      const first = (await send('GET', `${path}/versions`)).json.data.at(-1)
      assert.deepEqual([first.version_no, first.created_at], [1, day(3)])
      assert.equal((await send('GET', `${path}/versions/1`)).json.data.updated_at, day(3))
      for (const query of ['?lang=en', '?lang=en&version=1']) {
        const { text } = await t.ask('GET', `/p/${draft.id}${query}`)
        assert.ok(!text.includes('2026-11-01'), query)
        assert.ok(text.includes('2026-11-03'), query)
      }
    }
    await assertPublished()
    t.clock.set(day(5))
    await send('POST', `${path}/archive`)
    await assertPublished()
    assert.equal((await at(day(4))).json.data.status, 'active')
    assert.equal((await at(day(5))).json.data.status, 'archived')
    t.clock.set(day(6))
    await send('POST', `${path}/restore`)
    await send('PATCH', path, { data: { countryOfManufacture: 'IT' } })
    await assertPublished()
    assert.equal((await at(day(7))).json.data.version_no, 2)
    t.clock.release()
  })

  const skip = skipOnCitus('table')
  test('stays, and no passport appears, when the transaction ends half-way', { skip }, async () => {
    const draft = await createDraft(newProduct())
    const before = await countRows()
    // The event is written last: the draft is deleted and the passport inserted by then.
    await t.sql.unsafe(`create function stop_event() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`)
    await t.sql`create trigger stop_event before insert on event for each row execute function stop_event()`
    const failed = await send('POST', `/drafts/${draft.id}/publish`)
    await t.sql`drop trigger stop_event on event`
    assert.ok(failed.status >= 500, failed.text)
    assert.deepEqual(await countRows(), before)
    assert.equal((await send('GET', `/drafts/${draft.id}`)).status, 200)
    assert.equal((await send('POST', `/drafts/${draft.id}/publish`)).status, 201)
  })
})

describe('a draft of a change', () => {
  test('shows the product with the change laid over it, and becomes its next version', async () => {
    const model = await createModel()
    const change = { countryOfManufacture: 'IT', sku: model.data.sku }
    const draft = await createDraft({
      product_id: model.id,
      data: change,
      change_type: 'correction',
      note: 'Wrong',
    })
    assert.notEqual(draft.id, model.id)
    assert.equal(draft.product_id, model.id)
    assert.equal(draft.passport_url, model.passport_url)
    assert.deepEqual(draft.details, [])
    assert.deepEqual(draft.data, change)
    assert.equal(draft.product_name, model.data.productName)
    assert.equal(draft.readiness.product_id, model.id)
    assert.equal((await send('GET', `/products/${model.id}`)).json.data.version_no, 1)
    const path = `/drafts/${draft.id}/publish`
    const conflict = await send('POST', path, undefined, { headers: { 'if-match': '"v7"' } })
    assert.equal(conflict.json.code, 'version_conflict')
    const published = await send('POST', path, undefined, { headers: { 'if-match': '"v1"' } })
    assert.equal(published.status, 200, published.text)
    assert.equal(published.json.data.version_no, 2)
    assert.equal(published.json.data.data.countryOfManufacture, 'IT')
    const [version] = (await send('GET', `/products/${model.id}/versions`)).json.data
    assert.deepEqual([version.change_type, version.note], ['correction', 'Wrong'])
    assert.equal((await send('POST', path)).status, 404)
  })

  test('removes a field by null; a required one is in its details', async () => {
    const model = await createModel()
    const draft = await createDraft({ product_id: model.id, data: { productName: null } })
    assert.deepEqual(codes(draft), ['productName required'])
    assert.equal((await send('POST', `/drafts/${draft.id}/publish`)).status, 422)
  })
})

describe('drafts of an account', () => {
  test('are listed newest first, by page and by cursor, and can be deleted', async () => {
    const own = await t.account({ plan: 'enterprise' })
    const ask = (method: HTTPMethods, path: string, body?: unknown) =>
      send(method, path, body, { key: own.key })
    const ids: string[] = []
    for (const sku of ['A', 'B', 'C'])
      ids.unshift((await ask('POST', '/drafts', { category: 'textile', data: { sku } })).json.data.id)
    const all = (await ask('GET', '/drafts')).json
    assert.deepEqual(
      all.data.map((one: { id: string }) => one.id),
      ids,
    )
    assert.equal(all.meta.total, 3)
    assert.equal('data' in all.data[0], false)
    assert.ok(all.data[0].refused > 0)
    const first = (await ask('GET', '/drafts?limit=2')).json
    const rest = (await ask('GET', `/drafts?limit=2&cursor=${first.meta.next_cursor}`)).json
    assert.deepEqual(
      [...first.data, ...rest.data].map((one: { id: string }) => one.id),
      ids,
    )
    assert.equal(rest.meta.next_cursor, null)
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/publish'],
    ] as const) {
      const answer = await send(
        method,
        `/drafts/${ids[0]}${path}`,
        method === 'PATCH' ? { data: {} } : undefined,
      )
      assert.equal(answer.status, 404, `${method} of another account`)
    }
    assert.equal((await ask('DELETE', `/drafts/${ids[0]}`)).status, 200)
    assert.equal((await ask('DELETE', `/drafts/${ids[0]}`)).status, 404)
    assert.equal((await ask('GET', '/drafts')).json.meta.total, 2)
  })

  test('are listed with as many statements, however many they are', async () => {
    const own = await t.account({ plan: 'enterprise' })
    let statements = 0
    const sql = await t.openPools({ onStatementEnd: () => statements++ })
    const ctx = { ...own.ctx, sql: getTestShard(sql) }
    const ask = (path: string, body?: unknown) =>
      send(body === undefined ? 'GET' : 'POST', path, body, { key: own.key })
    const add = async () => {
      const gtin = nextGtin()
      await ask('/drafts', newProduct({ gtin }))
      const model = (await ask('/products', newProduct({ gtin: nextGtin() }))).json.data
      await ask('/drafts', { product_id: model.id, data: { gtin: nextGtin() } })
      await ask('/drafts', { product_id: model.id, data: { gtin } })
    }
    const count = async () => {
      statements = 0
      const drafts = await listDrafts(ctx, { limit: 100 })
      const judged = await judgeDrafts(ctx, drafts)
      assert.deepEqual(
        judged.map(({ id }) => id),
        drafts.map(({ id }) => id),
      )
      return statements
    }
    await add()
    const few = await count()
    for (let i = 0; i < 5; i++) await add()
    assert.equal(await count(), few)
    if (!IS_SHARDED) assert.equal(few, 4)
    await endPools(sql)
  })

  test('are at most 1,000, also with requests at once', async () => {
    const own = await t.account({ plan: 'enterprise' })
    await t.sql`
      insert into draft (account_id, id, category, data, created_at, created_by, updated_at)
      select ${own.id}, gen_random_uuid(), 'textile', '{}', now(), 1, now() from generate_series(1, 998)`
    const body = { category: 'textile', data: {} }
    const all = await Promise.all(
      Array.from({ length: 8 }, () => send('POST', '/drafts', body, { key: own.key })),
    )
    const stored = all.filter(({ status }) => status === 201)
    assert.equal(stored.length, 2)
    for (const one of all) if (one.status !== 201) assert.equal(one.json.code, 'plan_limit')
  })

  test('are deleted 180 days after their last change', async () => {
    const kept = await createDraft({ category: 'textile', data: {} })
    const old = await createDraft({ category: 'textile', data: {} })
    await send('PATCH', `/drafts/${kept.id}`, { note: 'Still wanted' })
    const now = t.clock.now().getTime()
    const before = new Date(now - 180 * 86_400_000)
    await t.sql`update draft set updated_at = ${before} where note is distinct from 'Still wanted'`
    await deleteOldDrafts(t.sql, new Date(now + 60_000))
    assert.equal((await send('GET', `/drafts/${kept.id}`)).status, 200)
    assert.equal((await send('GET', `/drafts/${old.id}`)).status, 404)
  })
})

test('nothing of a draft is in an answer to anybody else', async () => {
  const secret = 'Secret-0c1f'
  const model = await createModel()
  const { category, data } = newProduct()
  const gtin = nextGtin()
  const draft = await createDraft({
    category,
    data: { ...(data as object), gtin, sku: secret, productName: secret },
  })
  await createDraft({ product_id: model.id, data: { productName: secret } })
  for (const path of [
    `/p/${draft.id}`,
    `/p/${model.id}`,
    `/p/${model.id}?at=2099-01-01T00:00:00Z`,
    `/01/0${gtin}`,
    '/sitemap.xml',
    '/api/v1/products?limit=100',
    `/api/v1/products?q=${secret}`,
    `/api/v1/products/${model.id}`,
    `/api/v1/products/${model.id}/versions`,
  ]) {
    const answer = await t.ask('GET', path, path.startsWith('/api/') ? { key: account.key } : {})
    assert.ok(!answer.text.includes(secret), path)
  }
  const [events] = await t.sql`select count(*)::int as n from event where data::text like ${`%${secret}%`}`
  assert.equal(events?.n, 0)
})

test('a draft is not published beyond the quota, and stays', async () => {
  const own = await t.account({ plan: 'beta' })
  await setPlan(
    { sql: t.setup.sql, clock: t.clock },
    { accountId: own.id, plan: 'beta', quota: { model: 0 } },
  )
  const more = { key: own.key }
  const made = await send('POST', '/drafts', newProduct(), more)
  assert.equal(made.status, 201, made.text)
  const { id } = made.json.data
  const answer = await send('POST', `/drafts/${id}/publish`, {}, more)
  assert.deepEqual([answer.status, answer.json.code], [403, 'plan_limit'])
  assert.equal((await send('GET', `/drafts/${id}`, undefined, more)).status, 200)
})
