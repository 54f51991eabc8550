/** Tests errors at public addresses: the site's headers, a page for people, JSON for programs. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { ADDRESSES, type Harness, newProduct, startHarness } from '../harness.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let t: Harness
let path: string
before(async () => {
  t = await startHarness()
  const { ctx } = await t.account()
  path = `/p/${idFromUuid((await createPassport(ctx, { ...newProduct(), strict: false })).passport.id)}`
})
after(() => t.close())

const unknown = idFromUuid(newUuid(Date.UTC(2026, 0)))
/** `{path}` is replaced by a passport's path. */
const REFUSALS = [
  ['GET', '/nope', 404],
  ['GET', '/p', 404],
  ['GET', '/p/%ff', 400],
  ['GET', '/p/nope?format=xml', 406],
  ['GET', '{path}?format=xml', 406],
  ['GET', `/p/${unknown}?lang=nope`, 404],
  ['GET', `/p/${'x'.repeat(2_100)}`, 404],
  ['GET', `/${'x'.repeat(9_000)}`, 414],
  ['GET', '/ns/dpp/v9', 404],
  ['GET', '/sitemap/x.xml', 404],
  ['GET', '/brand/none.svg', 404],
  ['GET', `/p/${unknown}/qr.svg`, 404],
  ['GET', '{path}/qr.svg?size_mm=1', 422],
  ['GET', '/gtin/9521001200370', 400],
  ['GET', '/01/1', 400],
  ['POST', '/nope', 404],
  ['POST', '{path}', 405],
  ['DELETE', '/robots.txt', 405],
  ['POST', '/01/09521001200370', 405],
] as const

for (const [method, address, status] of REFUSALS) {
  describe(`${method} ${address.slice(0, 40)}`, () => {
    const ask = (accept: string) =>
      t.ask(method, address.replace('{path}', path), { headers: { accept, 'accept-language': 'fr-BE' } })
    const check = (headers: Record<string, string>) => {
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.match(headers['cache-control'] ?? '', /^no-(?:store|cache)$/)
      assert.match(headers.vary ?? '', /^Accept, Accept-Language\b/)
      assert.ok(headers['permissions-policy'])
      assert.ok(headers['x-request-id'])
      if (status === 405) assert.match(headers.allow ?? '', /^GET, HEAD/)
    }

    for (const accept of ['application/ld+json', 'application/json']) {
      test(`${accept}: JSON with the headers of the site`, async () => {
        const answer = await ask(accept)
        assert.equal(answer.status, status)
        assert.equal(typeof answer.json.error, 'string')
        check(answer.headers)
        assert.equal(answer.headers['access-control-allow-origin'], '*')
      })
    }

    test('a browser: a page in the language of its reader', async () => {
      const answer = await ask(BROWSER)
      assert.equal(answer.status, status)
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(answer.headers['content-language'], 'fr')
      assert.equal(answer.headers['x-robots-tag'], 'noindex')
      assert.match(answer.headers['content-security-policy'] ?? '', /^default-src 'none'/)
      assert.match(
        answer.text,
        /<html lang="fr" dir="ltr">.*<h1>(?:Passeport introuvable|Cette page n’existe pas)</s,
      )
      check(answer.headers)
    })
  })
}

test('an unknown format is 406 with a link to the passport for people', async () => {
  const { text } = await t.ask('GET', `${path}?format=xml&lang=de`, { headers: { accept: BROWSER } })
  assert.deepEqual(text.match(/<a href="[^"]*"/g), [`<a href="${ADDRESSES.publicUrl}${path}"`])
  const none = await t.ask('GET', `/p/${unknown}?format=xml`, { headers: { accept: BROWSER } })
  assert.doesNotMatch(none.text, /<a href/)
})

test('the API and the console have their own errors', async () => {
  for (const address of ['/api/v1/nope', '/api/v1/products/%ff', '/api/nope']) {
    const { json, headers } = await t.ask('GET', address, { headers: { accept: BROWSER } })
    assert.equal(typeof json.code, 'string', address)
    assert.equal(headers['access-control-allow-origin'], undefined)
  }
  const post = await t.ask('POST', '/docs', { headers: { accept: BROWSER } })
  assert.equal(post.json.code, 'method_not_allowed')
  for (const address of ['/apix', '/consoles', '/docsy']) {
    assert.match((await t.ask('GET', address, { headers: { accept: BROWSER } })).text, /<h1>/, address)
  }
})

describe('a mistyped address', () => {
  const wrong = (id: string) => [
    `/p/${id.toUpperCase()}`,
    `/p/${id}/`,
    `/p/${id}%20`,
    `/p/${id.toUpperCase()}//%20%0A`,
  ]

  test('redirects permanently with its query, whether or not the passport exists', async () => {
    for (const id of [path.slice(3), unknown]) {
      for (const address of wrong(id)) {
        for (const query of ['', '?lang=de&x=%20;y', '?format=jsonld']) {
          const { status, headers } = await t.ask('GET', `${address}${query}`)
          assert.deepEqual([status, headers.location], [301, `/p/${id}${query}`], address)
          assert.equal(headers['x-content-type-options'], 'nosniff')
          assert.equal(headers['cache-control'], 'public, max-age=86400')
        }
        assert.equal((await t.ask('HEAD', address)).status, 301)
      }
    }
  })

  test('is not cached if it has a token', async () => {
    const { status, headers } = await t.ask('GET', `${path}/?access=token`)
    assert.deepEqual([status, headers.location], [301, `${path}?access=token`])
    assert.equal(headers['cache-control'], 'private, no-store')
    assert.equal(headers['referrer-policy'], 'no-referrer')
  })
})
