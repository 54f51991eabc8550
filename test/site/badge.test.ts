/** Tests GET /p/{id}/badge.svg. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { type Harness, newProduct, startHarness } from '../harness.ts'

let harness: Harness
let path: string
before(async () => {
  harness = await startHarness()
  const { ctx } = await harness.account()
  const { passport } = await createPassport(ctx, { ...newProduct(), strict: false })
  path = `/p/${idFromUuid(passport.id)}/badge.svg`
})
after(() => harness.close())

describe('GET /p/{id}/badge.svg', () => {
  test('names the passport, its level and the date of its version in the language of ?lang=', async () => {
    const { status, text, headers } = await harness.ask('GET', `${path}?lang=de`)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'image/svg+xml')
    assert.equal(headers['content-language'], 'de')
    assert.match(headers['cache-control'] ?? '', /^public/)
    assert.equal(headers['set-cookie'], undefined)
    for (const image of [path, path.replace('badge', 'qr')]) {
      const shown = await harness.ask('GET', image)
      assert.equal(shown.headers['cross-origin-resource-policy'], 'cross-origin', image)
    }
    assert.match(
      text,
      /^<svg [^>]*role="img" lang="de"><title>Digitaler Produktpass: Modell · [^<]*\d{4}<\/title>/,
    )
    const again = await harness.ask('GET', `${path}?lang=de`, {
      headers: { 'if-none-match': headers.etag ?? '' },
    })
    assert.equal(again.status, 304)
  })

  test('is well under 2 kB in every language, and follows Accept-Language', async () => {
    for (const { code } of LANGUAGES) {
      const { text } = await harness.ask('GET', path, { headers: { 'accept-language': code } })
      assert.match(text, new RegExp(`lang="${code}"`))
      assert.ok(Buffer.byteLength(text) < 2_000, code)
    }
  })

  test('404 for no passport', async () => {
    for (const id of ['nonsense', idFromUuid(newUuid(Date.UTC(2026, 0)))]) {
      assert.equal((await harness.ask('GET', `/p/${id}/badge.svg`)).status, 404)
    }
  })
})
