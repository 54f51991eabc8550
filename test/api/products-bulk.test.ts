import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { syncModels } from '../../src/passports/sync/sync-models.ts'
import { bodyOf } from '../fill-database.ts'
import { IS_FULL } from '../full.ts'
import {
  type Answer,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { waitForLocks } from '../waiting.ts'

const SHEET = IS_FULL ? 10_000 : 2_000

let t: Harness
let other: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  other = await t.beside()
  account = await t.account({ plan: 'enterprise' })
})
after(async () => {
  await other.close()
  await t.close()
})

const bulk = (body: unknown, key = account.key, { ask } = t): Promise<Answer> =>
  ask('POST', '/api/v1/products/bulk', { key, body })
const items = (...all: unknown[]) => ({ items: all })
const indexes = (rows: { index: number }[]) => rows.map(row => row.index)
const sheet = (count: number, change: object = {}) =>
  Array.from({ length: count }, (_, i) => ({ category: 'textile', data: { ...bodyOf(i), ...change } }))

/** The pool, with `before` called before each statement. */
const watched = (before: () => Promise<void>) =>
  new Proxy(t.sql, {
    apply(sql, self, args: [TemplateStringsArray & { raw?: unknown }]) {
      const made = Reflect.apply(sql, self, args)
      if (!Array.isArray(args[0]?.raw)) return made
      const start = made.then.bind(made)
      const then = (...rest: Parameters<typeof start>) => before().then(() => start(...rest))
      return Object.assign(made, Object.fromEntries([['then', then]]))
    },
  })

const PLAIN = { changeType: 'change', note: undefined, strict: false, dryRun: false } as const

describe('POST /products/bulk', () => {
  test('creates, updates, leaves unchanged and rejects, row by row', async () => {
    const first = await bulk(items(newProduct({ sku: 'b-0' }), newProduct({ sku: 'b-1' })))
    assert.equal(first.status, 200)
    assert.deepEqual(first.json.data.summary, {
      requested: 2,
      created: 2,
      updated: 0,
      unchanged: 0,
      failed: 0,
    })
    const taken = nextGtin()
    await bulk(items(newProduct({ sku: 'b-g', gtin: taken })))
    const { status, json } = await bulk(
      items(
        newProduct({ sku: 'b-0' }),
        { data: { sku: 'b-1', weightGrams: 4 } },
        newProduct({ sku: 'b-2', wieght: 1 }),
        newProduct({ sku: 'b-2' }),
        newProduct({ sku: 'b-3', gtin: taken }),
        { data: { sku: 'b-0', gtin: taken } },
        newProduct({ sku: 'b-1' }, 'battery'),
        { category: 'textile', data: { sku: 'b-4' } },
        7,
        { data: { sku: 'b-1' }, id: 'x' },
        newProduct({ sku: undefined }),
        { category: 'textile', data: newProduct({ gtin: undefined }).data, match_by: 'gtin' },
        { data: { gtin: `0${taken}`, weightGrams: 5 }, match_by: 'gtin' },
        { data: { sku: 'b-g', weightGrams: 6 } },
      ),
    )
    assert.equal(status, 200)
    const { created, updated, unchanged, errors, summary } = json.data
    const [own] = created[0].warnings
    assert.equal(own.pointer, '/data/wieght')
    assert.deepEqual(json.warnings, [{ ...own, pointer: '/items/2/data/wieght', index: 2 }])
    assert.deepEqual(summary, { requested: 14, created: 1, updated: 2, unchanged: 1, failed: 10 })
    assert.deepEqual([indexes(created), indexes(updated), indexes(unchanged)], [[2], [1, 12], [0]])
    assert.equal(created[0].warnings[0].code, 'unknown_field')
    assert.equal(updated[0].version_no, 2)
    assert.equal(created[0].sku, 'b-2')
    const found = errors.map(
      (one: { index: number; code: string; errors: { pointer: string; code: string }[] }) => [
        one.index,
        one.code,
        `${one.errors[0]?.pointer} ${one.errors[0]?.code}`,
      ],
    )
    assert.deepEqual(found, [
      [3, 'validation', '/items/3/data/sku duplicate'],
      [4, 'gtin_taken', '/items/4/data/gtin duplicate'],
      [5, 'validation', '/items/5/data/sku duplicate'],
      [6, 'validation', '/items/6/category immutable'],
      [7, 'validation', '/items/7/data/productName required'],
      [8, 'validation', '/items/8 type'],
      [9, 'validation', '/items/9/id unknown_field'],
      [10, 'validation', '/items/10/data/sku required'],
      [11, 'validation', '/items/11/data/gtin required'],
      [13, 'validation', '/items/13/data/sku duplicate'],
    ])
    for (const one of errors) for (const detail of one.errors) assert.equal(detail.index, one.index)
  })

  test('warns about a fibre name in each row, and once for the call', async () => {
    const row = (sku: string, fiber: string) =>
      newProduct({ sku, fiberComposition: [{ fiber, percentage: 100 }] })
    const rows = ['Baumwolle', 'cotton', 'Baumwolle', 'cottonn', 'Baumwolle', 'cottonn']
    const { json } = await bulk(items(...rows.map((fiber, no) => row(`names-${no}`, fiber))))
    assert.deepEqual(
      json.warnings.map(({ index, code, pointer }: Record<string, unknown>) => [index, code, pointer]),
      [
        [0, 'synonym', '/items/0/data/fiberComposition/0/fiber'],
        [3, 'unlisted_name', '/items/3/data/fiberComposition/0/fiber'],
      ],
    )
    assert.deepEqual(
      json.data.created.map((one: { warnings?: unknown[] }) => one.warnings?.length ?? 0),
      [1, 0, 1, 1, 1, 1],
    )
  })

  test('a row may not mean the SKU or GTIN that another row of the call gives to a product', async () => {
    for (const isKeyed of [false, true]) {
      const name = `after-${isKeyed}`
      const [gtin, freeGtin] = [nextGtin(), nextGtin()]
      await bulk(items(newProduct({ sku: `${name}-1`, gtin }), newProduct({ sku: `${name}-3` })))
      const send = async (...rows: unknown[]) => {
        const { json } = await t.ask('POST', '/api/v1/products/bulk', {
          key: account.key,
          body: items(...rows),
          headers: isKeyed ? { 'idempotency-key': randomUUID() } : {},
        })
        return [json.data.created, json.data.updated, json.data.errors].map(indexes)
      }
      const moved = { match_by: 'gtin', data: { gtin, sku: `${name}-2` } }
      const named = newProduct({ sku: `${name}-2` })
      assert.deepEqual(
        await send(moved, named),
        [[], [0], [1]],
        'the second row means the product of the first',
      )
      const again = { match_by: 'gtin', data: { gtin, sku: `${name}-5` } }
      assert.deepEqual(await send(newProduct({ sku: `${name}-5` }), again), [[0], [], [1]])
      const claims = { data: { sku: `${name}-3`, gtin: freeGtin } }
      const byGtin = { match_by: 'gtin', ...newProduct({ sku: `${name}-6`, gtin: freeGtin }) }
      assert.deepEqual(await send(claims, byGtin), [[], [0], [1]])
      const path = `/api/v1/products/by-sku/${name}-2`
      const put = await t.ask('PUT', path, { key: account.key, body: { data: { weightGrams: 1 } } })
      assert.equal(put.status, 200)
    }
  })

  test('an invalid row does not affect a valid one for the same product', async () => {
    const { json } = await bulk(items({ data: { sku: 'b-5' } }, newProduct({ sku: 'b-5' })))
    assert.deepEqual([indexes(json.data.errors), indexes(json.data.created)], [[0], [1]])
  })

  test('two rows of a call cannot use the same GTIN, or create the same SKU with different keys', async () => {
    const gtin = nextGtin()
    const one = newProduct({ sku: 'b-6', gtin })
    const { json } = await bulk(
      items(one, newProduct({ sku: 'b-7', gtin: `0${gtin}` }), newProduct({ sku: 'b-6' }), {
        ...one,
        match_by: 'gtin',
      }),
    )
    assert.deepEqual(
      json.data.errors.map((row: { index: number; code: string }) => [row.index, row.code]),
      [
        [1, 'gtin_taken'],
        [2, 'validation'],
        [3, 'validation'],
      ],
    )
    const swapped = await bulk(
      items({ data: { sku: 'b-6', gtin: nextGtin() } }, newProduct({ sku: 'b-8', gtin })),
    )
    assert.deepEqual(indexes(swapped.json.data.updated), [0])
    assert.equal(swapped.json.data.errors[0].code, 'gtin_taken')
  })

  test('a GTIN of the account’s own product is rejected with the id of that product, also in a dry run; nothing is shown of another account', async () => {
    const [mine, theirs] = [nextGtin(), nextGtin()]
    const holder: string = (await bulk(items(newProduct({ sku: 'h-1', gtin: mine })))).json.data.created[0].id
    await bulk(items(newProduct({ sku: 'h-2' })))
    const foreign = newProduct({ gtin: theirs })
    const { key } = await t.account()
    const there = (await t.ask('POST', '/api/v1/products', { key, body: foreign })).json.data.id
    const told = async (path: string, row: object) => {
      const { json } = await t.ask('POST', path, {
        key: account.key,
        body: items(row, { data: { sku: 'h-1' } }),
      })
      assert.equal(json.data.errors[0].code, 'gtin_taken')
      const text = JSON.stringify(json.data.errors)
      return [text.includes(holder), text.includes(there)]
    }
    for (const path of ['/api/v1/products/bulk', '/api/v1/products/bulk?dry_run=true']) {
      assert.deepEqual(await told(path, newProduct({ sku: 'h-3', gtin: mine })), [true, false], path)
      assert.deepEqual(await told(path, { data: { sku: 'h-2', gtin: mine } }), [true, false], path)
      assert.deepEqual(await told(path, newProduct({ sku: 'h-4', gtin: theirs })), [false, false], path)
      assert.deepEqual(await told(path, { data: { sku: 'h-2', gtin: theirs } }), [false, false], path)
    }
  })

  test('match_by can be set for the call and for a row; change_type and note for the call', async () => {
    const gtin = nextGtin()
    await bulk({ items: [newProduct({ sku: 'b-9', gtin })], match_by: 'gtin' })
    const { json } = await bulk({
      items: [{ data: { gtin, sku: 'b-9x' } }, { data: { sku: 'b-2', weightGrams: 1 }, match_by: 'sku' }],
      match_by: 'gtin',
      change_type: 'correction',
      note: 'nightly',
    })
    assert.deepEqual(indexes(json.data.updated), [0, 1])
    assert.equal(json.data.updated[0].sku, 'b-9x')
    for (const { id } of json.data.updated) {
      const history = await t.ask('GET', `/api/v1/products/${id}/versions`, { key: account.key })
      const [{ note, change_type }] = history.json.data
      assert.deepEqual([note, change_type], ['nightly', 'correction'])
    }
  })

  test('422 for the call: reports all its errors at once', async () => {
    const { status, json } = await bulk({ items: [], match_by: 'name', note: 5, more: 1, change_type: 'fix' })
    assert.equal(status, 422)
    assert.deepEqual(
      json.errors.map((one: { field: string }) => one.field),
      ['more', 'items', 'match_by', 'change_type', 'note'],
    )
    for (const body of [[], 5, {}, { items: {} }, { items: sheet(501) }]) {
      assert.equal((await bulk(body)).status, 422)
    }
    const none = await bulk(items({}, 'x'))
    assert.deepEqual(
      [none.status, none.json.errors.map((one: { index: number }) => one.index)],
      [422, [0, 1]],
    )
  })

  test('plan_limit for rows over the quota, in order; 403 if none was stored; updates need no quota', async () => {
    const small = await t.account()
    await t.sql`update account set model_quota = 3 where id = ${small.id}`
    const rows = Array.from({ length: 5 }, (_, i) => newProduct({ sku: `q-${i}` }))
    const part = await bulk({ items: rows }, small.key)
    assert.deepEqual(indexes(part.json.data.created), [0, 1, 2])
    assert.deepEqual(
      part.json.data.errors.map((one: { index: number; code: string }) => [one.index, one.code]),
      [
        [3, 'plan_limit'],
        [4, 'plan_limit'],
      ],
    )
    const full = await bulk({ items: rows.slice(3) }, small.key)
    assert.deepEqual([full.status, full.json.code, full.json.errors.length], [403, 'plan_limit', 2])
    const mixed = await bulk({ items: [...rows.slice(3), { category: 'textile', data: {} }] }, small.key)
    assert.deepEqual([mixed.status, mixed.json.code], [422, 'validation'], 'the plan is not the only reason')
    assert.ok(mixed.json.errors.some((one: { code: string }) => one.code === 'plan_limit'))
    assert.equal((await bulk({ items: rows }, small.key)).json.data.summary.unchanged, 3)
  })

  test('200 concurrent bulk calls with room for 50: exactly 50 are created', async () => {
    const small = await t.account()
    await t.sql`update account set model_quota = 50 where id = ${small.id}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, call) =>
        bulk(
          { items: Array.from({ length: 10 }, (_, i) => newProduct({ sku: `r-${call}-${i}` })) },
          small.key,
          call % 2 === 0 ? t : other,
        ),
      ),
    )
    const made = answers.reduce((sum, one) => sum + (one.json.data?.summary.created ?? 0), 0)
    assert.equal(made, 50)
    const [row] = await t.sql`select count(*)::int as n from passport where account_id = ${small.id}`
    assert.equal(row?.n, 50)
    const [used] = await t.sql`select used from account_usage where account_id = ${small.id} and level = 'm'`
    assert.equal(used?.used, 50)
  })

  test('a GTIN that another process claims after the look-up: its product is updated, or the row is rejected', async () => {
    const gtin = nextGtin()
    const [mine, foreign] = [await t.account(), await t.account()]
    await bulk(items(newProduct({ sku: 'g-0' })), mine.key)
    const byGtin = (change: object) => ({ match_by: 'gtin', ...newProduct({ gtin, ...change }) })
    const { answers } = await t.sql.begin(async tx => {
      // Creations claim GTINs before they count.
      await tx`select from account_usage where account_id = ${mine.id} for update`
      const first = bulk(items(byGtin({ sku: 'g-1' })), mine.key, other)
      await waitForLocks(t.sql, 1)
      const same = bulk(items(byGtin({ sku: 'g-1', weightGrams: 7 })), mine.key)
      await waitForLocks(t.sql, 2)
      const theirs = bulk(
        items(newProduct({ gtin, sku: 'g-2' }), newProduct({ sku: 'g-3' })),
        foreign.key,
        other,
      )
      await waitForLocks(t.sql, 3)
      return { answers: Promise.all([first, same, theirs]) }
    })
    const [first, same, theirs] = await answers
    const id = first.json.data.created[0].id
    assert.deepEqual(
      same.json.data.updated.map((one: { id: string }) => one.id),
      [id],
    )
    assert.deepEqual(indexes(theirs.json.data.created), [1])
    assert.deepEqual(
      theirs.json.data.errors.map((one: { index: number; code: string }) => [one.index, one.code]),
      [[0, 'gtin_taken']],
    )
  })

  test('a SKU that its product has given up, and that another process claims after the look-up', async () => {
    const mine = await t.account()
    const made = await bulk(items(newProduct({ sku: 'k-1' })), mine.key)
    const path = `/api/v1/products/${made.json.data.created[0].id}`
    const renamed = await t.ask('PATCH', path, { key: mine.key, body: { data: { sku: 'k-2' } } })
    assert.equal(renamed.status, 200)
    const { answers } = await t.sql.begin(async tx => {
      // Creations claim SKUs before they count.
      await tx`select from account_usage where account_id = ${mine.id} for update`
      const first = bulk(items(newProduct({ sku: 'k-1' })), mine.key, other)
      await waitForLocks(t.sql, 1)
      const same = bulk(items(newProduct({ sku: 'k-1', weightGrams: 7 })), mine.key)
      await waitForLocks(t.sql, 2)
      return { answers: Promise.all([first, same]) }
    })
    const [first, same] = await answers
    assert.deepEqual(
      same.json.data.updated.map((one: { id: string }) => one.id),
      first.json.data.created.map((one: { id: string }) => one.id),
    )
    const rows = await t.sql`select from passport where account_id = ${mine.id} and sku = 'k-1'`
    assert.equal(rows.length, 1)
  })

  test('the same rows sent four times at once over two servers: each product and each change once', async () => {
    const mine = await t.account({ plan: 'enterprise' })
    const run = (change: object) =>
      Promise.all([t, other, t, other].map(server => bulk({ items: sheet(120, change) }, mine.key, server)))
    for (const change of [{}, { weightGrams: 7 }]) {
      const answers = await run(change)
      const sum = (of: string) => answers.reduce((all, one) => all + one.json.data.summary[of], 0)
      assert.deepEqual([sum('created') + sum('updated'), sum('unchanged'), sum('failed')], [120, 360, 0])
    }
    const rows = await t.sql`select version_no from passport where account_id = ${mine.id}`
    assert.deepEqual([rows.length, new Set(rows.map(row => row.version_no))], [120, new Set([2])])
    const events = await t.sql`select count(*)::int as n from event where account_id = ${mine.id}`
    assert.equal(events[0]?.n, 240)
  })

  test(`${SHEET} products sent twice: the second run changes nothing and says so`, async () => {
    const mine = await t.account({ plan: 'enterprise' })
    const rows = sheet(SHEET)
    for (const verb of ['created', 'unchanged']) {
      let done = 0
      for (let from = 0; from < rows.length; from += 500) {
        const { status, json } = await bulk({ items: rows.slice(from, from + 500) }, mine.key)
        assert.equal(status, 200)
        done += json.data.summary[verb]
      }
      assert.equal(done, SHEET)
    }
    const [versions] =
      await t.sql`select count(*)::int as n from passport_version where account_id = ${mine.id}`
    assert.equal(versions?.n, 0)
  })

  test('a call needs few statements, however many rows it has', async () => {
    const mine = await t.account({ plan: 'enterprise' })
    let statements = 0
    const ctx = { ...mine.ctx, sql: watched(async () => void statements++) }
    const sync = async (rows: unknown[]) => {
      statements = 0
      const { errors } = await syncModels(ctx, { ...PLAIN, rows, matchBy: 'sku' })
      assert.deepEqual(errors, [])
      return statements
    }
    assert.equal(await sync(sheet(300)), 2)
    assert.equal(await sync(sheet(300)), 2)
    assert.equal(await sync(sheet(400, { weightGrams: 1 })), 4)
  })

  test('a product that gives up its SKU between look-up and read is not matched', async () => {
    const first = (await bulk(items(newProduct({ sku: 'given' })))).json.data.created[0].id
    let statements = 0
    const sql = watched(async () => {
      if (++statements !== 2) return
      const body = { data: { sku: 'given-up' } }
      await other.ask('PATCH', `/api/v1/products/${first}`, { key: account.key, body })
    })
    const rows = [newProduct({ sku: 'given', weightGrams: 9 })]
    const { created, updated } = await syncModels({ ...account.ctx, sql }, { ...PLAIN, rows, matchBy: 'sku' })
    assert.deepEqual([created.length, updated.length], [1, 0])
    const { json } = await t.ask('GET', `/api/v1/products/${first}`, { key: account.key })
    assert.deepEqual([json.data.data.sku, json.data.data.weightGrams], ['given-up', undefined])
  })

  test('accepts up to 8 MiB; events and history are the same as for single calls', async () => {
    const big = { ...newProduct({ sku: 'b-big' }), data: { ...newProduct({ sku: 'b-big' }).data } }
    const texts = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-${i}`, 'y'.repeat(9_000)]))
    const rows = Array.from({ length: 8 }, (_, i) => ({
      ...big,
      data: { ...big.data, ...texts, sku: `b-big-${i}` },
    }))
    const { status, json } = await bulk({ items: rows })
    assert.deepEqual([status, json.data?.summary?.created], [200, 8])
    assert.equal((await bulk({ items: [...rows, ...rows] })).status, 413)
    const id = json.data.created[0].id
    await bulk(items({ data: { sku: 'b-big-0', weightGrams: 5 } }))
    const events = await t.sql<{ type: string }[]>`
      select type from event where account_id = ${account.id} and data->>'id' = ${id} order by created_at, type`
    assert.deepEqual(
      events.map(one => one.type),
      ['product.created', 'product.updated'],
    )
    const old = await t.ask('GET', `/api/v1/products/${id}/versions/1`, { key: account.key })
    assert.equal(old.json.data.data.weightGrams, undefined)
  })
})
