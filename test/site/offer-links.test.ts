/** Tests offers at GS1 addresses: their links in link sets, and where a link type leads. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { toGtin14 } from '../../src/gs1/gtin.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { nextGtin } from '../harness.ts'
import { linksetFaults } from './resolver-schemas.ts'

const VOC = 'https://ref.gs1.org/voc/'
const TYPES = {
  repair: 'serviceInfo',
  spare_parts: 'purchaseSuppliesOrAccessories',
  resale: 'sustainabilityInfo',
  take_back: 'sustainabilityInfo',
  recycling: 'sustainabilityInfo',
  instructions: 'instructions',
  support: 'support',
  registration: 'registerProduct',
} as const

let s: UnitStand
let path: string
let model: string
let batch: string
let item: string
before(async () => {
  s = await startUnitStand('enterprise')
  const gtin = nextGtin()
  model = await s.model({ gtin })
  batch = await s.batch(model, 'L-1')
  item = await s.item(batch, 'S-1')
  path = `/01/${toGtin14(gtin)}`
})
after(() => s.close())

const ask = (at: string, headers: Record<string, string> = {}) => s.t.ask('GET', at, { headers })
const offer = async (kind: string, body: object = {}) => {
  const all = { kind, title: { en: kind }, url: `https://shop.example/${kind}`, ...body }
  const { status, text } = await s.t.ask('POST', '/api/v1/offers', { key: s.account.key, body: all })
  assert.equal(status, 201, text)
}
const clear = () => s.t.sql`delete from offer where account_id = ${s.account.id}`

describe('a link set', () => {
  test('has each offer under its GS1 type, in each language, with its countries, and fits GS1’s schema', async () => {
    await clear()
    for (const kind of Object.keys(TYPES)) await offer(kind)
    const title = { de: '"Werkstatt" </script>', 'en-gb': 'Workshop', 'zh-hant': '維修', haw: 'Hale hana' }
    await offer('repair', {
      title,
      countries: ['DE', 'AT'],
      url: 'https://münchen.example/a b'.replace(' ', '%20'),
    })
    const { json, status } = await ask(`${path}?linkType=linkset`)
    assert.equal(status, 200)
    assert.deepEqual(linksetFaults(json), [])
    const [level] = json.linkset
    for (const [kind, type] of Object.entries(TYPES)) {
      const found = level[VOC + type].filter((one: { title: string }) => one.title === kind)
      assert.deepEqual(found, [{ href: `https://shop.example/${kind}`, title: kind, hreflang: ['en'] }])
    }
    const more = { href: 'https://xn--mnchen-3ya.example/a%20b', context: ['AT', 'DE'] }
    assert.deepEqual(level[`${VOC}serviceInfo`].slice(1), [
      { ...more, title: title.de, hreflang: ['de'] },
      { ...more, title: 'Workshop', hreflang: ['en-GB'] },
      { ...more, title: '維修', hreflang: ['zh'] },
      { ...more, title: 'Hale hana' },
    ])
  })

  test('has an offer for a batch at the batch and its items, and one for an item only there', async () => {
    await clear()
    await offer('repair', { product_id: batch })
    await offer('support', { product_id: item })
    await offer('resale', { category: 'textile' })
    const { json } = await ask(`${path}/10/L-1/21/S-1?linkType=linkset`)
    assert.deepEqual(linksetFaults(json), [])
    const types = json.linkset.map((level: object) =>
      Object.keys(level)
        .filter(name => Object.values(TYPES).some(type => name === VOC + type))
        .map(name => name.slice(VOC.length)),
    )
    assert.deepEqual(types, [['serviceInfo', 'support'], ['serviceInfo'], []])
    const leads = async (at: string) => (await ask(`${path}${at}?linkType=gs1:serviceInfo`)).status
    assert.deepEqual(
      await Promise.all(['', '/10/L-1', '/10/L-1/21/S-1', '/21/S-1'].map(leads)),
      [404, 307, 307, 307],
    )
  })
})

describe('a link type', () => {
  const locationOf = async (query: string, headers?: Record<string, string>) => {
    const { status, headers: answered } = await ask(`${path}?${query}`, headers)
    assert.equal(status, 307, query)
    assert.equal(answered['cache-control'], 'no-store')
    assert.match(answered.link ?? '', /rel="linkset"/)
    return answered.location
  }

  test('leads to its offer, with the query of the scan, but never with an access token', async () => {
    await clear()
    for (const kind of Object.keys(TYPES)) await offer(kind)
    for (const [kind, type] of Object.entries(TYPES)) {
      if (kind === 'take_back' || kind === 'recycling') continue
      for (const name of [`gs1:${type}`, encodeURIComponent(VOC + type)]) {
        const query = `linkType=${name}&17=271231`
        assert.equal(await locationOf(query), `https://shop.example/${kind}?${query}`)
      }
    }
    await clear()
    await offer('repair', { url: 'https://shop.example/?a=1#b' })
    for (const name of ['access', '%61ccess']) {
      const location = await locationOf(`linkType=gs1:serviceInfo;${name}=secret&x=1`)
      assert.equal(location, 'https://shop.example/?a=1&linkType=gs1:serviceInfo&x=1#b')
    }
  })

  test('prefers the reader’s country, then everywhere, then the language, then the first', async () => {
    await clear()
    const at = (place: string) => ({ url: `https://${place}.example/` })
    await offer('repair', { countries: ['GR'], ...at('greece') })
    await offer('repair', { title: { de: 'Werkstatt' }, ...at('de') })
    await offer('repair', at('en'))
    await offer('repair', { countries: ['AT'], ...at('austria') })
    for (const [accepts, query, place] of [
      ['de-AT', '', 'austria'],
      ['en-AT', '', 'austria'],
      ['el-GR', '', 'greece'],
      ['de', '', 'de'],
      ['en-IE', '', 'en'],
      ['', '', 'de'],
      ['de-AT', '&country=GR', 'greece'],
      ['de-AT', '&context=gr', 'greece'],
      ['de-AT', '&country=', 'de'],
    ] as const) {
      const location = await locationOf(`linkType=gs1:serviceInfo${query}`, { 'accept-language': accepts })
      assert.equal(new URL(location ?? '').host, `${place}.example`, `${accepts} ${query}`)
    }
  })

  test('without an offer is 404: JSON for programs, a link to the passport for people', async () => {
    await clear()
    await offer('repair', { category: 'textile' })
    for (const type of Object.values(TYPES)) {
      const { status, json } = await ask(`${path}?linkType=gs1:${type}`)
      assert.deepEqual([status, json.code], [404, 'not_found'])
    }
    const page = await ask(`${path}?linkType=gs1:serviceInfo`, { accept: 'text/html' })
    assert.deepEqual([page.status, page.text.includes(`/p/${model}`)], [404, true])
  })
})
