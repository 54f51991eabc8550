/** The readiness of an account, and lists by it: the same as the reports of its products, one by one. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { closeAccount } from '../../src/accounts/account/close-account.ts'
import { listPassports, type PageWindow } from '../../src/passports/read/list.ts'
import type { FactsFilter } from '../../src/passports/read/list-filter.ts'
import { selectReadinessGroups } from '../../src/passports/readiness/account-readiness.ts'
import { createFactsTask, fillFacts, groupByFacts } from '../../src/passports/readiness/facts.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { newProduct } from '../harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
type Json = any

const ACTS = [
  'eu.battery.passport',
  'eu.textile.labelling',
  'eu.reach',
  'eu.furniture.eudr',
  'eu.textile.jrc-draft',
]

let s: UnitStand
/** Active products with their level. */
const active = new Map<string, string>()

before(async () => {
  s = await startUnitStand()
  const create = async (data: object, category: 'textile' | 'battery' | 'furniture') => {
    const { id } = await s.call('POST', '', newProduct({ ...data }, category))
    active.set(id, 'model')
    return id as string
  }
  const keep = async (made: Promise<string>, level: string) => {
    const id = await made
    active.set(id, level)
    return id
  }
  await create({ sku: 'T1' }, 'textile')
  await create({ sku: 'T2', apparelCategory: 'jackets_coats', warrantyMonths: 24 }, 'textile')
  await create({ sku: 'F1', commodityCode: '94036010' }, 'furniture')
  await create({ sku: 'B0', batteryCategory: 'industrial', nominalVoltage: null }, 'battery')
  const archived = await create({ sku: 'B9' }, 'battery')
  await s.call('POST', `/${archived}/archive`)
  active.delete(archived)
  const model = await keep(s.model({ extinguishingAgents: ['water'] }), 'model')
  const bare = await keep(s.model({ sku: 'B2' }), 'model')
  const batch = await keep(s.batch(model, 'L1'), 'batch')
  const ownBatch = await keep(s.batch(model, 'L2', { manufacturingDate: '2026-06' }), 'batch')
  for (const [place, parent] of [model, bare, batch, ownBatch].entries()) {
    await keep(s.item(parent, `P1-${place}`), 'item')
    await keep(s.item(parent, `P2-${place}`), 'item')
    await keep(
      s.item(parent, `O-${place}`, { manufacturingDate: '2026-07-02', batteryStatus: 'original' }),
      'item',
    )
    const gone = await s.item(parent, `X-${place}`)
    await s.call('POST', `/${gone}/archive`)
    const ownGone = await s.item(parent, `Y-${place}`, { manufacturingDate: '2026-07-03' })
    await s.call('POST', `/${ownGone}/archive`)
  }
  // Units keep what they were issued with.
  await s.call('PATCH', `/${model}`, {
    data: { warrantyMonths: 24, notApplicable: [{ rule: 'batt.35', reason: 'none is given' }] },
    change_type: 'change',
  })
  await keep(s.item(model, 'after-change'), 'item')
})
after(() => s.close())

const sums = async (query = ''): Promise<Json> => {
  const answer = await s.t.ask('GET', `/api/v1/readiness${query}`, { key: s.account.key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

const actOf = (all: Json, id: string) => all.acts.find(({ act }: { act: string }) => act === id)

/** Kept sums are too old after a minute. */
const expire = () => s.t.clock.advance(60_000)

type Told = { id: string; state: string | undefined; gaps: { id: string; outcome: string }[] }

function getState({ applies, ready, nothing_asked }: Json): string {
  if (applies === null) return 'undetermined'
  if (nothing_asked !== undefined) return 'nothing_asked'
  return ready ? 'ready' : 'incomplete'
}

/** Returns the report of each active product. */
async function readReports(act: string): Promise<Told[]> {
  const told: Told[] = []
  for (const id of active.keys()) {
    const report = await s.call('GET', `/${id}/readiness?act=${act}&detail=summary`)
    const [one] = report.acts
    if (one === undefined || one.applies === false) continue
    told.push({ id, state: getState(one), gaps: one.rules ?? [] })
  }
  return told
}

/** All ids of a list, page by page. */
async function list(query: string, limit = 4): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { json, status, text } = await s.ask('GET', `?${query}&limit=${limit}${cursor}`)
    assert.equal(status, 200, text)
    ids.push(...json.data.map(({ id }: { id: string }) => id))
    if (cursor === '') assert.ok(json.meta.total >= json.data.length)
    if (json.meta.next_cursor === null) return ids
    cursor = `&cursor=${json.meta.next_cursor}`
  }
}

async function requireSameAsReports(): Promise<void> {
  expire()
  for (const act of ACTS) {
    const told = await readReports(act)
    const { acts, pending } = await sums(`?act=${act}`)
    assert.equal(pending, 0)
    const count = (state: string) => told.filter(one => one.state === state).length
    const byRule: Record<string, Record<string, number>> = {}
    for (const { id, outcome } of told.flatMap(one => one.gaps)) {
      byRule[id] ??= { missing: 0, partial: 0, check: 0 }
      byRule[id][outcome] = (byRule[id][outcome] ?? 0) + 1
    }
    const { computed_at: _, ...found } = acts[0]
    assert.deepEqual(found, {
      act,
      in_scope: count('ready') + count('incomplete'),
      ready: count('ready'),
      incomplete: count('incomplete'),
      undetermined: count('undetermined'),
      nothing_asked: count('nothing_asked'),
      by_rule: byRule,
    })
    for (const state of ['ready', 'incomplete', 'undetermined']) {
      for (const level of ['all', 'model', 'batch', 'item']) {
        const expected = told.filter(
          one => one.state === state && (level === 'all' || active.get(one.id) === level),
        )
        const query = `readiness=${state}&act=${act}&level=${level}`
        assert.deepEqual((await list(query)).sort(), expected.map(({ id }) => id).sort(), query)
        const { json } = await s.ask('GET', `?${query}&limit=1`)
        assert.equal(json.meta.total, expected.length, query)
      }
    }
    for (const rule of Object.keys(byRule).slice(0, 8)) {
      const lacking = told.filter(({ gaps }) => gaps.some(one => one.id === rule && one.outcome !== 'check'))
      const query = `missing=${rule}&level=all`
      assert.deepEqual((await list(query, 7)).sort(), lacking.map(({ id }) => id).sort(), query)
    }
  }
}

describe('the readiness of an account', () => {
  test('is that of its products, one by one, and lists find them', requireSameAsReports)

  test('follows changes, corrections and the archive', async () => {
    const [item = ''] = [...active.keys()].filter(id => active.get(id) === 'item')
    await s.call('PATCH', `/${item}`, { data: { manufacturingDate: '2026-08-01' }, change_type: 'change' })
    const [model = ''] = await list('level=model&category=battery&q=Test')
    await s.correct(model, { extinguishingAgents: ['water'] })
    await s.call('POST', `/${model}/refresh`)
    const [last = ''] = [...active.keys()].slice(-1)
    await s.call('POST', `/${last}/archive`)
    active.delete(last)
    await requireSameAsReports()
    await s.call('POST', `/${last}/restore`)
    active.set(last, 'item')
    await requireSameAsReports()
  })

  test('joins other filters', async () => {
    const all = await list('readiness=incomplete&act=eu.battery.passport&level=all')
    const ofModel = await list('readiness=incomplete&act=eu.battery.passport&sku=B2')
    assert.equal(ofModel.length, 1)
    assert.ok(all.includes(ofModel[0] ?? ''))
    assert.deepEqual(await list('readiness=incomplete&act=eu.battery.passport&level=all&status=archived'), [])
    assert.deepEqual(
      await list('readiness=incomplete&act=eu.battery.passport&level=all&category=textile'),
      [],
    )
    const since = await list(
      'readiness=incomplete&act=eu.battery.passport&level=all&updated_since=2020-01-01',
    )
    assert.deepEqual(since.sort(), all.sort())
    const found = await list('readiness=incomplete&act=eu.battery.passport&level=all&q=after')
    assert.equal(found.length, 1)
  })

  test('lists where few match read the same rows by their facts', async () => {
    const { ctx } = s.account
    for (const state of ['incomplete', 'undetermined', 'ready'] as const) {
      const facts = await selectReadinessGroups(ctx, { readiness: state, act: 'eu.battery.passport' })
      assert.ok(facts)
      for (const levels of [['m'], ['b'], ['i'], ['m', 'b', 'i']] as const) {
        const first = await listPassports(ctx, { levels, facts }, { limit: 3, page: 1 })
        const windows: PageWindow[] = [
          { limit: 3, page: 1 },
          { limit: 3, page: 2 },
          { limit: 100, page: 1 },
          ...first.rows.map(({ id }) => ({ limit: 2, after: id })),
        ]
        for (const window of windows) {
          const read = async (rare: FactsFilter['rare']): Promise<string[]> => {
            const { rows } = await listPassports(ctx, { levels, facts: { ...facts, rare } }, window)
            return rows.map(({ id }) => id)
          }
          assert.deepEqual(await read(levels), await read([]), `${state} ${levels} ${JSON.stringify(window)}`)
        }
      }
    }
  })

  test('has all acts of its settings without a parameter', async () => {
    const { acts } = await sums()
    const ids = acts.map(({ act }: Json) => act)
    assert.ok(ids.includes('eu.battery.passport'))
    assert.ok(!ids.includes('fr.agec.textile'))
    assert.equal(new Set(ids).size, ids.length)
  })

  test('is of nobody else', async () => {
    const stranger = await s.t.account()
    const answer = await s.t.ask('GET', '/api/v1/readiness?act=eu.battery.passport', { key: stranger.key })
    assert.deepEqual(answer.json.data.acts[0].in_scope, 0)
  })

  test('is kept for a minute at most', async () => {
    expire()
    const first = actOf(await sums(), 'eu.battery.passport')
    expire()
    const later = actOf(await sums(), 'eu.battery.passport')
    assert.ok(later.computed_at > first.computed_at)
  })
})

const REFUSED: [string, string, string][] = [
  ['readiness=ready', 'readiness', 'required'],
  ['readiness=ready&act=eu.none', 'act', 'enum'],
  ['readiness=done&act=eu.reach', 'readiness', 'enum'],
  ['missing=batt.9999', 'missing', 'enum'],
  ['missing=batt.14&act=eu.reach', 'missing', 'enum'],
  ['act=eu.reach', 'act', 'required'],
]
for (const [query, field, code] of REFUSED) {
  test(`422: ?${query}`, async () => {
    const { status, json } = await s.ask('GET', `?${query}`)
    assert.deepEqual([status, json.errors[0].field, json.errors[0].code], [422, field, code])
  })
}

test('422: the sums of an act that does not exist', async () => {
  const answer = await s.t.ask('GET', '/api/v1/readiness?act=eu.none', { key: s.account.key })
  assert.deepEqual([answer.status, answer.json.errors[0].field], [422, 'act'])
})

describe('facts', () => {
  const shards = async () => {
    const { sql, spread } = s.account.ctx
    assert.equal(spread, undefined)
    return { sql, accountId: s.account.id }
  }

  test('are written by the scheduled task, once, and again after another version', async () => {
    const at = await shards()
    await at.sql`delete from readiness_facts where account_id = ${at.accountId}`
    assert.ok((await groupByFacts(at)).pending > 0)
    const run = createFactsTask(at.sql, () => false)
    await run()
    const { groups, pending } = await groupByFacts(at)
    assert.equal(pending, 0)
    assert.equal(
      groups.reduce((sum, { n }) => sum + n, 0),
      active.size,
    )
    await at.sql`update readiness_facts set facts_version = facts_version + 1, bits = '' where account_id = ${at.accountId}`
    assert.equal((await groupByFacts(at)).pending, active.size)
    // The same process looks again when a passport has changed; another one at once.
    await run()
    assert.equal((await groupByFacts(at)).pending, active.size)
    await createFactsTask(at.sql, () => false)()
    assert.deepEqual(await groupByFacts(at), { groups, pending: 0 })
  })

  test('that two processes write at once are right', async () => {
    const at = await shards()
    const before = await groupByFacts(at)
    await at.sql`delete from readiness_facts where account_id = ${at.accountId}`
    await Promise.all([1, 2, 3].map(() => fillFacts(at, () => true)))
    assert.deepEqual(await groupByFacts(at), before)
  })

  test('stay unwritten when the server stops', async () => {
    const at = await shards()
    await at.sql`delete from readiness_facts where account_id = ${at.accountId}`
    assert.equal(await fillFacts(at, () => false), false)
    assert.ok((await groupByFacts(at)).pending > 0)
    assert.equal(await fillFacts(at, () => true), true)
  })
})

test('a closed account is still counted', async () => {
  await fillFacts(s.account.ctx, () => true)
  await closeAccount(s.account.ctx, s.account.id)
  assert.equal((await groupByFacts(s.account.ctx)).pending, 0)
})
