import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import jsonld from 'jsonld'
import { buildShopSnippet } from '../../src/passports/read/shop-snippet.ts'
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
import { rowOf } from '../site/passport-views.ts'

const BASE = ADDRESSES.publicUrl
const SCHEMA = 'https://schema.org'

/** All types anywhere in a document. */
function typesIn(node: unknown): unknown[] {
  if (Array.isArray(node)) return node.flatMap(typesIn)
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) => (key === '@type' ? [value].flat() : typesIn(value)))
}

type FlatNode = { '@id': string; '@type'?: string[] } & Record<string, unknown[] | undefined>

/** Merges the documents of one page as a JSON-LD processor does: nodes with the same `@id` are one node. */
async function flatten(documents: object[]): Promise<FlatNode[]> {
  const documentLoader = async (url: string) => ({
    documentUrl: url,
    document: { '@context': { '@vocab': 'http://schema.org/' } },
  })
  const options = { base: 'https://shop.example/page', documentLoader: documentLoader as never }
  return (await jsonld.flatten(documents as never, undefined, options)) as unknown as FlatNode[]
}

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

  test('200: has a link, its QR code and structured data', async () => {
    const gtin = nextGtin()
    const product = await create({ gtin, productName: 'Crew neck' })
    const { status, json } = await snippet(product.id)
    assert.equal(status, 200)
    assert.deepEqual(json.data.json_ld, {
      '@context': 'https://schema.org',
      '@type': 'CreativeWork',
      additionalType: 'https://schema.org/DigitalProductPassport',
      '@id': product.passport_url,
      url: product.passport_url,
      name: 'Digital product passport',
      about: {
        '@id': product.gs1_url,
        name: 'Crew neck',
        sku: 'T-1',
        gtin,
        hasDigitalProductPassport: { '@id': product.passport_url },
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

  test('200: shows the badge instead of the code if that is asked for', async () => {
    const product = await create()
    const badge = `${product.passport_url}/badge.svg?lang=de`
    const { html, badge_url } = (await snippet(product.id, '?image=badge&lang=de')).json.data
    assert.equal(badge_url, badge)
    assert.equal(
      html.split('\n')[0],
      `<a class="product-passport" href="${product.passport_url}" lang="de"><img src="${badge}" alt="Digitaler Produktpass" height="48" loading="lazy"></a>`,
    )
    const shown = await t.ask('GET', badge_url.slice(BASE.length))
    assert.match(shown.text, /^<svg [^>]*height="48"[^>]*lang="de"/)
    assert.equal((await snippet(product.id, '?image=logo')).json.errors[0].pointer, '/query/image')
  })

  test('200: without a GTIN the product is identified by a part of its page', async () => {
    const product = await create()
    const { json } = await snippet(product.id)
    assert.equal(json.data.json_ld.about['@id'], `${product.passport_url}#product`)
    assert.ok(!('gtin' in json.data.json_ld.about))
  })

  test('200: for a unit, identifies that unit', async () => {
    const model = await create({ gtin: nextGtin() })
    const body = { level: 'item', serial: 'S<1>' }
    const { json } = await t.ask('POST', `/api/v1/products/${model.id}/children`, { key: account.key, body })
    const unit = (await snippet(json.data.id)).json.data
    assert.equal(unit.json_ld.about.serialNumber, 'S<1>')
    assert.equal(unit.json_ld.about['@id'], json.data.gs1_url)
  })

  test('200: extends the shop’s own Product instead of adding a second one', async () => {
    const product = await create({ gtin: nextGtin() })
    const shop = (id: string) => ({
      '@context': SCHEMA,
      '@id': id,
      '@type': 'Product',
      name: 'Jumper',
      offers: {},
    })
    for (const id of [
      'https://shop.example/jumper#product',
      '#product',
      'https://shop.example/ü?a=<b>&c="',
    ]) {
      const { status, json } = await snippet(product.id, `?product=${encodeURIComponent(id)}`)
      assert.equal(status, 200, id)
      assert.deepEqual(typesIn(json.data.json_ld), ['CreativeWork'])
      const nodes = await flatten([shop(id), json.data.json_ld])
      const products = nodes.filter(node => node['@type']?.includes('http://schema.org/Product'))
      assert.equal(products.length, 1, id)
      assert.deepEqual(products[0]?.['http://schema.org/hasDigitalProductPassport'], [
        { '@id': product.passport_url },
      ])
      assert.equal(products[0]?.['http://schema.org/name']?.length, 1)
      assert.ok(nodes.some(node => node['@id'] === product.passport_url))
    }
    assert.deepEqual(typesIn((await snippet(product.id)).json.data.json_ld), ['CreativeWork'])
  })

  test('422: a value that cannot be an @id on a page', async () => {
    const product = await create()
    for (const id of [
      'product',
      '#',
      '',
      'javascript:alert(1)',
      'https://a:b@shop.example/',
      '#a b',
      `#${'x'.repeat(2048)}`,
    ]) {
      const { status, json } = await snippet(product.id, `?product=${encodeURIComponent(id)}`)
      assert.equal(status, 422, id)
      assert.deepEqual([json.errors[0].pointer, json.errors[0].code], ['/query/product', 'format'])
    }
  })

  test('200: is in the requested language, else in the passport’s own', async () => {
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

  test('422: an unknown language', async () => {
    const product = await create()
    const { status, json } = await snippet(product.id, '?lang=tlh')
    assert.equal(status, 422)
    assert.equal(json.errors[0].pointer, '/query/lang')
  })
})

describe('the snippet', () => {
  test('escapes any product name, and contains nothing that is not public', () => {
    const piece = fc.oneof(
      fc.constantFrom('</script>', '<!--', '"', "'", '<img src=x onerror=alert(1)>', '\u2028', '&lt;', ']]>'),
      fc.string({ unit: 'grapheme' }),
    )
    const name = fc.array(piece, { minLength: 1 }).map(pieces => pieces.join(''))
    fc.assert(
      fc.property(name, name, (productName, brandName) => {
        const operator = { ...(CORES.textile.economicOperator as object), eori: 'DECANARY1' }
        const row = rowOf('textile', { productName, brandName, economicOperator: operator, secret: 'CANARY' })
        const { html, json_ld } = buildShopSnippet(ADDRESSES, { ...row, recalls: [] })
        const [, before, json, after] =
          /^(<a [\s\S]*<\/a>\n)<script type="application\/ld\+json">([^<>&\u2028\u2029]*)(<\/script>\n)$/.exec(
            html,
          ) ?? []
        assert.ok(before && json && after, html)
        assert.equal(before.match(/</g)?.length, 5)
        assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(json_ld)))
        assert.equal(JSON.parse(json).about.name, productName)
        assert.ok(!html.includes('CANARY'))
      }),
    )
  })
})
