/** Tests reverts beside changes of the same product: each answer is that of one of the two orders. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

const ROUNDS = Number(process.env.CARNET_REVERT_ROUNDS ?? 100)

let t: Harness
let other: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account()
  other = await t.beside()
})
after(async () => {
  await other.close()
  await t.close()
})

type Written = { version_no: number; data: Record<string, unknown> }

/** In this server or in another process, with an `Idempotency-Key` or without. */
async function send(round: number, method: 'POST' | 'PATCH', path: string, body: object): Promise<Written> {
  const server = round % 3 === 0 && method === 'PATCH' ? other : t
  const headers: Record<string, string> =
    round % 4 === 0 ? { 'idempotency-key': `${method} ${path} ${round}` } : {}
  const { status, json } = await server.ask(method, `/api/v1/products/${path}`, {
    key: account.key,
    body,
    headers,
  })
  assert.equal(status, 200, JSON.stringify(json))
  return json.data
}

/** Races a revert to version 1 with a change, and checks both answers and the product. */
async function race(id: string, first: object, change: (round: number) => object, rounds: number) {
  let present: Written = { version_no: 1, data: { ...first } }
  for (let round = 0; round < rounds; round++) {
    const added = change(round)
    const [reverted, patched] = await Promise.all([
      send(round, 'POST', `${id}/versions/1/revert`, { note: 'back' }),
      send(round, 'PATCH', id, { data: added }),
    ])
    const isRevertLast = reverted.version_no > patched.version_no
    const of = `round ${round}, ${isRevertLast ? 'the revert' : 'the change'} came last`
    const numbers = [patched.version_no, reverted.version_no].sort((a, b) => a - b)
    assert.deepEqual(numbers, [present.version_no + 1, present.version_no + 2], of)
    assert.deepEqual(reverted.data, first, of)
    assert.deepEqual(patched.data, { ...(isRevertLast ? present.data : first), ...added }, of)
    present = isRevertLast ? reverted : patched
    const { json } = await t.ask('GET', `/api/v1/products/${id}`, { key: account.key })
    assert.deepEqual([json.data.version_no, json.data.data], [present.version_no, present.data], of)
  }
}

test('a revert of a model beside PATCHes restores the whole earlier version, or comes before', async () => {
  const body = newProduct({ weightGrams: 1 })
  const { json } = await t.ask('POST', '/api/v1/products', { key: account.key, body })
  await race(json.data.id, json.data.data, round => ({ [`added${round % 5}`]: round }), ROUNDS)
})

test('so it does for the own fields of a unit, and while the product is still at version 1', async () => {
  const body = newProduct()
  const model = (await t.ask('POST', '/api/v1/products', { key: account.key, body })).json.data
  for (let i = 0; i < Math.ceil(ROUNDS / 10); i++) {
    const unit = { level: 'item', serial: `R${i}`, data: { color: 'Red' } }
    const path = `/api/v1/products/${model.id}/children`
    const { json } = await t.ask('POST', path, { key: account.key, body: unit })
    await race(json.data.id, json.data.data, round => ({ [`own${round}`]: true }), 3)
  }
})
