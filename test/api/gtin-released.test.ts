/** A GTIN that was released and taken by another since stands in the way of going back. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { releaseGtin } from '../../src/passports/release-gtin.ts'
import { type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'

describe('a GTIN that another product took meanwhile', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const post = (path: string, body?: unknown) =>
    t.ask('POST', `/api/v1/products${path}`, { key: account.key, ...(body ? { body } : {}) })

  test('POST /products/{id}/restore: 409 gtin_taken, and it stays archived', async () => {
    const gtin = nextGtin()
    const { id } = (await post('', newProduct({ gtin }))).json.data
    await post(`/${id}/archive`)
    await releaseGtin(t, gtin)
    await post('', newProduct({ gtin }))
    const answer = await post(`/${id}/restore`)
    assert.deepEqual([answer.status, answer.json.code], [409, 'gtin_taken'])
    const { json } = await t.ask('GET', `/api/v1/products/${id}`, { key: account.key })
    assert.equal(json.data.status, 'archived')
  })

  test('POST /products/{id}/versions/{n}/revert: 409 gtin_taken, and no version', async () => {
    const gtin = nextGtin()
    const { id } = (await post('', newProduct({ gtin }))).json.data
    const path = `/api/v1/products/${id}`
    await t.ask('PATCH', path, { key: account.key, body: { data: { gtin: nextGtin() } } })
    await releaseGtin(t, gtin)
    await post('', newProduct({ gtin }))
    const answer = await post(`/${id}/versions/1/revert`)
    assert.deepEqual([answer.status, answer.json.code], [409, 'gtin_taken'])
    assert.equal((await t.ask('GET', path, { key: account.key })).json.data.version_no, 2)
  })

  test('the operator is told how many units bear it, and of no others', async () => {
    const [gtin, next] = [nextGtin(), nextGtin()]
    const { id } = (await post('', newProduct({ gtin }))).json.data
    const issue = async (parent: string, body: object) =>
      (await post(`/${parent}/children`, { ...body, data: {} })).json.data.id
    const batch = await issue(id, { level: 'batch', lot: 'L' })
    for (const serial of ['1', '2']) await issue(batch, { level: 'item', serial })
    await t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body: { data: { gtin: next } } })
    await issue(id, { level: 'item', serial: '3' })
    assert.deepEqual(await releaseGtin(t, gtin), { gtin14: gtin.padStart(14, '0'), product_id: id, units: 3 })
  })
})
