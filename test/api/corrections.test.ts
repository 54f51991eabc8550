/** Tests the documentation's worked examples of corrections, word for word. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

describe('corrections reach units that are already issued', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const call = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) => {
    const answer = await t.ask(method, `/api/v1/products/${path}`, {
      key: account.key,
      ...(body === undefined ? {} : { body }),
    })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json.data
  }
  const model = async (data: object) =>
    (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct({ ...data }, 'battery') }))
      .json.data.id as string
  const item = async (parent: string, serial: string, data?: object) =>
    (await call('POST', `${parent}/children`, { level: 'item', serial, ...(data ? { data } : {}) }))
      .id as string
  const batch = async (parent: string, lot: string, data?: object) =>
    (await call('POST', `${parent}/children`, { level: 'batch', lot, ...(data ? { data } : {}) }))
      .id as string
  const patch = (id: string, change_type: string, data: object) => call('PATCH', id, { change_type, data })
  const read = async (id: string) => {
    const { data, outdated, version_no } = await call('GET', id)
    return { weight: data.weightKg, chemistry: data.cellChemistry, outdated, version_no }
  }

  test('a unit gets a later correction of its model, but not the change before it', async () => {
    const id = await model({ weightKg: 3, cellChemistry: 'lfp' })
    const unit = await item(id, 'S1')
    await patch(id, 'change', { weightKg: 9 })
    assert.deepEqual(await read(unit), { weight: 3, chemistry: 'lfp', outdated: false, version_no: 1 })
    await patch(id, 'correction', { cellChemistry: 'nmc' })
    assert.deepEqual(await read(unit), { weight: 3, chemistry: 'lfp', outdated: true, version_no: 1 })
    assert.deepEqual(await call('GET', `${id}/refresh`), { outdated: 1 })
    assert.deepEqual(await call('POST', `${unit}/refresh`), {
      refreshed: 1,
      skipped: [],
      failed: [],
      pending: 0,
    })
    assert.deepEqual(await read(unit), { weight: 3, chemistry: 'nmc', outdated: false, version_no: 2 })
    assert.deepEqual(await call('POST', `${unit}/refresh`), {
      refreshed: 0,
      skipped: [],
      failed: [],
      pending: 0,
    })
    assert.deepEqual((await read(unit)).version_no, 2)
  })

  test('a correction of a value that the unit never had is listed under skipped, and the unit is no longer outdated', async () => {
    const id = await model({ weightKg: 3 })
    const unit = await item(id, 'S1')
    await patch(id, 'change', { weightKg: 9 })
    await patch(id, 'correction', { weightKg: 9.1 })
    const later = await item(id, 'S2')
    assert.equal((await read(unit)).outdated, true)
    const result = await call('POST', `${id}/refresh`)
    assert.deepEqual(result, {
      refreshed: 1,
      skipped: [{ id: unit, fields: ['weightKg'] }],
      failed: [],
      pending: 0,
    })
    assert.deepEqual(await read(unit), { weight: 3, chemistry: 'nmc', outdated: false, version_no: 2 })
    assert.deepEqual(await read(later), { weight: 9.1, chemistry: 'nmc', outdated: false, version_no: 1 })
  })

  test('a value that a batch set itself wins: its items inherit it, and the correction stops there', async () => {
    const id = await model({ weightKg: 3 })
    const lot = await batch(id, 'L1', { weightKg: 5 })
    const unit = await item(lot, 'S1')
    const plain = await batch(id, 'L2')
    const other = await item(plain, 'S2')
    await patch(id, 'correction', { weightKg: 3.3 })
    assert.deepEqual((await call('GET', `${id}/refresh`)).outdated, 4)
    assert.equal((await call('POST', `${id}/refresh`)).refreshed, 4)
    assert.deepEqual(
      [await read(lot), await read(unit), await read(plain), await read(other)].map(one => [
        one.weight,
        one.outdated,
      ]),
      [
        [5, false],
        [5, false],
        [3.3, false],
        [3.3, false],
      ],
    )
  })

  test('null in a child’s PATCH removes its own value: it is inherited again, also for a required field', async () => {
    const id = await model({ weightKg: 3 })
    const unit = await item(id, 'S1', { weightKg: 4, stateOfHealth: 97 })
    assert.equal((await read(unit)).weight, 4)
    await patch(unit, 'change', { weightKg: null })
    assert.equal((await read(unit)).weight, 3)
  })

  test('a refresh whose result would be invalid is listed under failed, and the unit stays outdated', async () => {
    const id = await model({ languages: ['en', 'de'], safetyInformation: { en: 'Keep dry.' } })
    const unit = await item(id, 'S1', { safetyInformation: { en: 'Do not open.' } })
    await patch(id, 'correction', {
      languages: ['de'],
      safetyInformation: { de: 'Trocken halten.' },
      endOfLife: { recyclingInstructions: { de: 'x' }, disposalInstructions: { de: 'x' } },
    })
    const result = await call('POST', `${id}/refresh`)
    assert.equal(result.refreshed, 0)
    assert.equal(result.failed[0].id, unit)
    assert.equal(result.failed[0].errors[0].field, 'safetyInformation')
    assert.equal((await read(unit)).outdated, true)
  })

  test('a correction that changes nothing marks no unit as outdated', async () => {
    const id = await model({ weightKg: 3 })
    const unit = await item(id, 'S1')
    await patch(id, 'correction', { weightKg: 3 })
    assert.equal((await read(unit)).outdated, false)
  })
})
