/** Tests numbered pages in the middle of long lists: they are exact whatever is written, and read few rows. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { newUuid } from '../../src/kernel/crypto/ids.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { listPassports } from '../../src/passports/read/list.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { fill, fillItems } from '../fill-database.ts'
import { type Harness, newProduct, startHarness } from '../harness.ts'

const COUNT = 6_500
const HOUR_MS = 3_600_000

let t: Harness
let sql: Sql
before(async () => {
  t = await startHarness()
  sql = openPool(t.target, { max: 1 })
})
after(async () => {
  await sql.end()
  await t.close()
})

type Level = 'm' | 'i'

const openAccount = async (): Promise<AccountContext> => ({
  ...(await t.account({ plan: 'enterprise' })).ctx,
  sql,
})

const readIds = async ({ accountId }: AccountContext, level: Level): Promise<string[]> => {
  const rows = await t.sql<{ id: string }[]>`
    select id from passport where account_id = ${accountId} and level = ${level} order by id desc`
  return rows.map(row => row.id)
}

const readPage = async (ctx: AccountContext, level: Level, page: number, limit: number): Promise<string[]> =>
  (await listPassports(ctx, { levels: [level] }, { page, limit })).rows.map(row => row.id)

async function checkPages(ctx: AccountContext, level: Level = 'm'): Promise<void> {
  const ids = await readIds(ctx, level)
  for (const limit of [7, 25, 100]) {
    const pages = Math.ceil(ids.length / limit)
    for (let page = 1; page <= pages + 1; page += Math.ceil(pages / 23)) {
      const expected = ids.slice((page - 1) * limit, page * limit)
      assert.deepEqual(await readPage(ctx, level, page, limit), expected, `page ${page} of ${pages}`)
    }
  }
}

/** Counts entries of indexes of passports that this session has read. */
async function countRead(work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`
    await sql`select pg_stat_clear_snapshot()`
    const [row] = await sql<{ n: number }[]>`
      select sum(idx_tup_read)::bigint as n from pg_stat_user_indexes
      where relname = 'passport'`
    return row?.n ?? 0
  }
  const before = await read()
  await work()
  return (await read()) - before
}

/** The first in the middle makes the marks. */
const readMiddle = (ctx: AccountContext, level: Level = 'm') => readPage(ctx, level, COUNT / 50, 25)

test('pages of models and of items are exact, and those in the middle read at most a thousand others', async () => {
  const ctx = await openAccount()
  const { accountId } = ctx
  const [model = ''] = await fill(t.sql, { accountId, count: COUNT, word: 'Linen' })
  await fillItems(t.sql, { accountId, models: [model], each: COUNT, prefix: 'M' })
  for (const level of ['m', 'i'] as const) {
    await checkPages(ctx, level)
    const read = await countRead(() => readMiddle(ctx, level))
    assert.ok(read <= 1_100, `${read} entries of an index`)
  }
})

test('a passport with an older id shifts the pages at once, and marks that are wrong are not used', async () => {
  const ctx = await openAccount()
  const ids = await fill(t.sql, { accountId: ctx.accountId, count: COUNT, word: 'Linen' })
  await readMiddle(ctx)
  for (const since of [Date.now() - HOUR_MS, Date.now() + COUNT / 2, Date.now() + HOUR_MS]) {
    await createPassport(ctx, { ...newProduct(), strict: false, id: newUuid(since) })
    await checkPages(ctx)
  }
  assert.equal((await readIds(ctx, 'm')).length, ids.length + 3)
})

test('new passports get marks of their own', async () => {
  const ctx = await openAccount()
  const { accountId } = ctx
  await fill(t.sql, { accountId, count: COUNT, word: 'Linen', since: Date.now() - HOUR_MS })
  await readMiddle(ctx)
  await fill(t.sql, { accountId, count: COUNT, word: 'Hemp' })
  await checkPages(ctx)
  const read = await countRead(() => readPage(ctx, 'm', COUNT / 50, 25))
  assert.ok(read <= 1_100, `${read} entries of an index`)
})

test('marks of an account do not count for another, nor for a list with a filter', async () => {
  const [one, other] = [await openAccount(), await openAccount()]
  const since = Date.now() - HOUR_MS
  await fill(t.sql, { accountId: one.accountId, count: COUNT, word: 'Linen', since })
  await fill(t.sql, { accountId: other.accountId, count: COUNT + 500, word: 'Hemp' })
  const made = await createPassport(one, { ...newProduct({}, 'furniture'), strict: false })
  await issueUnits(one, {
    parentUuid: made.passport.id,
    level: 'batch',
    units: [{ lot: 'L' }],
    bulk: false,
    strict: false,
  })
  for (const ctx of [one, other, one, other]) await checkPages(ctx)
  const filter = { levels: ['m' as const], category: 'textile' }
  const { rows } = await listPassports(one, filter, { page: COUNT / 50, limit: 25 })
  const textiles = (await readIds(one, 'm')).filter(id => id !== made.passport.id)
  assert.deepEqual(
    rows.map(row => row.id),
    textiles.slice(COUNT / 2 - 25, COUNT / 2),
  )
})
