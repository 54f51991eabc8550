/**
 * Runs every write of the API beside every other, with and without an `Idempotency-Key`, in two servers on
 * one database: no transaction may deadlock with another, and nobody may get 503.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import {
  type Answer,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'

/** How long each test runs. `npm run faults -- --only locks` runs longer. */
const SECONDS = Number(process.env.CARNET_LOCKS_SECONDS ?? 8)
const CLIENTS = 8

let t: Harness
let servers: Harness[]
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
  servers = [t, await t.beside()]
})
after(async () => {
  await servers[1]?.close()
  await t.close()
})

type Request = { method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; body?: unknown; type?: string }

const pick = <T>(list: readonly T[]): T => {
  const one = list[Math.floor(Math.random() * list.length)]
  assert.ok(one !== undefined, 'the list is not empty')
  return one
}

async function send({ method, path, body, type }: Request, isKeyed: boolean): Promise<Answer> {
  const headers = {
    ...(isKeyed ? { 'idempotency-key': randomUUID() } : {}),
    ...(type === undefined ? {} : { 'content-type': type }),
  }
  const root = path.startsWith('/dpp/') ? '' : '/api/v1'
  const server = pick(servers)
  return server.ask(method, `${root}${path}`, {
    ...{ key: account.key, headers },
    ...(type === undefined ? { body } : { text: JSON.stringify(body) }),
  })
}

const post = async (path: string, body: unknown) => {
  const answer = await send({ method: 'POST', path, body }, false)
  assert.ok(answer.status < 300, answer.text)
  return answer.json.data
}

const countDeadlocks = async (): Promise<number> => {
  await t.sql`select pg_stat_clear_snapshot()`
  const [row] = await t.sql<{ n: number }[]>`
    select deadlocks as n from pg_stat_database where datname = current_database()`
  return row?.n ?? 0
}

/** Runs the loops side by side until the time is over, and looks for deadlocks and 503. */
async function runBeside(loops: readonly (() => Promise<Answer>)[], seconds: number): Promise<number> {
  const deadlocks = await countDeadlocks()
  const end = performance.now() + seconds * 1_000
  let sent = 0
  const failed: string[] = []
  await Promise.all(
    loops.map(async loop => {
      while (performance.now() < end) {
        const { status, text } = await loop()
        sent++
        if (status >= 500) failed.push(`${status} ${text.slice(0, 200)}`)
      }
    }),
  )
  assert.deepEqual(failed, [])
  // A session reports its statistics at most once a second, and when it is idle.
  await new Promise(resolve => setTimeout(resolve, 1_500))
  assert.equal(await countDeadlocks(), deadlocks, 'no deadlock')
  return sent
}

test('bulk calls with an Idempotency-Key beside archives and restores of the same products', async () => {
  const skus = ['k-1', 'k-2', 'k-3', 'k-4']
  const known = await Promise.all(skus.map(sku => post('/products', newProduct({ sku }))))
  let n = 0
  const bulk = () => {
    const rows = [`new-${++n}-${randomUUID()}`, ...skus].map(sku => newProduct({ sku, weightGrams: n }))
    return send({ method: 'POST', path: '/products/bulk', body: { items: rows } }, true)
  }
  const setStatus = () => {
    const path = `/products/${pick(known).id}/${pick(['archive', 'restore'])}`
    return send({ method: 'POST', path }, false)
  }
  const sent = await runBeside([bulk, bulk, setStatus, setStatus, setStatus, setStatus], SECONDS)
  assert.ok(sent > 20, `${sent} requests`)
})

type World = { models: string[]; batches: string[]; items: string[]; skus: string[]; gtins: string[] }

/** Few products, so that requests meet. */
async function buildWorld(): Promise<World> {
  const skus = Array.from({ length: 6 }, (_, i) => `w-${i}`)
  const gtins = Array.from({ length: 8 }, () => nextGtin())
  const made = await Promise.all(skus.map((sku, i) => post('/products', newProduct({ sku, gtin: gtins[i] }))))
  const models = made.map(({ id }) => id)
  const [first = ''] = models
  const children = (parent: string, body: object) => post(`/products/${parent}/children`, body)
  const lots = ['L0', 'L1', 'L2']
  const batches = await Promise.all(lots.map(lot => children(first, { level: 'batch', lot, data: {} })))
  const items = await Promise.all(
    batches.map(({ id }, i) => children(id, { level: 'item', serial: `S${i}`, data: {} })),
  )
  return { models, batches: batches.map(({ id }) => id), items: items.map(({ id }) => id), skus, gtins }
}

const data = () => ({ weightGrams: Math.ceil(Math.random() * 1_000) })
const shuffled = <T>(list: readonly T[]): T[] => list.toSorted(() => Math.random() - 0.5)

/** Each write of passports, by what its request is for. */
const WRITES: Record<string, (world: World) => Request> = {
  create: ({ gtins }) => {
    const more = Math.random() < 0.5 ? { gtin: pick(gtins) } : {}
    return { method: 'POST', path: '/products', body: newProduct(more) }
  },
  patch: ({ models, batches, items }) => ({
    ...{ method: 'PATCH', path: `/products/${pick([...models, ...batches, ...items])}` },
    body: { data: data(), change_type: pick(['change', 'correction']) },
  }),
  patchGtin: ({ models, gtins }) => ({
    ...{
      method: 'PATCH',
      path: `/products/${pick(models)}`,
      body: { data: { gtin: pick([...gtins, nextGtin()]) } },
    },
  }),
  putBySku: ({ skus }) => ({
    ...{ method: 'PUT', path: `/products/by-sku/${pick([...skus, 'w-new'])}` },
    body: { ...newProduct(), data: { ...newProduct().data, sku: undefined, ...data() } },
  }),
  bulk: ({ skus, gtins }) => {
    const rows = shuffled([...skus, `b-${randomUUID()}`, `b-${Math.ceil(Math.random() * 30)}`])
    const items = rows.map(sku =>
      newProduct({ sku, ...data(), ...(Math.random() < 0.3 ? { gtin: pick(gtins) } : {}) }),
    )
    return { method: 'POST', path: '/products/bulk', body: { items } }
  },
  archive: ({ models, batches, items }) => ({
    ...{ method: 'POST', path: `/products/${pick([...models, ...batches, ...items])}/archive` },
  }),
  restore: ({ models, batches, items }) => ({
    ...{ method: 'POST', path: `/products/${pick([...models, ...batches, ...items])}/restore` },
  }),
  revert: ({ models, items }) => ({
    ...{ method: 'POST', path: `/products/${pick([...models, ...items])}/versions/1/revert` },
  }),
  children: ({ models, batches }) => {
    const serials = shuffled(Array.from({ length: 5 }, () => `R${Math.ceil(Math.random() * 50)}`))
    const items = serials.map(serial => ({ serial }))
    const parent = pick([models[0] ?? '', ...batches])
    return { method: 'POST', path: `/products/${parent}/children`, body: { level: 'item', items } }
  },
  updateChildren: ({ models }) => {
    const units = [{ lot: 'L0' }, { lot: 'L1' }, { serial: 'S0' }, { serial: 'S1' }, { serial: 'S2' }]
    const items = shuffled(units).map(unit => ({ ...unit, data: data() }))
    const body = { items, change_type: pick(['change', 'correction']) }
    return { method: 'POST', path: `/products/${models[0]}/children/update`, body }
  },
  refresh: ({ models, batches, items }) => ({
    ...{ method: 'POST', path: `/products/${pick([models[0] ?? '', ...batches, ...items])}/refresh` },
  }),
  recall: ({ models }) => ({
    ...{ method: 'PUT', path: `/products/${models[0]}/recall` },
    body: { hazard: { en: `Hazard ${Math.random()}` }, action: { en: 'Bring it back.' } },
  }),
  endRecall: ({ models }) => ({
    ...{ method: 'DELETE', path: `/products/${models[0]}/recall` },
  }),
  offer: ({ models }) => ({
    ...{ method: 'POST', path: '/offers' },
    body: { kind: 'repair', title: { en: 'Repair' }, url: 'https://a.example', product_id: pick(models) },
  }),
  enPatch: ({ models, items }) => ({
    ...{ method: 'PATCH', path: `/dpp/v1/dpps/${encodeURIComponent(pick([...models, ...items]))}` },
    ...{ body: data(), type: 'application/merge-patch+json' },
  }),
  enArchive: ({ items }) => ({
    ...{ method: 'DELETE', path: `/dpp/v1/dpps/${encodeURIComponent(pick(items))}` },
  }),
}

test('every write beside every other, with and without an Idempotency-Key', async () => {
  const world = await buildWorld()
  await t.sql`update account set uses_registry = true where id = ${account.id}`
  const names = Object.keys(WRITES)
  const sendAny = (name: string, isKeyed: boolean) => {
    const build = WRITES[name]
    assert.ok(build)
    return send(build(world), isKeyed)
  }
  // Alone, each is accepted, or refused because a GTIN or serial is taken.
  for (const name of names) {
    const { status, text } = await sendAny(name, false)
    assert.ok(status < 300 || status === 409, `${name}: ${status} ${text}`)
  }
  const loop = () => sendAny(pick(names), Math.random() < 0.5)
  await runBeside(
    Array.from({ length: CLIENTS }, () => loop),
    SECONDS,
  )
})
