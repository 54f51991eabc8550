/**
 * Tests GET /products?updated_since: a paging client never misses a change, however late the change becomes
 * visible.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { newUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { findPublicPassport } from '../../src/passports/read/find.ts'
import { countChangedPassports, listChangedPassports } from '../../src/passports/read/list-changes.ts'
import { syncModels } from '../../src/passports/sync/sync-models.ts'
import { setStatus } from '../../src/passports/write/archive.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { findBySku } from '../../src/passports/write/find-matches.ts'
import { updatePassport } from '../../src/passports/write/update.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { fill } from '../fill-database.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

type Row = { id: string; version_no: number; status: string; outdated: boolean }
type Meta = { synced_until: string; next_cursor: string | null; has_more: boolean; total: number }

let t: Harness
let other: Harness
before(async () => {
  t = await startHarness()
  // The statistics, and so the plans, change only when a test says so.
  for (const table of skipOnCitus('plan') === false ? ['passport', 'content'] : [])
    await t.sql`alter table ${t.sql(table)} set (autovacuum_enabled = false)`
  other = await t.beside()
})
after(async () => {
  await other.close()
  await t.close()
})

async function page(key: string, query: string): Promise<{ rows: Row[]; meta: Meta }> {
  const { status, json, text } = await t.ask('GET', `/api/v1/products?${query}`, { key })
  assert.equal(status, 200, text)
  return { rows: json.data, meta: json.meta }
}

/** A client's copy: the last received record of each product. */
class Copy {
  readonly rows = new Map<string, Row>()
  private since = '2000-01-01'
  private readonly key: string
  private readonly query: string

  constructor(key: string, query = 'level=all&limit=7') {
    this.key = key
    this.query = query
  }

  /** Reads all pages. The next sync starts at the time that the first page named. */
  async sync(between: () => Promise<void> = async () => {}): Promise<number> {
    let seen = 0
    let cursor: string | null = null
    let next = this.since
    do {
      const more: string = cursor === null ? '' : `&cursor=${cursor}`
      const { rows, meta } = await page(this.key, `${this.query}&updated_since=${this.since}${more}`)
      for (const row of rows) this.rows.set(row.id, row)
      seen += rows.length
      if (cursor === null) next = meta.synced_until
      assert.equal(meta.synced_until, next)
      cursor = meta.next_cursor
      assert.equal(meta.has_more, cursor !== null)
      await between()
    } while (cursor !== null)
    this.since = next
    return seen
  }
}

/** Version, status and `outdated` of every passport. */
async function truth(account: TestAccount): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  let cursor: string | null = ''
  while (cursor !== null) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { rows, meta } = await page(account.key, `level=all&limit=100${more}`)
    for (const row of rows) all.set(row.id, stateOf(row))
    cursor = meta.next_cursor
  }
  return all
}

const stateOf = (row: Row) => `${row.version_no} ${row.status} ${row.outdated}`
const statesOf = (copy: Copy) => new Map([...copy.rows].map(([id, row]) => [id, stateOf(row)]))

function assertSame(copy: Copy, wanted: Map<string, string>): void {
  const have = statesOf(copy)
  assert.deepEqual([...have].sort(), [...wanted].sort())
}

/** Runs `work` in a transaction that stays open until the returned function is called. */
async function heldOpen(sql: Sql, work: (sql: Sql) => Promise<unknown>): Promise<() => Promise<void>> {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const all = sql.begin(async tx => {
    await work(tx as unknown as Sql)
    begun.resolve()
    await end.promise
  })
  all.catch(begun.reject)
  await begun.promise
  return async () => {
    end.resolve()
    await all
  }
}

const uuidOf = (id: string) => parseId(id) ?? assert.fail()
const change = { changeType: 'change', note: undefined, strict: false, expects: () => true } as const

describe('GET /products?updated_since', () => {
  test('lists products in the order of their changes, with the value for the next call', async () => {
    const account = await t.account()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      ids.push(
        (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json.data.id,
      )
    }
    const [first = '', second = ''] = ids
    await t.ask('PATCH', `/api/v1/products/${second}`, { key: account.key, body: { data: {} } })
    await t.ask('POST', `/api/v1/products/${first}/archive`, { key: account.key })
    const order = [...ids.slice(2), second, first]
    const { rows, meta } = await page(account.key, 'updated_since=2000-01-01')
    assert.deepEqual(
      rows.map(row => row.id),
      order,
    )
    assert.deepEqual([meta.total, meta.has_more, meta.next_cursor], [5, false, null])
    assert.ok(Date.parse(meta.synced_until) <= Date.now())
    const paged = await page(account.key, 'updated_since=2000-01-01&limit=2&page=2')
    assert.deepEqual(
      paged.rows.map(row => row.id),
      order.slice(2, 4),
    )
    const archived = await page(account.key, 'updated_since=2000-01-01&status=archived&category=textile')
    assert.deepEqual(
      archived.rows.map(row => row.id),
      [first],
    )
    assert.deepEqual((await page(account.key, 'updated_since=2000-01-01&level=item')).rows, [])
    const searched = await page(account.key, 'updated_since=2000-01-01&q=test')
    assert.deepEqual(
      searched.rows.map(row => row.id),
      ids.toReversed(),
    )
  })

  test('422 for a cursor that belongs to another list', async () => {
    const account = await t.account()
    for (let i = 0; i < 2; i++)
      await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    const plain = (await page(account.key, 'limit=1')).meta.next_cursor
    const delta = (await page(account.key, 'limit=1&updated_since=2000-01-01')).meta.next_cursor
    for (const query of [
      `updated_since=2000-01-01&cursor=${plain}`,
      `cursor=${delta}`,
      `q=test&updated_since=2000-01-01&cursor=${delta}`,
      `updated_since=2000-01-01&cursor=${delta}x`,
      `updated_since=2000-01-01&cursor=vvvvvvvvvvv-1-1-${plain}`,
      `updated_since=2000-01-01&page=1&cursor=${delta}`,
    ]) {
      const { status, json } = await t.ask('GET', `/api/v1/products?${query}`, { key: account.key })
      assert.deepEqual([status, json.errors?.[0].field], [422, 'cursor'], query)
    }
  })

  test('writes that commit after later ones were read are not skipped', async () => {
    const account = await t.account()
    const { ctx } = account
    const made: string[] = []
    for (let i = 0; i < 6; i++) {
      // The archived product has its own counter, because an open transaction blocks the counter of the
      // others.
      const body = newProduct({ sku: `d-${i}` }, i === 1 ? 'furniture' : 'textile')
      made.push((await t.ask('POST', '/api/v1/products', { key: account.key, body })).json.data.id)
    }
    const [patched = '', archived = '', synced = '', model = ''] = made
    const units = { level: 'item', items: [{ serial: 'u1' }, { serial: 'u2' }] }
    await t.ask('POST', `/api/v1/products/${model}/children`, { key: account.key, body: units })
    const copy = new Copy(account.key, 'level=all&limit=2')
    await copy.sync()

    const ends = [
      await heldOpen(t.sql, sql =>
        createPassport({ ...ctx, sql }, { ...newProduct({ sku: 'late' }), strict: false }),
      ),
      await heldOpen(t.sql, sql =>
        updatePassport({ ...ctx, sql }, { ...change, uuid: uuidOf(patched), data: { weightGrams: 1 } }),
      ),
      await heldOpen(t.sql, sql =>
        setStatus({ ...ctx, sql }, { uuid: uuidOf(archived), status: 'x', expects: () => true }),
      ),
      await heldOpen(t.sql, sql =>
        syncModels(
          { ...ctx, sql },
          { ...change, dryRun: false, matchBy: 'sku', rows: [{ data: { sku: 'd-2', weightGrams: 2 } }] },
        ),
      ),
      await heldOpen(t.sql, sql =>
        updatePassport(
          { ...ctx, sql },
          { ...change, uuid: uuidOf(model), data: { weightGrams: 3 }, changeType: 'correction' },
        ),
      ),
    ]
    // Makes visible writes while the transactions above are open.
    const touch = () =>
      t.ask('PATCH', `/api/v1/products/${made[5]}`, { key: account.key, body: { data: {} } })
    for (let i = 0; i < 4; i++) {
      assert.equal((await touch()).status, 200)
      await copy.sync()
      assertSame(copy, await truth(account))
    }
    for (const end of ends) {
      await end()
      await touch()
    }
    await copy.sync()
    assertSame(copy, await truth(account))
    const states = statesOf(copy)
    assert.deepEqual(
      [patched, archived, synced, model].map(id => states.get(id)),
      ['2 active false', '1 archived false', '2 active false', '2 active false'],
    )
    assert.equal([...states.values()].filter(one => one.endsWith('true')).length, 2)
  })

  test('writes from a process with a slow clock are not skipped', async () => {
    const account = await t.account()
    const copy = new Copy(account.key)
    const add = async (on = t) =>
      (await on.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json.data.id
    const [hourAgo, longAgo] = [1, 2].map(hours => new Date(Date.now() - hours * 3_600_000)) as [Date, Date]
    try {
      t.clock.set(longAgo)
      const [changed, archived] = [await add(), await add()]
      t.clock.release()
      await t.sql`update passport set stored_at = ${longAgo} where account_id = ${account.id}`
      await add()
      await copy.sync()
      other.clock.set(hourAgo)
      const late = await add(other)
      const body = { data: { weightGrams: 7 } }
      await other.ask('PATCH', `/api/v1/products/${changed}`, { key: account.key, body })
      await other.ask('POST', `/api/v1/products/${archived}/archive`, { key: account.key })
      await copy.sync()
      assert.ok(copy.rows.has(late))
      const states = statesOf(copy)
      assert.deepEqual(
        [changed, archived].map(id => states.get(id)),
        ['2 active false', '1 archived false'],
      )
    } finally {
      t.clock.release()
      other.clock.release()
    }
  })

  test('with writers on two servers and transactions that end late, a paging client gets an exact copy', async () => {
    const account = await t.account({ plan: 'enterprise' })
    const { key, ctx } = account
    const rows = Array.from({ length: 60 }, (_, i) => newProduct({ sku: `c-${i}` }))
    const { json } = await t.ask('POST', '/api/v1/products/bulk', { key, body: { items: rows } })
    const ids: string[] = json.data.created.map((row: Row) => row.id)
    const [model = ''] = ids
    await t.ask('POST', `/api/v1/products/${model}/children`, {
      key,
      body: { level: 'item', items: Array.from({ length: 20 }, (_, i) => ({ serial: `s${i}` })) },
    })
    let isOver = false
    let n = 0
    const pick = () => ids[(++n * 7 + 3) % ids.length] ?? ''
    const path = '/api/v1/products'
    const steps: ((server: Harness) => Promise<unknown>)[] = [
      ({ ask }) => {
        const body = { data: { weightGrams: ++n }, change_type: 'correction' }
        return ask('PATCH', `${path}/${model}`, { key, body })
      },
      ({ ask }) => ask('POST', `${path}/${model}/refresh`, { key }),
      ({ ask }) => {
        const items = Array.from({ length: 5 }, () => ({ data: { sku: `c-${++n % 60}`, weightGrams: n } }))
        return ask('POST', `${path}/bulk`, { key, body: { items } })
      },
      ({ ask }) => ask('POST', `${path}/${pick()}/archive`, { key }),
      ({ ask }) => ask('POST', `${path}/${pick()}/restore`, { key }),
      ({ ask }) => ask('PATCH', `${path}/${pick()}`, { key, body: { data: { weightGrams: ++n } } }),
    ]
    const writer = async (server: Harness) => {
      for (let i = 0; !isOver; i++) {
        await steps[i % steps.length]?.(server)
        await pause(5)
      }
    }
    const lateWriter = async () => {
      while (!isOver) {
        const uuid = uuidOf(pick())
        const end = await heldOpen(t.sql, sql =>
          updatePassport({ ...ctx, sql }, { ...change, uuid, data: { weightGrams: ++n } }),
        )
        await pause(n % 90)
        await end()
      }
    }
    const writers = [writer(t), writer(other), lateWriter(), lateWriter()]
    const copy = new Copy(key, 'level=all&limit=20')
    for (let i = 0; i < 6; i++) await copy.sync(() => pause(3))
    isOver = true
    await Promise.all(writers)
    await copy.sync()
    assertSame(copy, await truth(account))
  })
})

describe('the list of changes', () => {
  const skip = skipOnCitus('plan')
  test('is read from its index among 100,000 rows, also with a plan made for an account without any', {
    skip,
  }, async () => {
    // So many that the number of rows which earlier tests have left does not matter.
    const neighbour = await t.account({ plan: 'enterprise' })
    await fill(t.sql, { accountId: neighbour.id, count: 5_000, word: 'other' })
    const account = await t.account({ plan: 'enterprise' })
    // A single connection, which keeps its plans like the connections of the server's pool.
    const sql = openPool(t.target, { max: 1 })
    const ctx = { ...account.ctx, sql }
    const filter = { levels: ['m', 'b', 'i'] as const, since: new Date('2000-01-01') }
    const windows = [
      { limit: 100, page: 1 },
      { limit: 100, after: { touchedUs: 0, id: '00000000-0000-7000-8000-000000000000' } },
    ]
    for (const window of windows) assert.equal((await listChangedPassports(ctx, filter, window)).length, 0)
    await findBySku(ctx, ['MB-1'])
    const before = await plansOf(sql, '%with corrected as%')
    assert.equal(before.length, 2)
    await fill(t.sql, { accountId: account.id, count: 100_000, word: 'plan' })
    for (const window of windows) assert.equal((await listChangedPassports(ctx, filter, window)).length, 101)
    const filled = await plansOf(sql, '%with corrected as%')
    await assertPageIsFoundByKeys(t)
    await t.sql`analyze passport, content`
    for (const window of windows) assert.equal((await listChangedPassports(ctx, filter, window)).length, 101)
    for (const plan of [...before, ...filled, ...(await plansOf(sql, '%with corrected as%'))]) {
      assert.equal(plan.match(/Scan using passport_touched on/g)?.length, 3, plan)
      assert.doesNotMatch(plan, /Seq Scan|passport_list|passport_items|Hash/, plan)
    }
    // A sync's look-up must use its index even if an account without products prepared the statement.
    for (const plan of await plansOf(sql, '%as ids%')) assert.match(plan, /using passport_sku on/i, plan)
    await sql.end()
  })
})

describe('on a server without any passport', () => {
  test('the plans of changes and of a public page find each row by its keys', {
    skip: skipOnCitus('plan'),
  }, async () => {
    const empty = await startHarness()
    const { ctx } = await empty.account({ plan: 'enterprise' })
    const sql = openPool(empty.target, { max: 1 })
    const filter = { levels: ['m', 'b', 'i'] as const, since: new Date('2000-01-01') }
    await listChangedPassports({ ...ctx, sql }, filter, { limit: 100, page: 1 })
    await countChangedPassports({ ...ctx, sql }, filter)
    await findPublicPassport(sql, newUuid(0))
    const plans = [
      ...(await plansOf(sql, '%with corrected as%')),
      ...(await plansOf(sql, '%as unit_fields%')),
    ]
    assert.equal(plans.length, 3)
    // A condition that is checked after the rows were joined reads all of the account for each.
    for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan|Hash|Merge Join|Join Filter/, plan)
    await sql.end()
    await empty.close()
  })
})

/**
 * Checks the plan of a public page when it is made for a large table before ANALYZE: it must not scan the
 * table.
 */
async function assertPageIsFoundByKeys({ target }: Harness): Promise<void> {
  const sql = openPool(target, { max: 1 })
  assert.equal(await findPublicPassport(sql, newUuid(0)), undefined)
  const [plan = '', ...more] = await plansOf(sql, '%as unit_fields%')
  assert.equal(more.length, 0)
  assert.match(plan, /Scan using passport_pkey on/, plan)
  assert.doesNotMatch(plan, /Seq Scan on (passport|content)|Hash/, plan)
  await sql.end()
}

/** This connection's generic plans of the matching statements. */
async function plansOf(sql: Sql, pattern: string): Promise<string[]> {
  const held = await sql<{ name: string; parameters: number }[]>`
    select name, cardinality(parameter_types) as parameters from pg_prepared_statements
    where statement like ${pattern} and statement not like '%pg_prepared%' order by prepare_time`
  const plans: string[] = []
  for (const { name, parameters } of held) {
    const values = Array.from({ length: parameters }, () => 'null').join(', ')
    const rows = await sql.unsafe(`explain (costs off) execute "${name}"(${values})`)
    plans.push(rows.map(row => row['QUERY PLAN']).join('\n'))
  }
  return plans
}
