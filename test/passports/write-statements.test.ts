/** Tests how many statements each operation sends: each round trip costs every caller a millisecond. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { getPassport } from '../../src/passports/read/find.ts'
import { syncModels } from '../../src/passports/sync/sync-models.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { refreshPassport } from '../../src/passports/units/refresh-job.ts'
import { updateUnits } from '../../src/passports/units/update-units.ts'
import { setStatus } from '../../src/passports/write/archive.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { revertPassport } from '../../src/passports/write/revert.ts'
import { updatePassport } from '../../src/passports/write/update.ts'
import { type Harness, newProduct, nextGtin, startHarness } from '../harness.ts'

let t: Harness
let sql: Sql
let ctx: AccountContext
let sent: string[] = []
before(async () => {
  t = await startHarness()
  sql = openPool(t.target, { onStatementEnd: ({ text }) => sent.push(text) })
  ctx = { ...(await t.account()).ctx, sql }
})
after(async () => {
  await sql.end()
  await t.close()
})

async function count(work: () => Promise<unknown>): Promise<number> {
  sent = []
  await work()
  return sent.length
}

const change = (
  uuid: string,
  data: Record<string, unknown>,
  changeType: 'change' | 'correction' = 'change',
) => updatePassport(ctx, { uuid, data, changeType, note: undefined, strict: false, expects: () => true })
const create = async (data = {}) => {
  const made = await createPassport(ctx, { ...newProduct({ gtin: nextGtin(), ...data }), strict: false })
  return made.passport.id
}
const issue = async (parentUuid: string, serials: readonly string[]) => {
  const units = serials.map(serial => ({ serial, data: { brandName: `Brand ${serial}` } }))
  const made = await issueUnits(ctx, { parentUuid, level: 'item', units, bulk: true, strict: false })
  return made.created.map(({ passport }) => passport.id)
}
const sync = (skus: readonly string[], brandName: string) => {
  const rows = skus.map(sku => newProduct({ sku, brandName }))
  const call = {
    rows,
    matchBy: 'sku',
    changeType: 'change',
    note: undefined,
    strict: false,
    dryRun: false,
  } as const
  return syncModels(ctx, call)
}

/** The tables that a statement names; Citus keeps a plan only for a statement of one table without subqueries. */
const tablesIn = (text: string) =>
  Array.from(text.matchAll(/\b(?:from|join)\s+([a-z_]+|\()/g), ([, name]) => name)

test('a read takes two statements of a single table, and for a unit one of its model and one of its log; concurrent ones share them', async () => {
  const models = [await create(), await create()]
  const [item = ''] = await issueUnits(ctx, {
    parentUuid: models[0] ?? '',
    level: 'item',
    units: [{ serial: 'R' }],
    bulk: true,
    strict: false,
  }).then(made => made.created.map(({ passport }) => passport.id))
  const read = (uuids: readonly string[]) => Promise.all(uuids.map(uuid => getPassport(ctx, uuid)))
  for (const [uuids, tables] of [
    [models, ['passport', 'content']],
    [[item], ['passport', 'content', 'passport', 'unit_life']],
    [
      [item, ...models],
      ['passport', 'content', 'passport', 'unit_life'],
    ],
  ] as const) {
    await count(() => read(uuids))
    assert.deepEqual(sent.flatMap(tablesIn).sort(), tables.toSorted())
    assert.equal(sent.length, tables.length)
  }
  const units = await issue(models[1] ?? '', ['Own'])
  await count(() => read(units))
  assert.ok(
    sent.some(text => text.includes('join content')),
    'own fields are merged by the database',
  )
})

test('one create is one statement, and so are many concurrent ones', async () => {
  assert.equal(await count(() => create()), 1)
  assert.equal(await count(() => Promise.all([create(), create(), create()])), 1)
})

test('a change reads once and writes once, for a model and for a unit, at any version', async () => {
  const model = await create()
  const [unit = ''] = await issue(model, ['A'])
  for (const uuid of [model, unit]) {
    for (const brandName of ['One', 'Two']) assert.equal(await count(() => change(uuid, { brandName })), 2)
  }
  assert.equal(await count(() => change(model, { gtin: nextGtin() })), 2)
  const both = () => Promise.all([model, unit].map(uuid => change(uuid, { brandName: 'Both' })))
  assert.equal(await count(both), 2)
})

test('reverting needs one more read; archiving and restoring read before and after', async () => {
  const uuid = await create()
  await change(uuid, { brandName: 'Other' })
  const reversion = {
    uuid,
    versionNo: 1,
    changeType: 'change',
    note: undefined,
    expects: () => true,
  } as const
  assert.equal(await count(() => revertPassport(ctx, reversion)), 3)
  const status = (letter: 'a' | 'x') => setStatus(ctx, { uuid, status: letter, expects: () => true })
  assert.equal(await count(() => status('x')), 5)
  assert.equal(await count(() => status('a')), 5)
})

test('a sync looks up once, writes new products with one statement, and changed ones with one read and one write', async () => {
  const skus = Array.from({ length: 20 }, (_, i) => `S-${i}`)
  assert.equal(await count(() => sync(skus, 'First')), 2)
  assert.equal(await count(() => sync(skus, 'First')), 2)
  assert.equal(await count(() => sync(skus, 'Second')), 3)
  assert.equal(await count(() => sync([...skus, 'S-new'], 'Third')), 4)
})

test('issuing units reads the parent and then writes everything with one statement', async () => {
  const model = await create()
  const serials = Array.from({ length: 20 }, (_, i) => `U${i}`)
  assert.equal(await count(() => issue(model, serials)), 2)
})

test('changing many units reads parent and units and then writes all of them with one statement', async () => {
  const model = await create()
  const serials = Array.from({ length: 20 }, (_, i) => `C${i}`)
  await issue(model, serials)
  const update = (brandName: string, dryRun: boolean) => {
    const units = serials.map(serial => ({ serial, data: { brandName } }))
    const how = { changeType: 'change', note: undefined, strict: false, dryRun } as const
    return updateUnits(ctx, { parentUuid: model, units, ...how })
  }
  assert.equal(await count(() => update('Tried', true)), 3)
  for (const brandName of ['First', 'Second']) assert.equal(await count(() => update(brandName, false)), 4)
})

test('a refresh of three units needs ten statements, and one more if a unit is past version 1', async () => {
  const model = await create()
  const [first = ''] = await issue(model, ['A', 'B', 'C'])
  await change(model, { brandName: 'Right' }, 'correction')
  assert.equal(await count(() => refreshPassport(ctx, model)), 10)
  await change(first, { productName: 'Its own' })
  await change(model, { brandName: 'Right again' }, 'correction')
  assert.equal(await count(() => refreshPassport(ctx, model)), 11)
})
