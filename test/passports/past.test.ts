/** Reads of the past at `/dpp/v1` say what `GET /products/:id?at=` says, which finds it in another way. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type Answer,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { createRandom } from '../standards/random.ts'

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness({ shards: 2 })
  account = await t.account()
})
after(() => t.close())

type Method = Parameters<Harness['ask']>[0]

async function call(method: Method, path: string, body?: object): Promise<Answer['json']> {
  const { status, json, text } = await t.ask(method, `/api/v1${path}`, {
    key: account.key,
    ...(body && { body }),
  })
  assert.ok(status < 300, `${method} ${path}: ${text}`)
  return json.data
}

const START = Date.parse('2026-03-01T10:00:00.000Z')
const random = createRandom(11)

/** Changes a model, its batch and their items in turn. Returns their ids and the times of all changes. */
async function makeHistory(): Promise<{ ids: string[]; times: number[] }> {
  const times: number[] = []
  const step = () => {
    times.push((times.at(-1) ?? START) + random(3) * 10)
    t.clock.set(new Date(times.at(-1) ?? START).toISOString())
  }
  step()
  const model = await call('POST', '/products', newProduct({ gtin: nextGtin() }))
  const batch = await call('POST', `/products/${model.id}/children`, { level: 'batch', lot: 'L-1' })
  const unit = { level: 'item', data: { weightGrams: 1 } }
  const item = await call('POST', `/products/${batch.id}/children`, { ...unit, serial: 'A' })
  const plain = await call('POST', `/products/${model.id}/children`, { level: 'item', serial: 'B' })
  const ids = [model.id, batch.id, item.id, plain.id]
  for (let i = 0; i < 40; i++) {
    step()
    const id = ids[random(ids.length)]
    const what = random(4)
    if (what === 0) await call('POST', `/products/${id}/archive`)
    else if (what === 1) await call('POST', `/products/${id}/restore`)
    else {
      await call('POST', `/products/${id}/restore`)
      await call('PATCH', `/products/${id}`, { data: { weightGrams: 2 + i } })
    }
  }
  t.clock.release()
  return { ids, times }
}

type Seen = { version: number; status: string; updated: string; weight: unknown } | 404

async function readDocument(id: string, query: string): Promise<Seen> {
  const path = query.startsWith('date') ? 'dppsByIdAndDate' : 'dpps'
  const { status, json } = await t.ask('GET', `/dpp/v1/${path}/${id}?${query}`, { key: account.key })
  if (status === 404) return 404
  assert.equal(status, 200)
  const { passportRecord, dppStatus, lastUpdated, weightGrams } = json
  return { version: passportRecord.versionNo, status: dppStatus, updated: lastUpdated, weight: weightGrams }
}

async function readProduct(id: string, query: string): Promise<Seen> {
  const { status, json } = await t.ask('GET', `/api/v1/products/${id}${query}`, { key: account.key })
  if (status === 404) return 404
  const { version_no, status: state, updated_at, data } = json.data
  return { version: version_no, status: state, updated: updated_at, weight: data.weightGrams }
}

describe('the past', () => {
  test('at each change, a microsecond before it, and long before and after', async () => {
    const { ids, times } = await makeHistory()
    const moments = [...new Set(times)].flatMap(ms => [ms - 1, ms, ms + 1])
    const all = [0, ...moments, Date.parse('2999-01-01T00:00:00Z')]
    const compared = ids.flatMap(id =>
      all.map(async ms => {
        const at = new Date(ms).toISOString()
        const expected = await readProduct(id, `?at=${at}`)
        assert.deepEqual(await readDocument(id, `date=${at}`), expected, `${id} at ${at}`)
        // Times of changes are whole milliseconds.
        const late = `${at.slice(0, -1)}999Z`
        assert.deepEqual(await readDocument(id, `date=${late}`), expected, `${id} at ${late}`)
        // Finer than the database: still before the next change.
        const later = `${at.slice(0, -1)}999999Z`
        assert.deepEqual(await readDocument(id, `date=${later}`), expected, `${id} at ${later}`)
      }),
    )
    await Promise.all(compared)
    for (const id of ids) {
      const now = await readProduct(id, '')
      assert.ok(now !== 404)
      assert.deepEqual(await readDocument(id, `version=${now.version}`), now)
      assert.equal(await readDocument(id, `version=${now.version + 1}`), 404)
      for (let version = 1; version < now.version; version++) {
        const seen = await readDocument(id, `version=${version}`)
        assert.ok(seen !== 404 && seen.version === version, `${id} ${version}`)
      }
    }
  })

  test('of a large passport: the public gets no free-form keys, its account all fields', async () => {
    t.clock.set('2026-03-05T10:00:00.000Z')
    const note = 'x'.repeat(300_000)
    const made = await call('POST', '/products', newProduct({ note, weightGrams: 5 }))
    t.clock.set('2026-03-06T10:00:00.000Z')
    await call('PATCH', `/products/${made.id}`, { data: { weightGrams: 6 } })
    t.clock.release()
    for (const headers of [{}, { authorization: `Bearer ${account.key}` }]) {
      for (const [date, weight] of [
        ['2026-03-05T12:00:00Z', 5],
        ['2026-03-06T10:00:00Z', 6],
      ]) {
        const { json } = await t.ask('GET', `/dpp/v1/dppsByIdAndDate/${made.id}?date=${date}`, { headers })
        assert.deepEqual([json.weightGrams, json.note], [weight, undefined])
      }
    }
  })
})
