/**
 * Passports that were stored before a field existed: a free-form key of the same name stays private until it is
 * sent again.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findCategory } from '../../src/categories/catalogue.ts'
import { idFromUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink, LINK_AUDIENCES } from '../../src/passports/access/access-links.ts'
import { countWithPrivateKeys } from '../../src/passports/copies/count-private-keys.ts'
import { checkData } from '../../src/passports/core/check-data.ts'
import { buildModelRow, insertModels } from '../../src/passports/write/insert-models.ts'
import { updatePassport } from '../../src/passports/write/update.ts'
import { ADDRESSES, CORES, type Harness, startHarness, type TestAccount } from '../harness.ts'

const PLANTED = 'planted-3f9c'
/** Values that the fields of today would take. */
const OPERATORS = [{ role: 'importer', legalName: PLANTED }]
const LABELS = [{ symbol: 'lead', imageUrl: `https://${PLANTED}.example/` }]
const GOOD_OPERATORS = [{ role: 'importer', legalName: 'Importer Ltd' }]

let harness: Harness
let account: TestAccount

before(async () => {
  harness = await startHarness()
  account = await harness.account({ plan: 'enterprise' })
})
after(() => harness.close())

/** A model as a version of Carnet stored it that knew only the first schema version. */
async function createOldModel(extra: Readonly<Record<string, unknown>>): Promise<string> {
  const category = findCategory('battery', 1)
  assert(category)
  const checked = checkData(category, { ...CORES.battery, ...extra }, { strict: false })
  assert.equal(checked.schemaVersion, 1)
  const row = buildModelRow(account.ctx, 'battery', checked, harness.clock.now())
  assert.equal((await insertModels(account.ctx.sql, [row])).size, 0)
  return idFromUuid(row.id)
}

const api = (method: 'GET' | 'PATCH' | 'POST', path: string, body?: unknown) =>
  harness.ask(method, `/api/v1${path}`, { key: account.key, ...(body === undefined ? {} : { body }) })

const warnings = (answer: Awaited<ReturnType<typeof api>>, code: string): string[] =>
  (answer.json.warnings ?? [])
    .filter((one: { code: string }) => one.code === code)
    .map((one: { field: string }) => one.field)

/** Everything that others can read of a passport. */
async function readAsOthers(id: string, query = ''): Promise<string> {
  const and = query === '' ? '?' : `${query}&`
  const paths = [`/p/${id}${query}`, `/p/${id}${and}format=jsonld`, `/p/${id}${and}lang=de`]
  const pages = await Promise.all(paths.map(path => harness.ask('GET', path)))
  const withLinks = await Promise.all(
    LINK_AUDIENCES.map(async audience => {
      const { token } = await createAccessLink(account.ctx, {
        passportId: id,
        audience,
        label: 'test',
        expiresAt: new Date(Date.now() + 3_600_000),
        addresses: ADDRESSES,
      })
      return harness.ask('GET', `/p/${id}${and}format=jsonld`, {
        headers: { authorization: `Bearer ${token}` },
      })
    }),
  )
  const snippet = await api('GET', `/products/${id}/snippet`)
  const answers = [...pages, ...withLinks, snippet]
  for (const { status, text } of answers) assert.equal(status, 200, text)
  return answers.map(({ text }) => text).join('\n')
}

const schemaVersion = async (id: string): Promise<number | undefined> => {
  const [row] = await account.ctx.sql<{ schema_version: number }[]>`
    select schema_version from passport where id = ${parseId(id) ?? ''}`
  return row?.schema_version
}

const assertPrivate = async (id: string, query?: string) =>
  assert.doesNotMatch(await readAsOthers(id, query), new RegExp(PLANTED))

describe('a free-form key that is a field now', () => {
  test('stays private, whatever its shape, and comes back to the account', async () => {
    const id = await createOldModel({ operators: OPERATORS, labels: LABELS })
    await assertPrivate(id)
    const { data } = (await api('GET', `/products/${id}`)).json.data
    assert.deepEqual([data.operators, data.labels], [OPERATORS, LABELS])
  })

  test('stays private if the field of today would refuse it', async () => {
    const id = await createOldModel({ operators: PLANTED, warrantyMonths: [PLANTED], condition: PLANTED })
    for (const query of ['', '?format=jsonld', '?lang=de'])
      assert.doesNotMatch((await harness.ask('GET', `/p/${id}${query}`)).text, new RegExp(PLANTED))
  })

  test('does not count in the readiness report', async () => {
    const id = await createOldModel({ batteryCategory: 'lmt', labels: [{ symbol: 'separate_collection' }] })
    const read = async () => {
      const answer = await api('GET', `/products/${id}/readiness?act=eu.battery.passport&detail=full`)
      const [act] = answer.json.data.acts
      return act.rules.find((rule: { id: string }) => rule.id === 'batt.40').outcome
    }
    assert.equal(await read(), 'missing')
    await api('PATCH', `/products/${id}`, { data: { labels: [{ symbol: 'separate_collection' }] } })
    assert.equal(await read(), 'met')
  })

  test('stays private when another field is changed, and a warning names it', async () => {
    const id = await createOldModel({ operators: OPERATORS, labels: LABELS })
    const answer = await api('PATCH', `/products/${id}`, { data: { weightKg: 3 } })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(warnings(answer, 'now_known').sort(), ['labels', 'operators'])
    assert.equal(await schemaVersion(id), 1)
    await assertPrivate(id)
    await assertPrivate(id, '?version=1')
  })

  test('becomes the field when it is sent, and the version before stays private', async () => {
    const id = await createOldModel({ labels: LABELS })
    const refused = await api('PATCH', `/products/${id}`, { data: { labels: PLANTED } })
    assert.equal(refused.status, 422, 'a sent key is checked as the field')
    const answer = await api('PATCH', `/products/${id}`, { data: { labels: LABELS } })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(warnings(answer, 'now_known'), [])
    assert.equal(await schemaVersion(id), 2)
    assert.match(await readAsOthers(id), new RegExp(PLANTED))
    await assertPrivate(id, '?version=1')
  })

  test('is removed like any other, and the passport then has the newest schema', async () => {
    const id = await createOldModel({ operators: OPERATORS })
    const answer = await api('PATCH', `/products/${id}`, { data: { operators: null } })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(await schemaVersion(id), 2)
  })

  test('is private again after a return to the version where it was', async () => {
    const id = await createOldModel({ operators: OPERATORS })
    await api('PATCH', `/products/${id}`, { data: { operators: GOOD_OPERATORS } })
    assert.match(await readAsOthers(id), /Importer Ltd/)
    const answer = await api('POST', `/products/${id}/versions/1/revert`, {})
    assert.equal(answer.status, 200, answer.text)
    assert.equal(await schemaVersion(id), 1)
    await assertPrivate(id)
    await assertPrivate(id, '?version=1')
  })

  test('a product without such a key gets the newest schema with its next change', async () => {
    const id = await createOldModel({ colour: 'red' })
    const answer = await api('PATCH', `/products/${id}`, { data: { extinguishingAgents: ['water'] } })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(await schemaVersion(id), 2)
    assert.match(await readAsOthers(id), /water/i)
  })
})

test('such passports are counted for the operator', async () => {
  const before = await countWithPrivateKeys(account.ctx.sql)
  const model = await createOldModel({ labels: LABELS })
  await createOldModel({ colour: 'red' })
  assert.equal(await countWithPrivateKeys(account.ctx.sql), before + 1)
  await api('PATCH', `/products/${model}`, { data: { labels: LABELS } })
  assert.equal(await countWithPrivateKeys(account.ctx.sql), before)
})

describe('units of such a product', () => {
  const issue = async (id: string, data: Readonly<Record<string, unknown>> = {}) => {
    const sent = { level: 'item', serial: `S${Math.random()}`.slice(0, 18), data }
    const answer = await api('POST', `/products/${id}/children`, sent)
    assert.equal(answer.status, 201, answer.text)
    return String(answer.json.data.id)
  }

  test('inherit it as private, also with fields of their own', async () => {
    const model = await createOldModel({ labels: LABELS })
    const plain = await issue(model)
    const own = await issue(model, { batteryStatus: 'original' })
    await assertPrivate(plain)
    await assertPrivate(own)
    await api('PATCH', `/products/${plain}`, { data: { batteryStatus: 'original' } })
    assert.equal(await schemaVersion(plain), 1)
    await assertPrivate(plain)
  })

  test('get the newest schema where no key is in the way', async () => {
    const model = await createOldModel({})
    assert.equal(await schemaVersion(await issue(model, { batteryStatus: 'original' })), 2)
  })

  test('show it when a correction made it a field and a refresh brought it, not before', async () => {
    const model = await createOldModel({ labels: LABELS })
    const unit = await issue(model)
    const corrected = [{ symbol: 'lead', imageUrl: `https://${PLANTED}.example/2` }]
    const sent = { data: { labels: corrected }, change_type: 'correction' }
    assert.equal((await api('PATCH', `/products/${model}`, sent)).status, 200)
    await assertPrivate(unit)
    assert.equal((await api('POST', `/products/${unit}/refresh`, {})).status, 200)
    assert.equal(await schemaVersion(unit), 2)
    assert.match(await readAsOthers(unit), new RegExp(`${PLANTED}.example/2`))
    await assertPrivate(unit, '?version=1')
  })

  test('keep the inherited key private when only a change has sent it, and a later correction is refreshed', async () => {
    const model = await createOldModel({ labels: LABELS })
    const unit = await issue(model)
    await api('PATCH', `/products/${model}`, { data: { labels: [{ symbol: 'cadmium' }] } })
    assert.equal(await schemaVersion(model), 2)
    const sent = { data: { weightKg: 4, extinguishingAgents: ['water'] }, change_type: 'correction' }
    assert.equal((await api('PATCH', `/products/${model}`, sent)).status, 200)
    await assertPrivate(unit)
    assert.equal((await api('POST', `/products/${unit}/refresh`, {})).status, 200)
    const { data } = (await api('GET', `/products/${unit}`)).json.data
    assert.deepEqual([data.weightKg, data.labels], [4, LABELS])
    assert.equal(await schemaVersion(unit), 1)
    await assertPrivate(unit)
    await api('PATCH', `/products/${unit}`, { data: { labels: LABELS, extinguishingAgents: ['water'] } })
    assert.match(await readAsOthers(unit), /water/i)
  })

  test('show it when a correction sends the same value, and a refresh brought it', async () => {
    const model = await createOldModel({ labels: LABELS })
    const unit = await issue(model)
    const sent = { data: { labels: LABELS }, change_type: 'correction' }
    const answer = await api('PATCH', `/products/${model}`, sent)
    assert.equal(answer.status, 200, answer.text)
    const [version] = (await api('GET', `/products/${model}/versions`)).json.data
    assert.deepEqual(version.changed, ['labels'])
    await assertPrivate(unit)
    assert.equal((await api('GET', `/products/${unit}`)).json.data.outdated, true)
    assert.equal((await api('POST', `/products/${unit}/refresh`, {})).status, 200)
    assert.equal(await schemaVersion(unit), 2)
    assert.match(await readAsOthers(unit), new RegExp(PLANTED))
  })

  test('keep it private when a correction returned to the version where it was free-form', async () => {
    const model = await createOldModel({ labels: LABELS })
    await api('PATCH', `/products/${model}`, { data: { labels: [{ symbol: 'cadmium' }] } })
    const unit = await issue(model)
    assert.equal(await schemaVersion(unit), 2)
    const back = await api('POST', `/products/${model}/versions/1/revert`, { change_type: 'correction' })
    assert.equal(back.status, 200, back.text)
    await api('PATCH', `/products/${model}`, { data: { labels: [{ symbol: 'lead' }] } })
    assert.deepEqual([await schemaVersion(model), await schemaVersion(unit)], [2, 2])
    assert.equal((await api('GET', `/products/${unit}`)).json.data.outdated, true)
    await assertPrivate(unit)
    assert.equal((await api('POST', `/products/${unit}/refresh`, {})).status, 200)
    await assertPrivate(unit)
    assert.deepEqual((await api('GET', `/products/${unit}`)).json.data.data.labels, LABELS)
  })

  test('keep a correction of it private that was made when it was free-form', async () => {
    const model = await createOldModel({ labels: [{ symbol: 'cadmium' }] })
    const unit = await issue(model)
    await account.ctx.sql`update passport set schema_version = 2 where id = ${parseId(unit) ?? ''}`
    await correctAsBefore(model, { labels: LABELS })
    await assertPrivate(unit)
    assert.equal((await api('POST', `/products/${unit}/refresh`, {})).status, 200)
    assert.equal(await schemaVersion(unit), 1)
    await assertPrivate(unit)
  })
})

/** A correction by a version of Carnet that knew only the first schema version. */
async function correctAsBefore(id: string, data: Readonly<Record<string, unknown>>): Promise<void> {
  await updatePassport(account.ctx, {
    uuid: parseId(id) ?? '',
    data: { ...data },
    schemaVersion: 1,
    changeType: 'correction',
    note: undefined,
    strict: false,
    expects: () => true,
  })
}
