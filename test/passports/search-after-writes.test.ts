/** Tests that a search right after many writes reads few pages of the index, without a vacuum or new statistics. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { listPassports } from '../../src/passports/read/list.ts'
import { fill } from '../fill-database.ts'
import { type Harness, startHarness } from '../harness.ts'

/** As new entries of the index they have about 400 pages. */
const COUNT = 3_500
const MAX_PAGES = 100

let t: Harness
let sql: Sql
let ctx: AccountContext
before(async () => {
  t = await startHarness()
  sql = openPool(t.target, { max: 1 })
  ctx = { ...(await t.account({ plan: 'enterprise' })).ctx, sql }
})
after(async () => {
  await sql.end()
  await t.close()
})

/** Counts pages of tables and indexes that this session touches. */
async function countPages(work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`
    await sql`select pg_stat_clear_snapshot()`
    const [row] = await sql<{ n: number }[]>`
      select (select sum(idx_blks_hit + idx_blks_read) from pg_statio_user_indexes where relname = 'passport')::bigint
        + (select sum(heap_blks_hit + heap_blks_read) from pg_statio_user_tables where relname = 'passport')::bigint as n`
    return row?.n ?? 0
  }
  const before = await read()
  await work()
  return (await read()) - before
}

test('a rare word is found with few pages right after thousands of other products were created', async () => {
  const search = async (q: string) =>
    (await listPassports(ctx, { levels: ['m'], q }, { page: 1, limit: 25 })).rows.map(row => row.id)
  const [first = ''] = await fill(t.sql, { accountId: ctx.accountId, count: 1, word: 'Quixotry' })
  // The server prepares its statements while the table is small.
  for (let i = 0; i < 3; i++) assert.deepEqual(await search('quixotry'), [first])
  await fill(t.sql, { accountId: ctx.accountId, count: COUNT, word: 'Linen' })
  let found: string[] = []
  const pages = await countPages(async () => {
    found = await search('quixotry')
  })
  assert.deepEqual(found, [first])
  assert.ok(pages <= MAX_PAGES, `${pages} pages`)
})
