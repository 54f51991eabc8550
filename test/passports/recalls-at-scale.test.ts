/** Tests that a recall costs as much for a model with many items as for one with a single item. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { countRecalls, findRecalled, listRecalls } from '../../src/passports/recalls/read-recall.ts'
import { endRecall, setRecall } from '../../src/passports/recalls/set-recall.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { IS_SHARDED } from '../database.ts'
import { IS_FULL } from '../full.ts'
import { type Harness, newProduct, startHarness } from '../harness.ts'
import { type Receiver, type Stand, startReceiver, startStand } from '../webhooks/stand.ts'

const ITEMS = IS_FULL ? 10_000 : 200
const ITEMS_PER_CALL = 500
/** The console's list of products shows so many. */
const LISTED = 25
/** No single step reads or writes more rows, entries of indexes included. */
const MAX_ROWS = 100
const NOTICE = {
  hazard: { en: 'It can catch fire.' },
  action: { en: 'Stop using it.' },
  url: undefined,
  contact: undefined,
  from: undefined,
}

let t: Harness
let stand: Stand
let receiver: Receiver
/** One connection, so that PostgreSQL's counts are complete as soon as it reports them. */
let sql: Sql
let app: ReturnType<typeof createApp>
let statements: string[] = []
before(async () => {
  t = await startHarness()
  stand = await startStand(t.database)
  receiver = await startReceiver()
  sql = openPool(t.target, { max: 1, onStatementEnd: ({ text }) => statements.push(text) })
  app = createApp({ ...t.setup, sql })
  await app.ready()
  t.clock.set('2026-11-24T10:00:00Z')
})
after(async () => {
  await app.close()
  await sql.end()
  await receiver.close()
  await stand.close()
  await t.close()
})

/** An account with one model and its items, and an endpoint that names the events of recalls. */
async function makeAccount(items: number) {
  const account = await t.account({ plan: 'enterprise' })
  const ctx: AccountContext = { ...account.ctx, sql }
  const body = newProduct({ languages: ['en'] })
  const model = (await createPassport(ctx, { ...body, strict: false })).passport.id
  let item = ''
  for (let done = 0; done < items; done += ITEMS_PER_CALL) {
    const units = Array.from({ length: Math.min(ITEMS_PER_CALL, items - done) }, (_, i) => ({
      serial: `S-${done + i}`,
    }))
    const call = { parentUuid: model, level: 'item', units, bulk: true, strict: false } as const
    item = (await issueUnits(ctx, call)).created.at(-1)?.passport.id ?? assert.fail()
  }
  await stand.endpoint(account, {
    url: `${receiver.url}/${items}`,
    events: ['product.recalled', 'product.recall_ended'],
  })
  return { ctx, model, item }
}

/** Rows and index entries that this database has read and written. */
async function countRows(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [counts] = await sql<{ n: number }[]>`
    select (select sum(seq_tup_read + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del)
        from pg_stat_user_tables)::int
      + (select sum(idx_tup_read) from pg_stat_user_indexes)::int as n`
  return counts?.n ?? 0
}

async function measure(work: () => Promise<unknown>): Promise<{ statements: string[]; rows: number }> {
  const before = await countRows()
  statements = []
  await work()
  const sent = [...statements]
  return { statements: sent, rows: (await countRows()) - before }
}

type Account = Awaited<ReturnType<typeof makeAccount>>

/** From the first notice to its end, in this order. */
function listSteps({ ctx, model, item }: Account): Record<string, () => Promise<unknown>> {
  const set = (contact?: string) =>
    setRecall(ctx, { uuid: model, notice: { ...NOTICE, contact }, expects: () => true })
  const readPage = async (isRecalled: boolean) => {
    t.clock.advance(2_000)
    const { statusCode, body } = await app.inject({
      url: `/p/${idFromUuid(item)}`,
      headers: { accept: 'text/html' },
    })
    assert.deepEqual([statusCode, body.includes('It can catch fire.')], [200, isRecalled])
  }
  return {
    'the page before': () => readPage(false),
    set: () => set(),
    'the page of an item': () => readPage(true),
    change: () => set('+49 1'),
    list: async () => {
      const found = await listRecalls(ctx, { state: 'active', limit: 50 })
      assert.deepEqual([found.length, await countRecalls(ctx, 'active')], [1, 1])
    },
    'marks in the list of products': async () => {
      const rows = await sql<{ id: string; parent_id: string | null; model_id: string }[]>`
        select id, parent_id, model_id from passport where account_id = ${ctx.accountId} and level = 'i'
        order by id desc limit ${LISTED}`
      assert.equal((await findRecalled(ctx, rows)).size, rows.length)
    },
    end: () => endRecall(ctx, { uuid: model, expects: () => true }),
    'the page afterwards': () => readPage(false),
  }
}

test(`a recall sends the same statements for ${ITEMS} items as for one, reads no rows for each, and is one event`, {
  skip: skipOnCitus('statistics') || IS_SHARDED,
}, async () => {
  const [warm, one, many] = [await makeAccount(1), await makeAccount(1), await makeAccount(ITEMS)]
  await sql`analyze passport`
  for (const work of Object.values(listSteps(warm))) await work()
  const [ofOne, ofMany] = [listSteps(one), listSteps(many)]
  for (const [name, work] of Object.entries(ofOne)) {
    const few = await measure(work)
    const all = await measure(ofMany[name] ?? assert.fail())
    assert.deepEqual(all.statements, few.statements, name)
    assert.ok(all.rows <= MAX_ROWS, `${name}: ${all.rows} rows`)
  }
  await stand.worker().drain()
  const sent = receiver.received.map(({ path, text }) => [path, JSON.parse(text).data.change])
  assert.deepEqual(
    sent.filter(([path]) => path === `/hook/${ITEMS}`).map(([, change]) => change),
    ['set', 'changed', 'ended'],
  )
})
