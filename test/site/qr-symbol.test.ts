/** Tests GET /p/{id}/qr.svg. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { type Harness, newProduct, nextGtin, startHarness } from '../harness.ts'
import { decodeQr } from '../qr/decode.ts'

let harness: Harness
let path: string
const gtin = nextGtin()
before(async () => {
  harness = await startHarness()
  const { ctx } = await harness.account()
  const { passport } = await createPassport(ctx, { ...newProduct({ gtin }), strict: false })
  path = `/p/${idFromUuid(passport.id)}`
})
after(() => harness.close())

describe('GET /p/{id}/qr.svg', () => {
  test('encodes the address of the page, or the GS1 address', async () => {
    const page = await harness.ask('GET', `${path}/qr.svg`)
    assert.equal(page.status, 200)
    assert.equal(page.headers['content-type'], 'image/svg+xml')
    assert.match(page.headers['content-security-policy'] ?? '', /default-src 'none'/)
    assert.match(page.headers['cache-control'] ?? '', /^public/)
    assert.deepEqual(await decodeQr(page.text), [`https://carnet.example${path}`])
    const gs1 = await harness.ask('GET', `${path}/qr.svg?content=gs1&ecc=Q`)
    assert.deepEqual(await decodeQr(gs1.text), [`https://carnet.example/01/0${gtin}`])
    assert.notEqual(gs1.headers.etag, page.headers.etag)
  })

  test('304 for its entity tag', async () => {
    const { headers } = await harness.ask('GET', `${path}/qr.svg`)
    const etag = headers.etag ?? ''
    for (const tag of [etag, etag.replace(/"$/, '-gzip"'), etag.replace('W/', '')]) {
      const again = await harness.ask('GET', `${path}/qr.svg`, { headers: { 'if-none-match': tag } })
      assert.equal(again.status, 304, tag)
    }
  })

  test('has the requested width, quiet zone included', async () => {
    const { text } = await harness.ask('GET', `${path}/qr.svg?size_mm=24`)
    assert.match(text, /^<svg [^>]*width="24mm" height="24mm"/)
    assert.deepEqual(await decodeQr(text), [`https://carnet.example${path}`])
    const level = await harness.ask('GET', `${path}/qr.svg?level=Q`)
    assert.equal(level.text, (await harness.ask('GET', `${path}/qr.svg?ecc=Q`)).text)
    assert.equal((await harness.ask('GET', `${path}/qr.svg?utm=x`)).status, 200)
  })

  test('422 for an invalid size or error correction', async () => {
    for (const query of [
      'size_mm=9',
      'size_mm=1001',
      'size_mm=1e2',
      'size_mm=',
      'size_mm=20&size_mm=20',
      'ecc=L',
      'ecc=',
      'ecc=M&level=Q',
    ]) {
      const { status, json } = await harness.ask('GET', `${path}/qr.svg?${query}`)
      assert.equal(status, 422, query)
      assert.match(json.errors[0].pointer, /^\/query\/(size_mm|ecc|level)$/)
    }
  })

  test('422 names each invalid parameter, 404 for no passport', async () => {
    const wrong = await harness.ask('GET', `${path}/qr.svg?content=x&level=L`)
    assert.equal(wrong.status, 422)
    assert.deepEqual(
      wrong.json.errors.map((one: { field: string }) => one.field),
      ['content', 'level'],
    )
    for (const id of ['nonsense', idFromUuid(newUuid(Date.UTC(2026, 0)))]) {
      assert.equal((await harness.ask('GET', `/p/${id}/qr.svg`)).status, 404)
    }
  })
})
