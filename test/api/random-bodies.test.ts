/**
 * Tests random valid and invalid bodies on the whole server: stored unchanged, or rejected with every invalid
 * field named.
 */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { findCategory } from '../../src/categories/catalogue.ts'
import { validData } from '../categories/arbitrary.ts'
import { invalidData } from '../categories/invalid-data.ts'
import { countRepetitions } from '../full.ts'
import { type Harness, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { storeRandomFiles } from '../media/stored-files.ts'

const RUNS = countRepetitions(import.meta.url, { few: 40, near: 150, full: 1_000 })

for (const id of ['textile', 'battery', 'furniture']) {
  describe(`POST /products with random ${id} data`, () => {
    let t: Harness
    let account: TestAccount
    const category = findCategory(id)
    assert.ok(category)
    before(async () => {
      t = await startHarness()
      account = await t.account({ plan: 'enterprise' })
      await storeRandomFiles(t, account)
    })
    after(() => t.close())

    const post = (data: unknown) =>
      t.ask('POST', '/api/v1/products', { key: account.key, body: { category: id, data } })

    test(`${RUNS} valid bodies are returned unchanged`, async () => {
      await fc.assert(
        fc.asyncProperty(validData(category), async random => {
          // A random GTIN could repeat and be rejected, correctly.
          const data = 'gtin' in random ? { ...random, gtin: nextGtin() } : random
          const created = await post(data)
          assert.equal(created.status, 201, created.text)
          const read = await t.ask('GET', `/api/v1/products/${created.json.data.id}`, { key: account.key })
          assert.deepEqual(read.json.data, created.json.data)
          assert.deepEqual(read.json.data.data, JSON.parse(JSON.stringify(created.json.data.data)))
        }),
        { numRuns: RUNS },
      )
    })

    test(`${RUNS} invalid bodies report every wrong field and store nothing`, async () => {
      const count = async () => (await t.sql`select count(*)::int as n from passport`)[0]?.n
      const before = await count()
      await fc.assert(
        fc.asyncProperty(invalidData(category), async ({ data, wrong }) => {
          // Here a top-level null means that the field was not sent.
          fc.pre(Object.values(data as object).every(value => value !== null))
          const { status, json, text } = await post(data)
          assert.equal(status, 422, text)
          const named = json.errors.map((one: { field: string }) => one.field)
          assert.deepEqual(
            wrong.filter(field => !named.includes(field)),
            [],
          )
        }),
        { numRuns: RUNS },
      )
      assert.equal(await count(), before)
    })
  })
}
