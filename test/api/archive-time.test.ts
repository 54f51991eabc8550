/** Tests that archiving and restoring give a product a new time, which delta syncs need. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Harness, newProduct, startHarness } from '../harness.ts'

let t: Harness

before(async () => {
  t = await startHarness()
})
after(async () => {
  await t.close()
})

test('archive and restore move updated_at, so that `updated_since` finds the product', async () => {
  const { key } = await t.account()
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await t.ask(method, `/api/v1/products${path}`, {
      key,
      ...(body !== undefined && { body }),
    })
    assert.ok(answer.status < 300, answer.text)
    return answer.json
  }
  const { id, updated_at: created } = (await call('POST', '', newProduct())).data
  let since = created
  for (const step of ['archive', 'restore']) {
    t.clock.advance(5_000)
    const { data } = await call('POST', `/${id}/${step}`)
    assert.ok(data.updated_at > since, `${step}: ${data.updated_at} after ${since}`)
    assert.equal((await call('GET', `/${id}`)).data.updated_at, data.updated_at)
    const found = (await call('GET', `?updated_since=${encodeURIComponent(data.updated_at)}`)).data
    assert.deepEqual(
      found.map((one: { id: string }) => one.id),
      [id],
    )
    since = data.updated_at
  }
})
