/**
 * A store that a version of Carnet wrote before fields of schema version 2 existed, with free-form keys of their
 * names: migrated, counted, read by others, corrected and refreshed.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { findCategory } from '../../src/categories/catalogue.ts'
import { checkPrivateKeys } from '../../src/cli/store/verify-store.ts'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { createAccessLink, LINK_AUDIENCES } from '../../src/passports/access/access-links.ts'
import { findBrokenChains } from '../../src/passports/copies/verify.ts'
import { checkData } from '../../src/passports/core/check-data.ts'
import { getState } from '../../src/passports/core/state.ts'
import { getPassport } from '../../src/passports/read/find.ts'
import { fillFacts } from '../../src/passports/readiness/facts.ts'
import { insertUnits } from '../../src/passports/units/insert-units.ts'
import { buildModelRow, insertModels, type ModelRow } from '../../src/passports/write/insert-models.ts'
import { connect, emptyDatabase, IS_SHARDED, type TestDatabase } from '../database.ts'
import { IS_FULL } from '../full.ts'
import { ADDRESSES, CORES, type Harness, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { plant } from '../site/planted.ts'
import { MIGRATIONS } from '../transfer/stores.ts'

/** The last migration before the version that has the fields. */
const LAST_BEFORE = 33
const COUNTS = IS_FULL
  ? { models: 30_000, parents: 140, unitsEach: 500, planted: 1_000 }
  : { models: 60, parents: 4, unitsEach: 30, planted: 16 }
const { models, parents, unitsEach, planted } = COUNTS
/** A number in all planted texts and addresses. */
const MARK = 700_301
const PLANTED = new RegExp(String(MARK))
const LABELS = [{ symbol: 'lead', imageUrl: `https://planted.example/${MARK}` }]

const battery = findCategory('battery', 1)
const newest = findCategory('battery')
assert.ok(battery && newest)

let database: TestDatabase
let t: Harness
let account: TestAccount
/** The odd ones of the first have a key that is a field now; so have some units of the first parents. */
const modelIds: string[] = []
const plainUnits = new Map<string, string[]>()
const plantedUnits = new Map<string, string[]>()

const skip = IS_SHARDED && 'a version without shards has written the store'

before(async () => {
  if (IS_SHARDED) return
  database = await emptyDatabase()
  await migrateTo(LAST_BEFORE)
  await takeOldFunctions()
  t = await startHarness({ database })
  account = await t.account({ plan: 'enterprise' })
  await fillStore()
})
after(async () => {
  if (IS_SHARDED) return
  await t.close()
  await database.drop()
})

async function migrateTo(last?: number) {
  const sql = connect(database.target)
  const done = await migrate(sql, MIGRATIONS, systemClock.now(), last)
  await sql.end()
  return done
}

/** As the database of that version has them; `migrate` has created those of this version. */
async function takeOldFunctions() {
  const sql = connect(database.target)
  await sql.unsafe(readFileSync(join(import.meta.dirname, 'functions-of-0033.sql'), 'utf8')).simple()
  await sql.end()
}

/** By turns a value that the field would take and one that it would refuse. */
function plantKey(n: number): Record<string, unknown> {
  const fields = newest?.fields.filter(({ since = 1 }) => since > 1) ?? []
  const field = fields[Math.floor(n / 2) % fields.length]
  assert.ok(field)
  return n % 2 === 0 ? plant([field], () => MARK) : { [field.name]: [`secret ${MARK}`] }
}

const isPlanted = (index: number) => index % 2 === 1 && index < planted

async function fillStore() {
  assert.ok(battery)
  for (let from = 0; from < models; from += 500) {
    const rows = Array.from({ length: Math.min(500, models - from) }, (_, i) => buildOldModel(from + i))
    assert.equal((await insertModels(account.ctx.sql, rows)).size, 0)
    modelIds.push(...rows.map(({ id }) => id))
  }
  for (const [i, model] of modelIds.slice(0, parents).entries()) await issueOldUnits(model, i)
}

function buildOldModel(index: number): ModelRow {
  assert.ok(battery)
  const key = index === 1 ? { labels: LABELS } : isPlanted(index) ? plantKey(index >> 1) : {}
  const data = { ...CORES.battery, ...(index < planted && { gtin: nextGtin() }), ...key }
  return buildModelRow(account.ctx, 'battery', checkData(battery, data, { strict: false }), t.clock.now())
}

/** Half of the planted keys are of units, spread over the parents. */
async function issueOldUnits(model: string, parentIndex: number) {
  const parent = await getState(account.ctx, model)
  const share = Math.ceil(planted / 2 / parents)
  const left = Math.max(0, planted / 2 - parentIndex * share)
  const at = t.clock.now()
  const rows = Array.from({ length: unitsEach }, (_, index) => {
    const own = index < Math.min(share, left) ? plantKey(parentIndex * share + index) : null
    const unit = { lot: null, serial: `S${parentIndex}-${index}`, own, data: {}, search: null, warnings: [] }
    return { index, id: newUuid(at.getTime()), unit, own: own && JSON.stringify(own), at }
  })
  const { contentId } = parent
  const made = await insertUnits(account.ctx, { parent, contentId, schemaVersion: 1, level: 'item', rows })
  assert.equal(made.written.size, unitsEach)
  const idsOf = (hasOwn: boolean) => rows.filter(({ unit }) => (unit.own !== null) === hasOwn).map(r => r.id)
  plainUnits.set(model, idsOf(false))
  plantedUnits.set(model, idsOf(true))
}

const api = (method: 'GET' | 'PATCH' | 'POST', path: string, body?: unknown) =>
  t.ask(method, `/api/v1/products${path}`, { key: account.key, ...(body === undefined ? {} : { body }) })

async function time<T>(context: TestContext, what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  context.diagnostic(`${what}: ${((performance.now() - start) / 1_000).toFixed(2)} s`)
  return result
}

const tokens = new Map<string, string>()

async function readAsOthers(uuid: string, query = ''): Promise<string> {
  const id = idFromUuid(uuid)
  const and = query === '' ? '?' : `${query}&`
  const pages = [`/p/${id}${query}`, `/p/${id}${and}format=jsonld`, `/p/${id}${and}lang=de`]
  const answers = [
    ...(await Promise.all(pages.map(path => t.ask('GET', path)))),
    ...(await Promise.all(
      [...tokens.values()].flatMap(token =>
        pages.slice(0, 2).map(path => t.ask('GET', path, { headers: { authorization: `Bearer ${token}` } })),
      ),
    )),
    await api('GET', `/${id}/snippet`),
  ]
  for (const { status, text } of answers) assert.equal(status, 200, text)
  return answers.map(({ text, headers }) => text + JSON.stringify(headers)).join('\n')
}

const assertPrivate = async (uuid: string, query?: string) =>
  assert.doesNotMatch(await readAsOthers(uuid, query), PLANTED)

/** Not by the API: its document describes no keys of the wrong type. */
const readData = async (uuid: string) => JSON.parse((await getPassport(account.ctx, uuid)).data)

const versionOf = async (uuid: string) => {
  const [row] = await t.sql<{ n: number }[]>`select schema_version as n from passport where id = ${uuid}`
  return row?.n
}

async function correct(uuid: string, data: object) {
  const answer = await api('PATCH', `/${idFromUuid(uuid)}`, { data, change_type: 'correction' })
  assert.equal(answer.status, 200, answer.text)
  return answer
}

/** Until no unit is left. */
async function refreshAll(uuid: string) {
  for (let tries = 0; tries < 1_000; tries++) {
    const answer = await api('POST', `/${idFromUuid(uuid)}/refresh`, {})
    assert.ok(answer.status < 300, answer.text)
    if (answer.status === 200) return
  }
  assert.fail('the refresh does not end')
}

describe(`a store of ${models + parents * unitsEach} passports, written before the fields existed`, {
  skip,
}, () => {
  test('is migrated, and doctor counts the keys', async context => {
    const { applied } = await time(context, 'migrations', () => migrateTo())
    assert.match(applied[0] ?? '', /^0034_/)
    const found = await time(context, 'counting private keys', () => checkPrivateKeys(t.setup.sql))
    assert.match(String(found), new RegExp(`^${planted} products have keys`))
    for (const audience of LINK_AUDIENCES) {
      const { token } = await createAccessLink(account.ctx, {
        passportId: undefined,
        audience,
        label: audience,
        addresses: ADDRESSES,
        expiresAt: new Date(Date.now() + 3_600_000),
      })
      tokens.set(audience, token)
    }
  })

  test('shows nobody what nobody saw before', async context => {
    const own = [...plantedUnits.values()].flat()
    const inheriting = modelIds.slice(0, parents).flatMap(id => plainUnits.get(id)?.[0] ?? [])
    const withKey = modelIds.slice(0, planted).filter((_, i) => isPlanted(i))
    assert.equal(withKey.length + own.length, planted)
    await time(context, 'reading the passports with keys', async () => {
      for (const id of [...withKey, ...own, ...inheriting]) await assertPrivate(id)
    })
    const hits = await Promise.all(
      ['/sitemap.xml', ...withKey.slice(0, 5).map(id => `/p/${idFromUuid(id)}/qr.svg`)].map(path =>
        t.ask('GET', path),
      ),
    )
    for (const { text } of hits) assert.doesNotMatch(text, PLANTED)
  })

  test('gives a correction to units of the first schema, whose own keys stay private', async context => {
    const [model = ''] = modelIds
    const [plain = ''] = plainUnits.get(model) ?? []
    const keyed = plantedUnits.get(model) ?? []
    await correct(model, { countryOfManufacture: 'FR', extinguishingAgents: ['water'] })
    await time(context, `refreshing ${unitsEach} units`, () => refreshAll(model))
    assert.deepEqual([await versionOf(model), await versionOf(plain)], [2, 2])
    const data = await readData(plain)
    assert.deepEqual([data.countryOfManufacture, data.extinguishingAgents], ['FR', ['water']])
    assert.ok(keyed.length > 0)
    for (const unit of keyed) {
      assert.equal(await versionOf(unit), 1)
      assert.equal((await readData(unit)).countryOfManufacture, 'FR')
      await assertPrivate(unit)
      await assertPrivate(unit, '?version=1')
    }
  })

  test('keeps a key of the model private through a correction of something else, until it is sent', async () => {
    const model = modelIds[1] ?? ''
    const [unit = ''] = plainUnits.get(model) ?? []
    const first = await correct(model, { countryOfManufacture: 'FR' })
    assert.match(first.text, /now_known/)
    await refreshAll(model)
    assert.deepEqual([await versionOf(model), await versionOf(unit)], [1, 1])
    for (const id of [model, unit]) await assertPrivate(id)
    await correct(model, { labels: LABELS })
    assert.match(await readAsOthers(model), PLANTED)
    await assertPrivate(unit)
    await refreshAll(model)
    assert.deepEqual([await versionOf(model), await versionOf(unit)], [2, 2])
    assert.match(await readAsOthers(unit), PLANTED)
    for (const id of [model, unit]) await assertPrivate(id, '?version=1')
  })

  test('has whole histories, and its facts are written', async context => {
    const broken = await time(context, 'verifying histories', () => findBrokenChains(t.sql))
    assert.deepEqual(broken, [])
    assert.ok(await time(context, 'writing readiness facts', () => fillFacts(account.ctx, () => true)))
    const events = await t.sql`select id from event where data::text like ${`%${MARK}%`}`
    assert.equal(events.length, 0)
  })
})
