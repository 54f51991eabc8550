/** Tests the gate: what an account lets nobody publish before required rules are met. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, CORES, type Harness, nextGtin, startHarness, type TestAccount } from '../harness.ts'

const ACT = 'eu.textile.labelling'
/** Misses tex.4, parts of animal origin. */
const { nonTextileAnimalParts: _, ...UNREADY } = { ...CORES.textile, nonTextileAnimalParts: undefined }
const READY = { ...UNREADY, nonTextileAnimalParts: false }

let harness: Harness
let account: TestAccount
before(async () => {
  harness = await startHarness()
  harness.clock.set('2026-11-22T12:00:00Z')
  account = await harness.account({ plan: 'enterprise' })
})
after(() => harness.close())

const api = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown) =>
  harness.ask(method, `/api/v1${path}`, { key: account.key, ...(body === undefined ? {} : { body }) })

async function setGate(on: 'off' | 'drafts' | 'everything'): Promise<void> {
  assert.equal((await api('PUT', '/readiness/settings', { gate: { acts: [ACT], on } })).status, 200)
}

const post = (data: object, path = '/products') => api('POST', path, { category: 'textile', data })

function refusesUnready(answer: Answer): void {
  assert.equal(answer.status, 422, answer.text)
  const [error] = answer.json.errors
  assert.deepEqual(
    [answer.json.errors.length, error.field, error.code],
    [1, 'nonTextileAnimalParts', 'not_ready'],
  )
  assert.match(error.message, /tex\.4/)
}

describe('the gate', () => {
  test('is off by default', async () => {
    assert.equal((await post(UNREADY)).status, 201)
  })

  test('for everything: refuses new products that are not ready, also in a dry run, and takes ready ones', async () => {
    await setGate('everything')
    refusesUnready(await post(UNREADY))
    refusesUnready(await post(UNREADY, '/products?dry_run=true'))
    refusesUnready(
      await api('PUT', '/products/by-sku/G-1', { category: 'textile', data: { ...UNREADY, sku: 'G-1' } }),
    )
    assert.equal((await post(READY)).status, 201)
    await setGate('off')
  })

  test('for everything: refuses the rows of a bulk call that are not ready, and no others', async () => {
    await setGate('everything')
    const items = [UNREADY, READY].map((data, i) => ({
      category: 'textile',
      data: { ...data, sku: `G-B${i}` },
    }))
    const answer = await api('POST', '/products/bulk', { items })
    const [row, ...others] = answer.json.data.errors
    assert.deepEqual([row.index, row.errors[0].code, others.length], [0, 'not_ready', 0])
    assert.equal(answer.json.data.created.length, 1)
    await setGate('off')
  })

  test('never holds up a change of what is public, nor a unit', async () => {
    const { id } = (await post({ ...UNREADY, gtin: nextGtin() })).json.data
    await setGate('everything')
    assert.equal((await api('PATCH', `/products/${id}`, { data: { brandName: 'Other' } })).status, 200)
    const unit = await api('POST', `/products/${id}/children`, { level: 'item', serial: 'G1' })
    assert.equal(unit.status, 201, unit.text)
    await setGate('off')
  })

  test('for drafts: refuses to publish one that is not ready and keeps it; products are created as ever', async () => {
    await setGate('drafts')
    assert.equal((await post(UNREADY)).status, 201)
    const { id } = (await api('POST', '/drafts', { category: 'textile', data: UNREADY })).json.data
    refusesUnready(await api('POST', `/drafts/${id}/publish`, {}))
    assert.equal(
      (await api('PATCH', `/drafts/${id}`, { data: { nonTextileAnimalParts: false } })).status,
      200,
    )
    assert.equal((await api('POST', `/drafts/${id}/publish`, {})).status, 201)
    await setGate('off')
  })
})
