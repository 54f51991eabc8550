/**
 * Tests that recalls, and a newer version, stand in every format in which machines and shops read a passport.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { strFromU8, unzipSync } from 'fflate'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { requireUuid } from '../../src/kernel/crypto/ids.ts'
import { DOCUMENT_FORMATS } from '../../src/passports/documents/formats.ts'
import { endRecall, setRecall } from '../../src/passports/recalls/set-recall.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'

const HAZARD = { en: 'It can catch fire.', de: 'Es kann Feuer fangen.' }
const NOTICE = {
  hazard: HAZARD,
  action: { en: 'Stop using it.', de: 'Benutzen Sie es nicht mehr.' },
  url: 'https://recall.example/1',
  contact: '+49 30 1',
  from: undefined,
}
const DATA = {
  ...CATEGORY_EXAMPLES.battery.value.data,
  gtin: undefined,
  countryOfManufacture: 'DE',
  manufacturingFacility: { facilityId: '9521234003007', name: 'Werk Dresden', country: 'DE' },
}

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account()
  await setSigning({ ...account.ctx, secretCipher: t.setup.secretCipher }, true)
})
after(() => t.close())

async function create(): Promise<string> {
  const body = { category: 'battery', data: DATA }
  const { status, json, text } = await t.ask('POST', '/api/v1/products', { key: account.key, body })
  assert.equal(status, 201, text)
  return json.data.id
}

const set = (id: string) =>
  setRecall(account.ctx, { uuid: requireUuid(id, 'product'), notice: NOTICE, expects: () => true })
const end = (id: string) => endRecall(account.ctx, { uuid: requireUuid(id, 'product'), expects: () => true })

/** Everything in the format, as text. */
async function readAll(id: string, format: string, query = ''): Promise<string> {
  t.clock.advance(1_000)
  const url = `/p/${id}?format=${format}${query}`
  const { statusCode, rawPayload } = await t.app.inject({ method: 'GET', url })
  const text = String(rawPayload)
  assert.equal(statusCode, 200, `${format}: ${text.slice(0, 200)}`)
  if (format === 'aasx') return strFromU8(unzipSync(rawPayload)['aasx/data.json'] ?? new Uint8Array())
  const isJwt = format === 'vc-jwt' || format === 'sd-jwt'
  return isJwt ? Buffer.from(text.split('.')[1] ?? '', 'base64url').toString() : text
}

const FORMATS = ['jsonld', ...DOCUMENT_FORMATS.map(({ id }) => id)]

describe('a recall', () => {
  for (const format of FORMATS)
    test(`stands in ${format} in all of its languages while it holds, also in an earlier version`, async () => {
      const id = await create()
      const plain = await readAll(id, format)
      assert.doesNotMatch(plain, /catch fire/)
      await set(id)
      const recalled = await readAll(id, format)
      for (const text of [...Object.values(HAZARD), 'Stop using it.', 'https://recall.example/1', '+49 30 1'])
        assert.ok(recalled.includes(text), `${text} in ${recalled}`)
      await t.ask('PATCH', `/api/v1/products/${id}`, {
        key: account.key,
        body: { data: { sku: `S ${format}` } },
      })
      assert.match(await readAll(id, format, '&version=1'), /It can catch fire\./)
      await end(id)
      assert.doesNotMatch(await readAll(id, format), /catch fire/)
    })

  test('is named by the badge and by the snippet of a shop', async () => {
    const id = await create()
    const badge = async () => (await t.ask('GET', `/p/${id}/badge.svg?lang=en`)).text
    const snippet = async (image: string) =>
      (await t.ask('GET', `/api/v1/products/${id}/snippet?lang=en&image=${image}`, { key: account.key })).json
        .data
    const [plainBadge, plain] = [await badge(), await snippet('qr')]
    assert.doesNotMatch(plainBadge + JSON.stringify(plain), /recall/i)
    await set(id)
    t.clock.advance(1_000)
    assert.match(await badge(), /<title>Digital product passport: Recall<\/title>/)
    for (const image of ['qr', 'badge']) {
      const { html, json_ld } = await snippet(image)
      assert.match(html, /<strong>Recall<\/strong><\/a>\n<script/)
      const [property] = json_ld.about.additionalProperty
      assert.deepEqual(
        [property.propertyID, property.name],
        ['https://ref.gs1.org/voc/recallStatus', 'Recall'],
      )
    }
    await end(id)
    t.clock.advance(1_000)
    assert.deepEqual([await badge(), await snippet('qr')], [plainBadge, plain])
  })
})

describe('an archived passport', () => {
  for (const format of FORMATS)
    test(`is archived in ${format}`, async () => {
      const id = await create()
      assert.doesNotMatch(await readAll(id, format), /archived/i)
      await t.ask('POST', `/api/v1/products/${id}/archive`, { key: account.key })
      assert.match(await readAll(id, format), /archived/i)
    })
})

describe('an earlier version', () => {
  for (const format of FORMATS)
    test(`says in ${format} which version is current, and where`, async () => {
      const id = await create()
      await t.ask('PATCH', `/api/v1/products/${id}`, {
        key: account.key,
        body: { data: { sku: `V ${format}` } },
      })
      assert.doesNotMatch(await readAll(id, format), /supersededBy/i)
      const first = await readAll(id, format, '&version=1')
      assert.match(first, /supersededByVersion/i)
      assert.ok(first.includes(`/p/${id}`))
    })
})
