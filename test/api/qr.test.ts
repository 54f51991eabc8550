import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { decodeQr } from '../qr/decode.ts'

describe('GET /products/{id}/qr', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const create = async (data = {}) =>
    (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct(data) })).json.data
  const qr = (id: string, query = '', headers: Record<string, string> = {}) =>
    t.ask('GET', `/api/v1/products/${id}/qr${query}`, { key: account.key, headers })

  test('200: an SVG with the passport’s URL', async () => {
    const product = await create()
    const { status, headers, text } = await qr(product.id)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'image/svg+xml')
    assert.match(headers['content-security-policy'] ?? '', /default-src 'none'.*sandbox/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.deepEqual(await decodeQr(text), [product.passport_url])
  })

  test('200: content=gs1 encodes the GS1 address, at level Q too', async () => {
    const product = await create({ gtin: nextGtin() })
    assert.deepEqual(await decodeQr((await qr(product.id, '?content=gs1&ecc=Q')).text), [product.gs1_url])
  })

  test('200: has the requested width; level is an alias of ecc', async () => {
    const product = await create()
    assert.match((await qr(product.id, '?size_mm=30')).text, /^<svg [^>]*width="30mm" height="30mm"/)
    assert.equal((await qr(product.id, '?level=Q')).text, (await qr(product.id, '?ecc=Q')).text)
    assert.equal((await qr(product.id, '?level=Q&ecc=Q')).status, 200)
  })

  test('304 with the ETag; another symbol has another tag', async () => {
    const product = await create()
    const { headers } = await qr(product.id)
    assert.equal((await qr(product.id, '', { 'if-none-match': headers.etag ?? '' })).status, 304)
    assert.notEqual((await qr(product.id, '?level=Q')).headers.etag, headers.etag)
  })

  test('404: content=gs1 without a GTIN, with a message that says so', async () => {
    const product = await create()
    const { status, json } = await qr(product.id, '?content=gs1')
    assert.equal(status, 404)
    assert.match(json.error, /no GTIN/)
  })

  for (const query of [
    '?level=L',
    '?ecc=L',
    '?ecc=M&level=Q',
    '?content=x',
    '?size_mm=0',
    '?size_mm=9999',
    '?size_mm=1"onload="x',
    '?color=red',
  ]) {
    test(`422: ${query}`, async () => {
      const product = await create()
      const { status, text } = await qr(product.id, query)
      assert.equal(status, 422)
      assert.ok(!text.includes('<svg'))
    })
  }
})
