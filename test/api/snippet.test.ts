import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { shopSnippet } from '../../src/passports/shop-snippet.ts'
import {
  ADDRESSES,
  CORES,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { decodeQr } from '../qr/decode.ts'
import { rowOf } from '../site/reading-of.ts'

const BASE = ADDRESSES.publicUrl

describe('GET /products/{id}/snippet', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const create = async (data = {}) =>
    (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct(data) })).json.data
  const snippet = (id: string, query = '', headers: Record<string, string> = {}) =>
    t.ask('GET', `/api/v1/products/${id}/snippet${query}`, { key: account.key, headers })

  test('200: a link, its QR code and a description for machines', async () => {
    const gtin = nextGtin()
    const product = await create({ gtin, productName: 'Crew neck' })
    const { status, json } = await snippet(product.id)
    assert.equal(status, 200)
    assert.deepEqual(json.data.json_ld, {
      '@context': 'https://schema.org',
      '@type': ['Product', 'ProductModel'],
      '@id': product.gs1_url,
      name: 'Crew neck',
      sku: 'T-1',
      gtin,
      brand: { '@type': 'Brand', name: 'Testmarke' },
      hasDigitalProductPassport: {
        '@type': 'DigitalProductPassport',
        '@id': product.passport_url,
        url: product.passport_url,
      },
    })
    assert.equal(
      json.data.html,
      `<a class="product-passport" href="${product.passport_url}" lang="en"><img src="${product.passport_url}/qr.svg" alt="" width="120" height="120" loading="lazy"><span>Digital product passport</span></a>\n` +
        `<script type="application/ld+json">${JSON.stringify(json.data.json_ld)}</script>\n`,
    )
    const image = await t.ask('GET', json.data.image_url.slice(BASE.length))
    assert.deepEqual(await decodeQr(image.text), [product.passport_url])
  })

  test('200: without a GTIN the product has its place on its page', async () => {
    const product = await create()
    const { json } = await snippet(product.id)
    assert.equal(json.data.json_ld['@id'], `${product.passport_url}#product`)
    assert.ok(!('gtin' in json.data.json_ld))
  })

  test('200: a unit says which one it is', async () => {
    const model = await create({ gtin: nextGtin() })
    const body = { level: 'item', serial: 'S<1>' }
    const { json } = await t.ask('POST', `/api/v1/products/${model.id}/children`, { key: account.key, body })
    const unit = (await snippet(json.data.id)).json.data
    assert.deepEqual(unit.json_ld['@type'], ['Product', 'IndividualProduct'])
    assert.equal(unit.json_ld.serialNumber, 'S<1>')
    assert.equal(unit.json_ld['@id'], json.data.gs1_url)
  })

  test('200: in the language asked for, else in the passport’s own', async () => {
    const product = await create({
      languages: ['de', 'en'],
      careInstructions: { de: 'Kalt.' },
      endOfLife: { recyclingInstructions: { de: 'Ja.' }, disposalInstructions: { de: 'Nein.' } },
    })
    assert.equal((await snippet(product.id)).json.data.language, 'de')
    const { html, language } = (await snippet(product.id, '?lang=fi')).json.data
    assert.equal(language, 'fi')
    assert.match(html, /lang="fi".*<span>(?!Digital product passport).+<\/span>/)
  })

  test('304 with the ETag', async () => {
    const product = await create()
    const { headers } = await snippet(product.id)
    assert.equal((await snippet(product.id, '', { 'if-none-match': headers.etag ?? '' })).status, 304)
    assert.notEqual((await snippet(product.id, '?lang=fi')).headers.etag, headers.etag)
  })

  test('422: a language that there is not', async () => {
    const product = await create()
    const { status, json } = await snippet(product.id, '?lang=tlh')
    assert.equal(status, 422)
    assert.equal(json.errors[0].pointer, '/query/lang')
  })
})

describe('the snippet', () => {
  test('holds whatever a product is called as text, and nothing that is not public', () => {
    const piece = fc.oneof(
      fc.constantFrom('</script>', '<!--', '"', "'", '<img src=x onerror=alert(1)>', '\u2028', '&lt;', ']]>'),
      fc.string({ unit: 'grapheme' }),
    )
    const name = fc.array(piece, { minLength: 1 }).map(pieces => pieces.join(''))
    fc.assert(
      fc.property(name, name, (productName, brandName) => {
        const operator = { ...(CORES.textile.economicOperator as object), eori: 'DECANARY1' }
        const row = rowOf('textile', { productName, brandName, economicOperator: operator, secret: 'CANARY' })
        const { html, json_ld } = shopSnippet(ADDRESSES, row)
        const [, before, json, after] =
          /^(<a [\s\S]*<\/a>\n)<script type="application\/ld\+json">([^<>&\u2028\u2029]*)(<\/script>\n)$/.exec(
            html,
          ) ?? []
        assert.ok(before && json && after, html)
        assert.equal(before.match(/</g)?.length, 5)
        assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(json_ld)))
        assert.equal(JSON.parse(json).name, productName)
        assert.ok(!html.includes('CANARY'))
      }),
    )
  })
})
