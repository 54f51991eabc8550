/**
 * The statements about the readiness of an account touch about as many rows before statistics were gathered
 * as afterwards. Rows are counted, not milliseconds, so that a busy machine changes nothing.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { listShardTables } from '../../src/kernel/db/create-shard.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { encodeFacts, fillFacts, groupByFacts, listFactBits } from '../../src/passports/readiness/facts.ts'
import { findUnitFacts } from '../../src/passports/readiness/unit-facts.ts'
import { endPools, getTestShard } from '../database.ts'
import { fill, fillItems } from '../fill-database.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

const MODELS = 2_000
const ITEMS = 30_000
const UNITS_OF_MODEL = 1_000
/** After VACUUM ANALYZE plans may differ a little. */
const MAX_TIMES = 2

let t: Harness
let shared: Sql
let shard: Sql
const texts = new Set<string>()

before(async () => {
  t = await startHarness()
  const onStatementEnd = ({ text }: { text: string }) => void texts.add(text)
  shared = await t.openPools({ onStatementEnd, max: 1 })
  shard = getTestShard(shared)
  for (const table of await listShardTables(shard))
    await shard`alter table ${shard(table)} set (autovacuum_enabled = false)`
})
after(async () => {
  await endPools(shared)
  await t.close()
})

type Plan = { Plans?: Plan[]; 'Actual Loops': number } & Record<string, number | undefined>
const COUNTED = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Join Filter'] as const

/** Rows that all steps of a plan have read, joined or dropped. */
const countRows = (plan: Plan): number =>
  COUNTED.reduce((sum, name) => sum + (plan[name] ?? 0) * plan['Actual Loops'], 0) +
  (plan.Plans ?? []).reduce((sum, part) => sum + countRows(part), 0)

/** By the beginning of its text. Every parameter is the account, a model, a limit, or the versions of facts. */
async function explain(accountId: number, model: string): Promise<Map<string, number>> {
  texts.clear()
  await groupByFacts({ sql: shard, accountId })
  await fillFacts({ sql: shard, accountId }, () => true)
  await findUnitFacts(
    { sql: shard, accountId },
    { id: model, model_id: model, account_id: accountId, level: 'm' },
  )
  const found = [...texts].filter(text => /^\s*(?:select|with contents) .*readiness_facts/s.test(text))
  assert.equal(found.length, 3)
  const rows = new Map<string, number>()
  for (const text of found) {
    const values = Array.from(
      text.matchAll(/(?:(limit |<= )|(model_id = |parent_id = ))?\$\d+(?:(::int\[\])|(::uuid))?/g),
      ([, limit, id, list, uuid]) => {
        if (list !== undefined) return [...listFactBits().keys()]
        if (id !== undefined || uuid !== undefined) return model
        return limit !== undefined ? 20_000 : accountId
      },
    )
    const answer = await shard.unsafe(`explain (analyze, format json) ${text}`, values as never[], {
      prepare: true,
    })
    const [plan] = (answer[0]?.['QUERY PLAN'] ?? []) as { Plan: Plan }[]
    assert.ok(plan)
    rows.set(text.trim().slice(0, 30), countRows(plan.Plan))
  }
  return rows
}

async function compare({ id: accountId }: TestAccount, model: string): Promise<void> {
  // Facts are written first, so that both look at the same rows.
  await fillFacts({ sql: shard, accountId }, () => true)
  const early = await explain(accountId, model)
  for (const table of await listShardTables(shard)) await shard`vacuum analyze ${shard(table)}`
  const late = await explain(accountId, model)
  for (const [text, count] of early) {
    assert.ok(count <= MAX_TIMES * (late.get(text) ?? 0), `${text}: ${count} rows, then ${late.get(text)}`)
    // The plain items of a model are not read one by one.
    if (text.startsWith('with contents')) assert.ok(count < UNITS_OF_MODEL / 4, `${count} rows`)
  }
}

/** Another account has the items, which no plan may look at. */
async function write(account: TestAccount): Promise<string> {
  const other = await t.account({ plan: 'enterprise' })
  const [model = ''] = await fill(shard, { accountId: other.id, count: 1, word: 'other' })
  await fillItems(shard, { accountId: other.id, models: [model], each: ITEMS, prefix: 'O' })
  const models = await fill(shard, { accountId: account.id, count: MODELS, word: 'own' })
  await fillItems(shard, {
    accountId: account.id,
    models: models.slice(0, 20),
    each: UNITS_OF_MODEL,
    prefix: 'S',
  })
  return models[0] ?? ''
}

test('without statistics', async () => {
  const account = await t.account({ plan: 'enterprise' })
  await compare(account, await write(account))
})

test('with statistics from before the account had anything', async () => {
  const account = await t.account({ plan: 'enterprise' })
  await compare(account, await write(account))
})

/** Pages of data that is too large for its row. */
async function countLargeDataPages(work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await shard`select pg_stat_force_next_flush()`
    const [row] = await shard<{ n: number }[]>`
      select sum(toast_blks_hit + toast_blks_read)::float as n from pg_statio_user_tables where relname = 'content'`
    return row?.n ?? 0
  }
  const before = await read()
  await work()
  return (await read()) - before
}

test('what units inherit is read once for all of them', async () => {
  const account = await t.account({ plan: 'enterprise' })
  const own = Array.from({ length: 500 }, () => randomBytes(100).toString('base64'))
  const send = async (path: string, body: object) => {
    const { status, json } = await t.ask('POST', `/api/v1/products${path}`, { key: account.key, body })
    assert.equal(status, 201)
    return json.data
  }
  const model = (await send('', newProduct({ own }))).id
  const items = Array.from({ length: 50 }, (_, n) => ({ serial: `U${n}`, data: { weightGrams: n + 1 } }))
  const { created } = await send(`/${model}/children`, { level: 'item', items })
  const subjects = created.map(({ id }: { id: string }) => ({
    kind: 'u' as const,
    subject: parseId(id) ?? '',
  }))
  const at = { sql: shard, accountId: account.id }
  const one = await countLargeDataPages(() => encodeFacts(at, subjects.slice(0, 1)))
  const all = await countLargeDataPages(() => encodeFacts(at, subjects))
  assert.ok(one > 5, `${one} pages`)
  assert.ok(all <= one * 3, `${all} pages for ${subjects.length} units, ${one} for one`)
})
