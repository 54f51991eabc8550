/**
 * Tests changes of the same products by eight clients in two servers at random: changes that share a statement are as exact
 * as changes one by one. `CARNET_CHANGE_STEPS` makes the walk longer, `CARNET_SEED` repeats one.
 */
import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'

import { findBrokenChains, findBrokenHistories } from '../../src/passports/copies/verify.ts'
import { type Chance, chanceOf } from '../hammer/chance.ts'
import {
  type Answer,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'

const CLIENTS = 8
const STEPS = Number(process.env.CARNET_CHANGE_STEPS ?? 40)
const SEED = Number(process.env.CARNET_SEED ?? randomInt(2 ** 31))

let servers: [Harness, Harness]
let account: TestAccount
let keys: string[]
before(async () => {
  const t = await startHarness()
  servers = [t, await t.beside()]
  account = await t.account()
  // Changes of several keys do not share a statement.
  keys = [account.key, await t.apiKey(account, 'full')]
})
after(async () => {
  await servers[1].close()
  await servers[0].close()
})

type Client = { name: string; chance: Chance; server: Harness; key: string }

const createClient = (i: number): Client => ({
  name: `client${i}`,
  chance: chanceOf(SEED, i),
  server: servers[i % 2] as Harness,
  key: keys[i < CLIENTS - 2 ? 0 : 1] as string,
})

const patch = ({ server, key }: Client, id: string, body: object, headers = {}): Promise<Answer> =>
  server.ask('PATCH', `/api/v1/products/${id}`, { key, body, headers })

/** The effects of all clients on a product, by the answers that they got. */
type Expected = {
  id: string
  versions: number[]
  /** The last value of each client's own field. */
  last: Map<string, number>
  counter: number
}

async function createProducts(): Promise<Expected[]> {
  const ask = (path: string, body: unknown) =>
    servers[0].ask('POST', `/api/v1/products${path}`, { key: account.key, body })
  const models = await Promise.all([1, 2, 3].map(() => ask('', newProduct({ gtin: nextGtin() }))))
  const [first = ''] = models.map(({ json }) => json.data.id)
  const units = await Promise.all([
    ask(`/${first}/children`, { level: 'item', serial: 'R1' }),
    ask(`/${first}/children`, { level: 'batch', lot: 'R2', data: { color: 'Red' } }),
  ])
  return [...models, ...units].map(({ status, json }) => {
    assert.equal(status, 201, JSON.stringify(json))
    return { id: json.data.id, versions: [], last: new Map(), counter: 0 }
  })
}

type Step = (client: Client, product: Expected, n: number, takenGtin: string) => Promise<void>

function addVersion(product: Expected, { status, text, json }: Answer): void {
  assert.equal(status, 200, text)
  product.versions.push(json.data.version_no)
}

const setOwnField: Step = async (client, product, n) => {
  const answer = await patch(client, product.id, { data: { [client.name]: n } })
  addVersion(product, answer)
  assert.equal(answer.json.data.data[client.name], n)
  product.last.set(client.name, n)
}

/** Lost updates would make the counter smaller than the number of successful requests. */
const countUp: Step = async (client, product) => {
  const { server, key } = client
  const read = await server.ask('GET', `/api/v1/products/${product.id}`, { key })
  const count = read.json.data.data.counter ?? 0
  const answer = await patch(
    client,
    product.id,
    { data: { counter: count + 1 } },
    { 'if-match': read.headers.etag ?? '' },
  )
  if (answer.status === 412) return
  addVersion(product, answer)
  assert.equal(answer.json.data.version_no, read.json.data.version_no + 1)
  product.counter++
}

const sendTwice: Step = async (client, product, n) => {
  const headers = { 'idempotency-key': `${SEED} ${client.name} ${product.id} ${n}` }
  const body = { data: { [client.name]: n } }
  const send = async (): Promise<Answer> => {
    const answer = await patch(client, product.id, body, headers)
    return answer.status === 409 && answer.json.code === 'idempotency_in_progress' ? send() : answer
  }
  const [one, two] = await Promise.all([send(), send()])
  addVersion(product, one)
  assert.deepEqual([two.status, two.json], [one.status, one.json])
  product.last.set(client.name, n)
}

const sendInvalid: Step = async (client, product) => {
  const { status } = await patch(client, product.id, { data: { weightGrams: 'heavy', lost: true } })
  assert.equal(status, 422)
}

const takeGtin: Step = async (client, product, _n, gtin) => {
  const { status } = await patch(client, product.id, { data: { gtin, lost: true } })
  assert.ok(status === 409 || status === 422, String(status))
}

const nameUnknownFile: Step = async (client, product) => {
  const pictures = [{ media: randomBytes(32).toString('hex'), alt: { en: 'None' } }]
  const { status } = await patch(client, product.id, { data: { pictures, lost: true } })
  assert.equal(status, 422)
}

const STEP_WEIGHTS: readonly (readonly [number, Step])[] = [
  [8, setOwnField],
  [5, countUp],
  [2, sendTwice],
  [1, sendInvalid],
  [1, takeGtin],
  [1, nameUnknownFile],
]

async function checkProduct({ id, versions, last, counter }: Expected): Promise<void> {
  const of = `product ${id}, seed ${SEED}`
  const [t] = servers
  const { json } = await t.ask('GET', `/api/v1/products/${id}`, { key: account.key })
  const expected = Array.from({ length: versions.length }, (_, i) => i + 2)
  assert.deepEqual(
    versions.toSorted((a, b) => a - b),
    expected,
    of,
  )
  assert.equal(json.data.version_no, versions.length + 1, of)
  for (const [name, n] of last) assert.equal(json.data.data[name], n, `${of}: ${name}`)
  assert.equal(json.data.data.counter ?? 0, counter, of)
  assert.equal(json.data.data.lost, undefined, of)
  const events = await t.sql<{ version_no: number }[]>`
    select (data->>'version_no')::int as version_no from event
    where type = 'product.updated' and data->>'id' = ${id}`
  assert.deepEqual(
    events.map(event => event.version_no).sort((a, b) => a - b),
    expected,
    `${of}: events`,
  )
}

test('eight clients in two servers lose no field, no version and no event', async () => {
  const products = await createProducts()
  const taken = nextGtin()
  await servers[0].ask('POST', '/api/v1/products', { key: account.key, body: newProduct({ gtin: taken }) })
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, i) => {
      const client = createClient(i)
      for (let n = 0; n < STEPS; n++) {
        const step = client.chance.weighted(STEP_WEIGHTS)
        await step(client, client.chance.of(products), n, taken)
      }
    }),
  )
  for (const product of products) await checkProduct(product)
  assert.deepEqual(await findBrokenHistories(servers[0].sql), [])
  assert.deepEqual(await findBrokenChains(servers[0].sql), [])
})
