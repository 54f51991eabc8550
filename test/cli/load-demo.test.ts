/**
 * Tests loading the demo: every unit is created once and before the corrections, whatever happened to an
 * earlier load.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { countDemoPassports, DEMO_PASSPORTS } from '../../src/cli/demo/demo-data.ts'
import { formatDemoSummary } from '../../src/cli/demo/demo-summary.ts'
import { loadDemoPassports } from '../../src/cli/demo/load-demo.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'

// A GTIN belongs to one model of the whole service, so each load has its own database.
let harness: Harness
let account: TestAccount
beforeEach(async () => {
  harness = await startHarness()
  account = await harness.account()
})
afterEach(() => harness.close())

const batches = DEMO_PASSPORTS.flatMap(passport => passport.batches ?? [])
const items = DEMO_PASSPORTS.flatMap(passport => [
  ...(passport.batches ?? []).flatMap(batch => batch.items ?? []),
  ...(passport.items ?? []),
])
type Written = {
  durability?: { testResults?: string }
  substancesOfConcern?: { note?: string }[] | null
  fiberComposition?: { fiber: string }[]
}
const ENGLISH = /\b(?:after|by|below|cycles without|the|warp|recycled|water)\b/i
const COUNTS = { m: DEMO_PASSPORTS.length, b: batches.length, i: items.length }

const counts = async ({ id }: TestAccount) => {
  const rows = await harness.sql<{ level: 'm' | 'b' | 'i'; n: number }[]>`
    select level, count(*)::int as n from passport where account_id = ${id} group by level`
  return Object.fromEntries(rows.map(({ level, n }) => [level, n]))
}
const versions = async ({ id }: TestAccount) =>
  harness.sql`select id, version_no, updated_at from passport where account_id = ${id} order by id`
const list = async ({ key }: TestAccount, query: string) =>
  (await harness.ask('GET', `/api/v1/products?limit=100&${query}`, { key })).json.data

describe('the demo data', () => {
  test('has all models, batches and items, most units current, and a few outdated by a correction', async () => {
    const loaded = await loadDemoPassports(account.ctx, DEMO_PASSPORTS)
    assert.deepEqual(await counts(account), COUNTS)
    const { models, batches, items } = loaded
    assert.deepEqual({ m: models.length, b: batches.length, i: items.length }, COUNTS)
    const { models: m, batches: b, items: i } = countDemoPassports()
    assert.deepEqual({ m, b, i }, COUNTS)
    const outdated = await list(account, 'level=all&outdated=true')
    const units = [...(await list(account, 'level=item')), ...(await list(account, 'level=batch'))]
    assert.ok(outdated.length > 0 && outdated.length < units.length / 4, `${outdated.length} outdated`)
    const first = await harness.ask('GET', `/p/${items[0]}`)
    assert.match(first.text, /Single item/)
    assert.doesNotMatch(first.text, /A correction has been published|has since been corrected/)
    for (const { id } of outdated) {
      const { text } = await harness.ask('GET', `/p/${id}?lang=en`)
      assert.match(text, /A correction has been published .*<b>Weight<\/b> 3\.4\skg → 3\.55\skg/s)
    }
  })

  test('texts without a language tag are in the primary language of their product', () => {
    for (const { data, batches = [], corrections = [] } of DEMO_PASSPORTS) {
      const [primary] = data.languages as string[]
      if (primary === 'en') continue
      for (const one of [
        data,
        ...batches.map(batch => batch.data ?? {}),
        ...corrections.map(each => each.data),
      ]) {
        const { durability, substancesOfConcern, fiberComposition = [] } = one as Written
        const texts = [
          durability?.testResults ?? '',
          ...(substancesOfConcern ?? []).map(({ note }) => note ?? ''),
          ...fiberComposition.map(({ fiber }) => fiber),
        ]
        for (const text of texts) assert.doesNotMatch(text, ENGLISH, `${data.sku}, ${primary}`)
      }
    }
  })

  test('loading it again changes nothing', async () => {
    const first = await loadDemoPassports(account.ctx, DEMO_PASSPORTS)
    const before = await versions(account)
    assert.deepEqual(await loadDemoPassports(account.ctx, DEMO_PASSPORTS), first)
    assert.deepEqual(await versions(account), before)
  })

  test('names each product before it is created, and none that is there', async () => {
    const named: unknown[] = []
    const onCreate = ({ sku }: Record<string, unknown>) => named.push(sku)
    const skus = DEMO_PASSPORTS.map(({ data }) => data.sku)
    await loadDemoPassports(account.ctx, DEMO_PASSPORTS.slice(0, 2), { onCreate })
    assert.deepEqual(named.splice(0), skus.slice(0, 2))
    await loadDemoPassports(account.ctx, DEMO_PASSPORTS, { onCreate })
    assert.deepEqual(named, skus.slice(2))
  })

  test('an interrupted load is completed', async () => {
    const part = DEMO_PASSPORTS.map(({ batches, items: _, corrections: __, ...passport }) => ({
      ...passport,
      ...(batches === undefined
        ? {}
        : { batches: batches.map(({ items, ...batch }) => ({ ...batch, items: items?.slice(0, 1) ?? [] })) }),
    }))
    await loadDemoPassports(account.ctx, part)
    await loadDemoPassports(account.ctx, DEMO_PASSPORTS)
    assert.deepEqual(await counts(account), COUNTS)
    assert.ok((await list(account, 'level=item&outdated=true')).length > 0)
  })

  test('loads also if its products were changed or archived since', async () => {
    const bare = DEMO_PASSPORTS.map(({ category, data }) => ({ category, data }))
    const { models } = await loadDemoPassports(account.ctx, bare)
    const withUnits = DEMO_PASSPORTS.findIndex(passport => passport.batches !== undefined)
    const path = `/api/v1/products/${models[withUnits]}/archive`
    assert.equal((await harness.ask('POST', path, { key: account.key })).status, 200)
    const loaded = await loadDemoPassports(account.ctx, DEMO_PASSPORTS)
    assert.equal(loaded.models.length, COUNTS.m)
    assert.equal(loaded.batches.length, COUNTS.b - (DEMO_PASSPORTS[withUnits]?.batches?.length ?? 0))
  })

  test('the demo overview shows the counts of each level, and the URL of an item', () => {
    const sheet = {
      url: 'http://localhost:3000',
      console_url: 'http://localhost:3000/console',
      email: 'demo@carnet.example',
      password: 'x',
      api_key: 'dpp_live_x',
      curl: 'curl',
      passport_url: 'http://localhost:3000/p/model',
      item_url: 'http://localhost:3000/p/item',
      access_link: 'http://localhost:3000/p/model?access=x',
      passports: { models: 18, batches: 16, items: 20 },
      data: './data/demo',
    }
    assert.match(formatDemoSummary(sheet, false), /18 models, 16 batches and 20 items/)
    assert.match(formatDemoSummary(sheet, false), /of one item +http:\/\/localhost:3000\/p\/item/)
    assert.doesNotMatch(formatDemoSummary({ ...sheet, item_url: null }, false), /one item/)
  })
})
