/** Tests that look-ups of many SKUs use indexes, whatever the table was like when they first ran. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { withTransaction } from '../../src/accounts/account/context.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { findBySku } from '../../src/passports/write/find-matches.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { fill } from '../fill-database.ts'
import { type Harness, startHarness } from '../harness.ts'

const SKUS = Array.from({ length: 500 }, (_, i) => `NONE-${i}`)

let t: Harness
let sql: Sql
before(async () => {
  t = await startHarness()
  // A single connection, which keeps its plans like the connections of the server's pool.
  sql = openPool(t.target, { max: 1 })
})
after(async () => {
  await sql.end()
  await t.close()
})

test('500 SKUs are looked up by index in a table that was small before', {
  skip: skipOnCitus('plan'),
}, async () => {
  const account = await t.account({ plan: 'enterprise' })
  const ctx = { ...account.ctx, sql }
  await fill(t.sql, { accountId: account.id, count: 10, word: 'small' })
  await t.sql`analyze passport, sku_claim`
  await findBySku(ctx, SKUS)
  await fill(t.sql, { accountId: account.id, count: 20_000, word: 'large' })
  await withTransaction(ctx, async inTransaction => {
    await findBySku(inTransaction, SKUS)
    const [row] = await inTransaction.sql<{ scanned: number }[]>`
      select sum(seq_tup_read)::int as scanned from pg_stat_xact_user_tables where relname in ('passport', 'sku_claim')`
    assert.ok((row?.scanned ?? Number.NaN) < 20_000, `${row?.scanned} rows were scanned`)
  })
})
