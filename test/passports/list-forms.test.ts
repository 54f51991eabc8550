/**
 * Tests how many prepared statements list filters cause on a connection: every combination is a separate
 * statement.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { listPassports, type PageWindow } from '../../src/passports/read/list.ts'
import { countChangedPassports, listChangedPassports } from '../../src/passports/read/list-changes.ts'
import type { ListFilter } from '../../src/passports/read/list-filter.ts'
import { IS_FULL } from '../full.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'

const NOBODY = '00000000-0000-7000-8000-000000000000'
const SINCE = new Date('2026-01-01T00:00:00Z')
const FILTERS: Omit<Required<ListFilter>, 'levels'> = {
  status: 'a',
  category: 'textile',
  updatedSince: SINCE,
  outdated: true,
  sku: 'T-1',
  gtin14: '09520000000004',
  lot: 'L',
  serial: 'S',
  q: 'linen',
  parentId: NOBODY,
  facts: { groups: [], rare: ['m'] },
}
const WINDOWS: PageWindow[] = [
  { limit: 10, page: 1 },
  { limit: 10, after: NOBODY },
]

let t: Harness
let account: TestAccount
let sql: Sql
before(async () => {
  t = await startHarness()
  account = await t.account()
  sql = openPool(t.target, { max: 1 })
})
after(async () => {
  await sql.end()
  await t.close()
})

const keptStatements = async () => {
  const [row] = await sql`select count(*)::int as n from pg_prepared_statements`
  return row?.n as number
}

test('a list stays prepared for its usual filters, not for each of a thousand combinations', async () => {
  const ctx = { ...account.ctx, sql }
  const names = Object.keys(FILTERS) as (keyof typeof FILTERS)[]
  const ask = async (filter: ListFilter) => {
    for (const window of WINDOWS) await listPassports(ctx, filter, window)
    const since = { ...filter, since: SINCE }
    await listChangedPassports(ctx, since, { limit: 10, page: 1 })
    await countChangedPassports(ctx, since)
  }
  await ask({ levels: ['m'] })
  await ask({ levels: ['m'], status: 'a', category: 'textile', q: 'linen' })
  const usual = await keptStatements()
  assert.ok(usual >= 6, `${usual} are kept`)
  const USUAL: ListFilter[] = [
    { levels: ['m'], status: 'a' },
    { levels: ['m'], status: 'a', category: 'textile' },
  ]
  for (const filter of USUAL) {
    const before = await keptStatements()
    await ask(filter)
    assert.equal(await keptStatements(), before + WINDOWS.length, JSON.stringify(filter))
  }
  const kept = await keptStatements()
  // A search is planned at each call, because its plan depends on the word.
  for (const filter of USUAL) for (const search of [{}, { q: 'linen' }]) await ask({ ...filter, ...search })
  assert.equal(await keptStatements(), kept)
  // A step that is not a power of two still combines every filter with every other.
  for (let bits = 0; bits < 1 << names.length; bits += IS_FULL ? 1 : 5) {
    const chosen = names.filter((_name, i) => bits & (1 << i)).map(name => [name, FILTERS[name]])
    await ask({ levels: bits % 3 === 0 ? ['m', 'b', 'i'] : ['m'], ...Object.fromEntries(chosen) })
  }
  const all = await keptStatements()
  assert.ok(all < usual + 80, `${all} are kept after them, ${usual} before`)
})
