/** Tests that several processes count at once and nothing is lost, duplicated or reported twice. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createAccount } from '../../src/accounts/account/accounts.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { detectDevice } from '../../src/scans/device.ts'
import { listMilestonesUpTo } from '../../src/scans/milestones.ts'
import { summarizeAccount, summarizePassport } from '../../src/scans/summary.ts'
import { cloneDatabase, endPools, getTestShard, openPools, type TestDatabase } from '../database.ts'
import { IS_FULL } from '../full.ts'
import { allScansOf, type Plan, type PlannedScan } from './plan.ts'

const PLAN: Plan = IS_FULL
  ? {
      scans: 1_000_000,
      passports: 10_000,
      readers: 50_000,
      days: 9,
      processes: 3,
      from: '2026-11-10',
      flushEvery: 20_000,
    }
  : {
      scans: 30_000,
      passports: 300,
      readers: 1_500,
      days: 9,
      processes: 3,
      from: '2026-11-10',
      flushEvery: 900,
    }
const LAST_DAY = '2026-11-18T23:59:59Z'

let database: TestDatabase
let shared: Sql
let sql: Sql
const scans = allScansOf(PLAN)
before(async () => {
  database = await cloneDatabase()
  shared = await openPools(database)
  sql = getTestShard(shared)
  const ctx = { sql: shared, clock: systemClock }
  for (const name of ['One', 'Two']) await createAccount(ctx, { name, plan: 'beta' })
  await Promise.all(Array.from({ length: PLAN.processes }, (_, part) => count(part)))
})
after(async () => {
  await endPools(shared)
  await database.drop()
})

async function count(part: number): Promise<void> {
  const settings = JSON.stringify({ database, plan: PLAN, part })
  const child = spawn(process.execPath, [join(import.meta.dirname, 'counter.ts'), settings], {
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
}

const dayOf = (scan: PlannedScan) => new Date(scan.day * 86_400_000).toISOString().slice(0, 10)

/** Scans by a key, with the first scan of each reader of a passport per day. */
function tally(of: readonly PlannedScan[], key: (scan: PlannedScan) => string) {
  const totals: Record<string, number> = {}
  const uniques: Record<string, number> = {}
  for (const scan of of) {
    const name = key(scan)
    totals[name] = (totals[name] ?? 0) + 1
    uniques[name] = (uniques[name] ?? 0) + (scan.isNew ? 1 : 0)
  }
  return { totals, uniques }
}

const ctxOf = (accountId: number) => ({
  sql,
  clock: { now: () => new Date(LAST_DAY) },
  accountId,
  actorId: 0,
})
const nonZero = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0))

describe(`${PLAN.scans} scans of ${PLAN.passports} passports by ${PLAN.processes} processes`, () => {
  for (const accountId of [1, 2]) {
    for (const days of [7, 30]) {
      test(`GET /scans of account ${accountId} over ${days} days is exact`, async () => {
        const first = new Date(Date.parse(LAST_DAY) - (days - 1) * 86_400_000).toISOString().slice(0, 10)
        const mine = scans.filter(scan => scan.passport.account_id === accountId && dayOf(scan) >= first)
        const summary = await summarizeAccount(ctxOf(accountId), { days })
        const byDay = tally(mine, dayOf)
        assert.equal(summary.total, mine.length)
        assert.deepEqual(
          summary.by_day.filter(day => day.total > 0),
          Object.keys(byDay.totals)
            .sort()
            .map(date => ({ date, total: byDay.totals[date], unique: byDay.uniques[date] })),
        )
        assert.equal(
          summary.unique,
          Object.values(byDay.uniques).reduce((sum, n) => sum + n, 0),
        )
        // The spans of the range must cover it exactly.
        assert.deepEqual(summary.byCountry, tally(mine, scan => scan.reader.country ?? '').totals)
        assert.deepEqual(
          nonZero(summary.byDevice),
          tally(mine, scan => detectDevice(scan.reader.userAgent)).totals,
        )
        assert.deepEqual(summary.byCategory, tally(mine, scan => scan.passport.category).totals)
        const level = { m: 'model', b: 'batch', i: 'item' } as const
        assert.deepEqual(nonZero(summary.byLevel), tally(mine, scan => level[scan.passport.level]).totals)
      })
    }
  }

  test('every passport is exact, and every model with its units', async () => {
    const own = tally(scans, scan => scan.passport.id)
    const families = tally(scans, scan => scan.passport.model_id)
    const rows = await sql<
      { id: string; own: number; uniques: number; family: number; family_uniques: number }[]
    >`
      select passport_id as id, coalesce(sum(scans) filter (where "of" = 'o'), 0)::int as own,
        coalesce(sum(uniques) filter (where "of" = 'o'), 0)::int as uniques, sum(scans)::int as family,
        sum(uniques)::int as family_uniques
      from scan_day group by passport_id`
    const models = new Set(scans.map(scan => scan.passport.model_id))
    for (const row of rows) {
      assert.equal(row.own, own.totals[row.id] ?? 0)
      assert.equal(row.uniques, own.uniques[row.id] ?? 0)
      if (models.has(row.id))
        assert.deepEqual(
          [row.family, row.family_uniques],
          [families.totals[row.id], families.uniques[row.id]],
        )
    }
    assert.deepEqual(new Set([...Object.keys(own.totals), ...models]), new Set(rows.map(row => row.id)))
  })

  test('GET /products/{id}/scans says the same', async () => {
    const { passport } = scans[0] as PlannedScan
    const mine = scans.filter(scan => scan.passport.model_id === passport.model_id)
    const summary = await summarizePassport(ctxOf(passport.account_id), {
      uuid: passport.model_id,
      days: 30,
      withUnits: true,
    })
    assert.equal(summary.total, mine.length)
    assert.deepEqual(summary.byCountry, tally(mine, scan => scan.reader.country ?? '').totals)
  })

  test('each milestone is announced exactly once, to its account', async () => {
    const own = tally(scans, scan => scan.passport.id)
    const accounts = new Map(scans.map(scan => [scan.passport.id, scan.passport.account_id]))
    const expected = Object.entries(own.totals).flatMap(([id, total]) =>
      listMilestonesUpTo(10, total).map(milestone => `${accounts.get(id)} ${idFromUuid(id)} ${milestone}`),
    )
    const events = await sql<{ account_id: number; data: Record<string, number | string> }[]>`
      select account_id, data from event where type = 'scan.milestone'`
    assert.deepEqual(
      events.map(({ account_id, data }) => `${account_id} ${data.product_id} ${data.milestone}`).sort(),
      expected.sort(),
    )
    assert.ok(events.every(({ data }) => Number(data.count) >= Number(data.milestone)))
  })
})
