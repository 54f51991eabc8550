/** Tests that identifiers of documents stay when PUBLIC_URL changes, and change only by DPP_ID_BASE. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { readConfig } from '../../src/kernel/config/config.ts'
import { pinDppIdBase, readDppIdBases } from '../../src/passports/core/dpp-id-bases.ts'
import { ADDRESSES, type Answer, type Harness, startHarness, type TestAccount } from '../harness.ts'

let t: Harness
let account: TestAccount

before(async () => {
  t = await startHarness()
  account = await t.account()
})
after(() => t.close())

const OLD = 'https://old.example'
const NEW = 'https://new.example/passports'

test('the address of the first start stays until the setting names another', async () => {
  const { sql } = t.setup
  const pin = (publicUrl: string, configured?: string) => {
    t.clock.advance(1_000)
    return pinDppIdBase(sql, { configured, publicUrl, now: t.clock.now() })
  }
  assert.deepEqual(await readDppIdBases(sql), [])
  assert.deepEqual(await pin(OLD), [OLD])
  assert.deepEqual(await pin('https://third.example'), [OLD])
  assert.deepEqual(await pin('https://third.example', NEW), [NEW, OLD])
  assert.deepEqual(await pin('https://third.example'), [NEW, OLD])
  assert.deepEqual(await pin(OLD, OLD), [OLD, NEW])
  assert.deepEqual(await readDppIdBases(sql), [OLD, NEW])
  t.clock.release()
})

test('a setting that is no address is refused by its name', () => {
  assert.equal(readConfig({}).dppIdBase, undefined)
  assert.equal(readConfig({ DPP_ID_BASE: `${OLD}/` }).dppIdBase, OLD)
  for (const wrong of ['old.example', 'https://user@old.example', 'https://old.example?x=1', 'urn:x']) {
    assert.throws(() => readConfig({ DPP_ID_BASE: wrong }), /DPP_ID_BASE/)
  }
})

describe('on a server whose PUBLIC_URL has changed', () => {
  let app: ReturnType<typeof createApp>
  let item: Answer['json']
  const ask = async (method: 'GET' | 'POST', url: string, body?: object) => {
    const { statusCode, body: text } = await app.inject({
      method,
      url: `/dpp/v1${url}`,
      ...(body && { payload: body }),
      headers: { authorization: `Bearer ${account.key}` },
    })
    return { status: statusCode, json: JSON.parse(text) }
  }
  before(async () => {
    app = createApp({ ...t.setup, addresses: { ...ADDRESSES, dppIdBases: [OLD, NEW] } })
    await app.ready()
    const body = { category: 'furniture', data: CATEGORY_EXAMPLES.furniture.value.data }
    const model = (await t.ask('POST', '/api/v1/products', { key: account.key, body })).json.data
    const unit = { level: 'item', serial: 'S1' }
    const path = `/api/v1/products/${model.id}/children`
    item = (await t.ask('POST', path, { key: account.key, body: unit })).json.data
  })
  after(() => app.close())

  test('documents keep the identifier, and those of parents', async () => {
    const { json } = await ask('GET', `/dpps/${item.id}`)
    assert.equal(json.digitalProductPassportId, `${OLD}/p/${item.id}`)
    assert.equal(json.passportRecord.modelPassportId, `${OLD}/p/${item.parent_id}`)
    assert.equal(json.uniqueProductIdentifier, item.gs1_url, 'an address that answers')
    const { json: listed } = await ask('POST', '/dppsByProductIds', { productIds: [item.gs1_url] })
    assert.deepEqual(listed.dppIds, [`${OLD}/p/${item.id}`])
  })

  test('every address that was ever pinned is found', async () => {
    for (const base of [OLD, NEW, ADDRESSES.publicUrl]) {
      const id = encodeURIComponent(`${base}/p/${item.id}`)
      assert.equal((await ask('GET', `/dpps/${id}`)).status, 200, base)
      assert.equal((await ask('GET', `/dppsByProductId/${id}`)).status, 200, base)
    }
    const other = encodeURIComponent(`https://other.example/p/${item.id}`)
    assert.equal((await ask('GET', `/dpps/${other}`)).status, 404)
  })

  test('a new passport gets it, and no other passport can take one of these addresses', async () => {
    const { contentSpecificationIds } = (await ask('GET', `/dpps/${item.id}`)).json
    const { json: model } = await ask('GET', `/dpps/${item.parent_id}`)
    const { gtin, uniqueProductIdentifier, digitalProductPassportId, ...data } = model
    const made = await ask('POST', '/dpps', { ...data, contentSpecificationIds })
    assert.equal(made.status, 201, JSON.stringify(made.json))
    assert.ok(made.json.digitalProductPassportId.startsWith(`${OLD}/p/`))
    for (const base of [OLD, NEW, ADDRESSES.publicUrl]) {
      const forged = await ask('POST', '/dpps', { ...data, digitalProductPassportId: `${base}/p/x` })
      assert.equal(forged.status, 400, base)
      const taken = `${base}/p/${item.id}`
      assert.equal(
        (await ask('POST', '/dpps', { ...data, digitalProductPassportId: taken })).status,
        409,
        base,
      )
    }
  })
})
