/**
 * Sends every write of the API and of `/dpp/v1`, with and without an `Idempotency-Key`, and compares its answer
 * with the reads that follow: it shows the call's own effect. An endpoint without an entry fails.
 */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { ENDPOINTS } from '../../src/api/endpoints.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import {
  ADDRESSES,
  type Answer,
  type Ask,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { makePng } from '../media/sample-files.ts'

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
  await setSigning({ ...account.ctx, secretCipher: t.setup.secretCipher }, true)
})
after(() => t.close())

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Json = Answer['json']

/** Sends the writes of an entry. */
class Client {
  readonly isKeyed: boolean
  /** So that the two runs of an entry do not meet. */
  readonly name: string
  /** The writes that were sent, as endpoints write them. */
  readonly sent = new Set<string>()

  constructor(isKeyed: boolean) {
    this.isKeyed = isKeyed
    this.name = isKeyed ? 'keyed' : 'plain'
  }

  async send(method: Method, path: string, ask: Ask = {}): Promise<Answer> {
    const headers = this.isKeyed && method !== 'GET' ? { 'idempotency-key': randomUUID() } : {}
    const answer = await t.ask(method, path, {
      key: account.key,
      ...ask,
      headers: { ...headers, ...ask.headers },
    })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    const endpoint = ENDPOINTS.find(one => one.method === method && matches(one.path, path))
    if (endpoint !== undefined) this.sent.add(endpoint.id)
    return answer
  }

  /** A write under `/api/v1`; returns `data`. */
  async write(method: Method, path: string, body?: unknown): Promise<Json> {
    return (await this.send(method, `/api/v1${path}`, body === undefined ? {} : { body })).json?.data
  }

  /** A write that answers with what `read` reads, and with its ETag. Members that only one of them has may differ. */
  async same(method: Method, path: string, body: unknown, read?: string): Promise<Json> {
    const written = await this.send(method, `/api/v1${path}`, body === undefined ? {} : { body })
    const address = read ?? `/products/${written.json.data.id}`
    const found = await this.send('GET', `/api/v1${address}`)
    sameMembers(written.json.data, found.json.data, `${method} ${path}`)
    assert.equal(written.headers.etag, found.headers.etag, `ETag of ${method} ${path}`)
    return written.json.data
  }

  /** The row of a list has what the answer has. */
  async sameInList(list: string, written: Json, name = 'id'): Promise<void> {
    const rows = (await this.send('GET', `/api/v1${list}`)).json.data
    const row = rows.find((one: Json) => one[name] === written[name])
    assert.ok(row !== undefined, `${list} has ${written[name]}`)
    sameMembers(written, row, list)
  }

  async model(data: object = {}): Promise<string> {
    return (await this.write('POST', '/products', newProduct({ gtin: nextGtin(), ...data }))).id
  }

  /** A model and an item of it that lacks a correction. */
  async outdatedItem(): Promise<{ model: string; item: string }> {
    const model = await this.model()
    const unit = { level: 'item', serial: randomUUID().slice(0, 8) }
    const item = (await this.write('POST', `/products/${model}/children`, unit)).id
    const correction = { data: { weightGrams: 5 }, change_type: 'correction' }
    await this.write('PATCH', `/products/${model}`, correction)
    return { model, item }
  }
}

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^/api/v1${pattern.replace(/:[a-z]+/g, '[^/]+')}$`).test(path.split('?')[0] ?? '')

function sameMembers(written: Json, found: Json, what: string): void {
  const names = Object.keys(written).filter(name => Object.hasOwn(found, name))
  assert.ok(names.length > 0, what)
  const pick = (from: Json) => Object.fromEntries(names.map(name => [name, from[name]]))
  assert.deepEqual(pick(written), pick(found), what)
}

const picture = async () => Buffer.concat([await makePng({ width: 8, height: 8 }), randomBytes(8)])
const NOTICE = { hazard: { en: 'It may burn.' }, action: { en: 'Bring it back.' } }
const offer = (more: object = {}) => ({
  kind: 'repair',
  title: { en: 'Repair' },
  url: 'https://brand.example/repair',
  countries: ['DE', 'AT'],
  ...more,
})
const correction = (data: object) => ({ data, change_type: 'correction' })

/** ECDSA makes another one each time. */
const withoutSignature = (document: Json): Json =>
  document?.proof === undefined ? document : { ...document, proof: { ...document.proof, proofValue: '' } }

const { gtin: _, ...SAMPLE }: Record<string, unknown> = CATEGORY_EXAMPLES.furniture.value.data
const text = (value: string) => [{ value, language: 'en' }]
/** As another system writes it. */
const FURNITURE = {
  ...SAMPLE,
  contentSpecificationIds: [`${ADDRESSES.publicUrl}/ns/dpp/furniture/v1`],
  careInstructions: text('Wipe dry.'),
  endOfLife: { recyclingInstructions: text('Untreated wood.'), disposalInstructions: text('Bulky waste.') },
}

/** Writes whose answer is what they have done, not a thing that can be read: their own tests look at the effect. */
const WITHOUT_A_READ = ['importRegistryResults', 'checkReadiness', 'createChildren', 'updateChildren']

/** By what they write. Each is also sent to products that are recalled, outdated or archived. */
const ENTRIES: Record<string, (c: Client) => Promise<void>> = {
  async products(c) {
    const created = await c.same('POST', '/products', newProduct({ gtin: nextGtin() }))
    await c.sameInList('/products?limit=100', created)
    const path = `/products/${created.id}`
    await c.write('PUT', `${path}/recall`, NOTICE)
    await c.same('PATCH', path, correction({ weightGrams: 1 }))
    await c.same('POST', `${path}/versions/1/revert`, {})
    await c.sameInList('/products?limit=100', await c.same('POST', `${path}/archive`, undefined))
    await c.same('POST', `${path}/archive`, undefined)
    await c.same('PATCH', path, { data: { weightGrams: 2 } })
    await c.same('POST', `${path}/restore`, undefined)
    const sku = `every-${c.name}`
    const gtin = nextGtin()
    for (const weightGrams of [1, 2, 2]) {
      await c.same('PUT', `/products/by-sku/${sku}`, newProduct({ sku, weightGrams }))
      await c.same('PUT', `/products/by-gtin/${gtin}`, newProduct({ gtin, weightGrams }))
    }
    const bulk = await c.write('POST', '/products/bulk', { items: [newProduct({ sku, weightGrams: 7 })] })
    await c.sameInList('/products?limit=100', bulk.updated[0])
  },

  async units(c) {
    const { model, item } = await c.outdatedItem()
    await c.same('PATCH', `/products/${item}`, { data: { weightGrams: 4 } })
    await c.same('PATCH', `/products/${item}`, { data: { weightGrams: null } })
    await c.same('POST', `/products/${item}/versions/1/revert`, {})
    await c.same('POST', `/products/${item}/archive`, undefined)
    await c.same('POST', `/products/${item}/restore`, undefined)
    const refreshed = await c.write('POST', `/products/${model}/refresh`)
    const left = (await c.send('GET', `/api/v1/products/${model}/refresh`)).json.data
    assert.deepEqual([refreshed.pending, left.outdated], [0, 0])
    await c.sameInList(
      `/products/${model}/children`,
      await c.same('PATCH', `/products/${item}`, { data: {} }),
    )
  },

  async drafts(c) {
    const { category, data } = newProduct({ gtin: nextGtin() })
    const made = await c.write('POST', '/drafts', { category, data: { sku: 'D', brandName: 'Old' } })
    await c.sameInList('/drafts?limit=100', made)
    const path = `/drafts/${made.id}`
    await c.same('PATCH', path, { data: { brandName: null }, note: 'Later' }, path)
    await c.sameInList('/drafts?limit=100', await c.same('PATCH', path, { data }, path))
    const before = (await c.send('GET', `/api/v1${path}`)).json.data
    const again = await c.write('POST', '/drafts', { category, data: { sku: 'D' } })
    sameMembers(await c.write('DELETE', `/drafts/${again.id}`), again, 'DELETE /drafts')
    const published = await c.same('POST', `${path}/publish`, undefined)
    assert.deepEqual(published.data, before.data)
    await c.sameInList('/products?limit=100', published)
    await c.same('PATCH', `/products/${published.id}`, { data: { weightGrams: 3 } })
  },

  async changesByDrafts(c) {
    const { model, item } = await c.outdatedItem()
    await c.write('PUT', `/products/${model}/recall`, NOTICE)
    const publish = async (id: string, data: object, more: object = {}) => {
      const draft = await c.write('POST', '/drafts', { product_id: id, data, ...more })
      await c.sameInList('/drafts?limit=100', draft)
      return c.same('POST', `/drafts/${draft.id}/publish`, undefined)
    }
    await publish(item, { productName: 'Own name' })
    await publish(item, { weightGrams: 9 }, { change_type: 'correction' })
    await publish(model, { weightGrams: 11 }, { change_type: 'correction', note: 'By draft' })
    await c.write('POST', `/products/${item}/archive`)
    await publish(item, { weightGrams: null })
  },

  async recalls(c) {
    const { model, item } = await c.outdatedItem()
    for (const id of [model, item]) {
      const path = `/products/${id}/recall`
      const set = await c.same('PUT', path, NOTICE, path)
      await c.sameInList('/recalls?limit=100', set, 'product_id')
      await c.same('PUT', path, NOTICE, path)
      await c.same('PUT', path, { ...NOTICE, from: '2026-01-02', contact: 'us' }, path)
      await c.same('PUT', path, { ...NOTICE, contact: 'them' }, path)
      const ended = await c.same('DELETE', path, undefined, path)
      await c.sameInList('/recalls?status=ended&limit=100', ended, 'product_id')
      await c.same('PUT', path, NOTICE, path)
    }
  },

  async offers(c) {
    const model = await c.model()
    const made = await c.write('POST', '/offers', offer({ product_id: model }))
    const path = `/offers/${made.id}`
    assert.deepEqual((await c.send('GET', `/api/v1${path}`)).json.data, made)
    await c.sameInList('/offers', made)
    const last = await c.same(
      'PATCH',
      path,
      { countries: [], text: { de: 'Sofort' }, title: { de: 'Hilfe' } },
      path,
    )
    await c.same('PATCH', path, {}, path)
    const moved = await c.same('PATCH', path, { position: 0, product_id: null, kind: 'resale' }, path)
    assert.notDeepEqual(moved, last)
    assert.deepEqual(await c.write('DELETE', path), moved)
  },

  async media(c) {
    const text = await picture()
    const upload = () => c.send('POST', '/api/v1/media', { text, headers: { 'content-type': 'image/png' } })
    for (const status of [201, 200]) {
      const answer = await upload()
      assert.equal(answer.status, status)
      const file = answer.json.data
      assert.deepEqual((await c.send('GET', `/api/v1/media/${file.id}`)).json.data, file)
      await c.sameInList('/media', file)
    }
    // A file that nobody uses counts as new when it is sent again.
    t.clock.advance(2 * 86_400_000)
    const renewed = (await upload()).json.data
    assert.deepEqual((await c.send('GET', `/api/v1/media/${renewed.id}`)).json.data, renewed)
    await c.write('DELETE', `/media/${renewed.id}`)
    assert.equal((await t.ask('GET', `/api/v1/media/${renewed.id}`, { key: account.key })).status, 404)
    const waiting = await c.write('POST', '/media', { source_url: 'https://nowhere.example/a.png' })
    assert.deepEqual((await c.send('GET', `/api/v1/media/${waiting.id}`)).json.data, waiting)
  },

  async documents(c) {
    const { item } = await c.outdatedItem()
    const en = async (method: Method, path: string, body: unknown, read: string) => {
      const written = await c.send(method, `/dpp/v1${path}`, { body })
      const found = await c.send('GET', `/dpp/v1${read}`)
      assert.deepEqual(withoutSignature(written.json), withoutSignature(found.json), `${method} ${path}`)
      assert.equal(written.headers.etag, found.headers.etag, `ETag of ${method} ${path}`)
    }
    for (const id of [await c.model(), item]) {
      const dpp = `/dpps/${id}`
      await en('PATCH', `${dpp}?change_type=correction`, { weightGrams: 8 }, dpp)
      await en('PATCH', dpp, { weightGrams: 8 }, dpp)
      await c.write('PUT', `/products/${id}/recall`, NOTICE)
      const element = `${dpp}/elements/%24.productName`
      await en('PATCH', element, `Element ${c.name}`, element)
      await en('PATCH', dpp, { dppStatus: 'archived' }, dpp)
      await en('PATCH', dpp, { dppStatus: 'active' }, dpp)
      await c.send('DELETE', `/dpp/v1${dpp}`)
      assert.equal((await c.send('GET', `/dpp/v1${dpp}`)).json.dppStatus, 'archived')
    }
    const made = await c.send('POST', '/dpp/v1/dpps', { body: FURNITURE })
    const dppId: string = made.json.digitalProductPassportId
    const found = await c.send('GET', `/dpp/v1/dpps/${encodeURIComponent(dppId)}`)
    assert.equal(found.json.digitalProductPassportId, dppId)
    assert.ok(made.headers.location?.endsWith(`/dpps/${encodeURIComponent(dppId)}`))
  },

  async inUse(c) {
    const model = await c.model()
    const serial = randomUUID().slice(0, 8)
    const item = (await c.write('POST', `/products/${model}/children`, { level: 'item', serial })).id
    const [events, measurements] = [`/products/${item}/events`, `/products/${item}/measurements`]
    const repair = { kind: 'repair', at: '2026-01-01', note: { en: 'Sewn.' } }
    await c.sameInList(events, await c.write('POST', events, repair), 'number')
    const more = { items: [{ serial, ...repair }] }
    const { stored } = await c.write('POST', `/products/${model}/children/events`, more)
    await c.sameInList(events, stored[0], 'number')
    const washed = { at: '2026-01-01T10:00:00Z', values: { washCycles: 3 } }
    await c.sameInList(measurements, await c.write('POST', measurements, washed), 'at')
    const later = { items: [{ serial, ...washed, at: '2026-01-02T10:00:00Z' }] }
    const many = await c.write('POST', `/products/${model}/children/measurements`, later)
    await c.sameInList(measurements, many.stored[0], 'at')
  },

  async settings(c) {
    const path = '/readiness/settings'
    for (const body of [{ acts: ['fr.agec.textile'] }, { gate: { acts: [], on: 'drafts' } }, {}])
      await c.same('PUT', path, body, path)
  },
}

for (const isKeyed of [false, true])
  test(`answers equal the reads that follow, ${isKeyed ? 'with' : 'without'} an Idempotency-Key`, async s => {
    const c = new Client(isKeyed)
    for (const [name, run] of Object.entries(ENTRIES)) await s.test(name, () => run(c))
    const writes = ENDPOINTS.filter(({ method }) => method !== 'GET').map(({ id }) => id)
    assert.deepEqual(
      writes.filter(id => !c.sent.has(id) && !WITHOUT_A_READ.includes(id)),
      [],
      'every write has an entry',
    )
  })
