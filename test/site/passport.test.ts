/** Tests GET /p/{id}: responses, audiences and caching. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import { dropCachedMetadata } from '../../src/passports/read/public-passport.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'

let harness: Harness
let account: TestAccount
before(async () => {
  harness = await startHarness()
  account = await harness.account({ plan: 'enterprise' })
})
after(() => harness.close())

const make = async (data: Record<string, unknown> = {}) => {
  const { passport } = await createPassport(account.ctx, { ...newProduct(data), strict: false })
  return { uuid: passport.id, id: idFromUuid(passport.id), path: `/p/${idFromUuid(passport.id)}` }
}
const change = async (uuid: string, path: string, body: unknown = undefined) => {
  const method = path === '' ? 'PATCH' : 'POST'
  const answer = await harness.ask(method, `/api/v1/products/${idFromUuid(uuid)}${path}`, {
    key: account.key,
    body,
  })
  assert.equal(answer.status, 200, answer.text)
  dropCachedMetadata(harness.sql, uuid)
}

describe('GET /p/{id}', () => {
  test('is a page in the primary language of the passport', async () => {
    const { path } = await make({
      languages: ['de', 'en'],
      productName: 'Strickjacke',
      careInstructions: { de: 'Kalt.' },
      endOfLife: { recyclingInstructions: { de: 'Ja.' }, disposalInstructions: { de: 'Nein.' } },
    })
    const answer = await harness.ask('GET', path)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(answer.headers['content-language'], 'de')
    assert.match(answer.text, /<html lang="de" dir="ltr">.*<h1>Strickjacke<\/h1>.*Faserzusammensetzung/s)
  })

  test('follows the reader: ?lang= over Accept-Language over the primary language', async () => {
    const { path } = await make()
    const language = async (query: string, accept?: string) =>
      (
        await harness.ask('GET', path + query, {
          headers: accept === undefined ? {} : { 'accept-language': accept },
        })
      ).headers['content-language']
    assert.equal(await language(''), 'en')
    assert.equal(await language('', 'fi-FI, sv;q=0.9'), 'fi')
    assert.equal(await language('?lang=pt', 'fi'), 'pt')
    assert.equal(await language('?lang=xx', 'fi'), 'fi')
    assert.equal(await language('?lang=el&lang=de', 'fi'), 'el')
    assert.equal(await language('', 'zh'), 'en')
  })

  test('links a text in another language to each language that it exists in', async () => {
    const { path } = await make({
      languages: ['de', 'en'],
      productName: 'Strickjacke',
      careInstructions: { de: 'Kalt waschen.', en: 'Wash cold.' },
      endOfLife: { recyclingInstructions: { de: 'Ja.' }, disposalInstructions: { de: 'Nein.' } },
    })
    const notes = async (query: string) => {
      const { text } = await harness.ask('GET', path + query)
      const found = [...text.matchAll(/<p class="from">((?:(?!<p).)*)<\/p><p lang="(\w+)" dir="auto">/g)]
      return found.map(([, note = '', lang]) => `${note} ${lang}`)
    }
    const link = (query: string, code: string, name: string) => `<a href="?${query}lang=${code}">${name}</a>`
    const both = `${link('', 'de', 'German')}`
    assert.deepEqual(await notes('?lang=de'), [])
    assert.deepEqual(await notes('?lang=en'), [`Only in: ${both} de`, `Only in: ${both} de`])
    const greek = await notes('?lang=el')
    assert.equal(greek[0], `Μόνο στα: ${link('', 'de', 'Γερμανικά')}, ${link('', 'en', 'Αγγλικά')} de`)
    assert.equal(greek.length, 3)
    const id = path.slice('/p/'.length)
    await harness.ask('PATCH', `/api/v1/products/${id}`, {
      key: account.key,
      body: { data: { weightGrams: 9 } },
    })
    const earlier = await notes('?version=1&lang=en')
    assert.equal(earlier[0], `Only in: ${link('version=1&amp;', 'de', 'German')} de`)
  })

  test('shows the account’s texts in the requested language, one of the 24 or not', async () => {
    const careInstructions = { ja: 'JA', en: 'EN', pt: 'PT', 'pt-BR': 'BR', 'zh-Hant': 'ZH' }
    const { path } = await make({
      languages: ['ja', 'en'],
      careInstructions,
      endOfLife: { recyclingInstructions: { ja: 'R' }, disposalInstructions: { ja: 'D', 'en-GB': 'GB' } },
    })
    const read = async (query: string, accept = '', more = {}) => {
      const headers = { ...(accept === '' ? {} : { 'accept-language': accept }), ...more }
      const answer = await harness.ask('GET', path + query, { headers })
      const [, care] = />(JA|EN|PT|BR|ZH)</.exec(answer.text) ?? []
      return { shown: `${answer.headers['content-language']} ${care}`, answer }
    }
    const table: [string, string, string][] = [
      ['', '', 'en JA'],
      ['', 'ja', 'en JA'],
      ['', 'ja, de', 'de JA'],
      ['', 'en', 'en EN'],
      ['', 'en-GB, ja', 'en EN'],
      ['', 'pt-BR', 'pt BR'],
      ['', 'pt-PT', 'pt PT'],
      ['?lang=pt', 'pt-BR', 'pt PT'],
      ['?lang=pt_BR', 'de', 'pt BR'],
      ['?lang=ja', 'pt-BR', 'pt JA'],
      ['', 'zh-Hant-TW, de', 'de ZH'],
      ['', 'zh, de', 'de JA'],
      ['', 'xx, de', 'de JA'],
    ]
    // First rendered, then from the cache.
    for (const turn of [1, 2]) {
      for (const [query, accept, shown] of table) {
        assert.equal((await read(query, accept)).shown, shown, `${turn}: ${query} ${accept}`)
      }
    }
    assert.match((await read('', 'pt-BR')).answer.text, /<p>BR<\/p>.*<p lang="ja" dir="auto">R<\/p>/s)
    assert.match((await read('', 'en-GB')).answer.text, /<p>EN<\/p>.*<p>GB<\/p>/s)
    // Each page has its own entity tag.
    const known = { 'if-none-match': (await read('', 'pt-BR')).answer.headers.etag ?? '' }
    assert.equal((await read('', 'pt-BR', known)).answer.status, 304)
    assert.equal((await read('', 'pt-PT', known)).answer.status, 200)
  })

  test('has all security headers, with the digest of its style sheet', async () => {
    const { path } = await make()
    const { headers, text } = await harness.ask('GET', path)
    const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? ''
    const digest = hash('sha256', style, 'base64')
    assert.equal(
      headers['content-security-policy'],
      `default-src 'none'; style-src 'sha256-${digest}'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    )
    assert.equal(headers['x-content-type-options'], 'nosniff')
    // The page is the same for everybody, and a browser would start another process for it.
    assert.equal(headers['cross-origin-opener-policy'], undefined)
    assert.match(headers['permissions-policy'] ?? '', /geolocation=\(\)/)
    assert.match(headers['strict-transport-security'] ?? '', /^max-age=\d+/)
    assert.ok(headers['referrer-policy'])
    assert.match(headers['x-request-id'] ?? '', /^[0-9a-z]{26}$/)
    assert.equal(headers['set-cookie'], undefined)
    assert.doesNotMatch(text, /<script|<iframe|src=|url\(| style="/)
  })

  test('may be cached for a minute, separately for each kind of reader', async () => {
    const { path } = await make()
    const { headers } = await harness.ask('GET', path)
    assert.equal(headers['cache-control'], 'public, max-age=60, stale-while-revalidate=600')
    const vary = (headers.vary ?? '').split(', ')
    for (const name of ['Accept', 'Accept-Language', 'Accept-Encoding', 'Cookie'])
      assert.ok(vary.includes(name))
  })

  test('answers 304 to its entity tag until version, status or language change', async () => {
    const { path, uuid } = await make()
    const ask = (etag?: string, query = '') =>
      harness.ask('GET', path + query, { headers: etag === undefined ? {} : { 'if-none-match': etag } })
    const first = await ask()
    const etag = first.headers.etag ?? ''
    assert.match(etag, /\.v1\.en\./)
    const again = await ask(`"x", ${etag}`)
    assert.equal(again.status, 304)
    assert.equal(again.text, '')
    assert.equal(again.headers.etag, etag)
    assert.ok(again.headers['cache-control'] && again.headers.vary && again.headers['x-request-id'])
    assert.equal((await ask(etag, '?lang=de')).status, 200)
    await change(uuid, '', { data: { productName: 'Another name' } })
    const changed = await ask(etag)
    assert.equal(changed.status, 200)
    assert.match(changed.text, /Another name/)
    await change(uuid, '/archive')
    const archived = await ask(changed.headers.etag)
    assert.equal(archived.status, 200)
    assert.notEqual(archived.headers.etag, changed.headers.etag)
    await change(uuid, '/restore')
    assert.equal((await ask(changed.headers.etag)).status, 304)
  })

  test('is compressed if the reader accepts it', async () => {
    const { path } = await make()
    const plain = await harness.ask('GET', path)
    for (let round = 0; round < 2; round++) {
      for (const [encoding, decompress] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const) {
        const answer = await harness.app.inject({ url: path, headers: { 'accept-encoding': encoding } })
        assert.equal(answer.headers['content-encoding'], encoding)
        assert.equal(decompress(answer.rawPayload).toString(), plain.text)
        assert.equal(answer.headers['content-length'], String(answer.rawPayload.length))
      }
    }
  })

  test('HEAD has the headers of GET and no body', async () => {
    const { path } = await make()
    const get = await harness.ask('GET', path)
    const head = await harness.ask('HEAD', path)
    assert.equal(head.status, 200)
    assert.equal(head.text, '')
    for (const name of ['etag', 'content-length', 'content-type', 'cache-control', 'vary']) {
      assert.equal(head.headers[name], get.headers[name], name)
    }
  })

  test('an archived passport is shown, says so and is not indexed', async () => {
    const { path, uuid } = await make()
    const before = await harness.ask('GET', path)
    assert.equal(before.headers['x-robots-tag'], undefined)
    assert.match(before.text, /rel="alternate" hreflang="de"/)
    await change(uuid, '/archive')
    const answer = await harness.ask('GET', path)
    assert.equal(answer.status, 200)
    assert.match(answer.text, /has been archived/)
    assert.equal(answer.headers['x-robots-tag'], 'noindex')
    assert.match(answer.text, /<meta name="robots" content="noindex">/)
  })

  test('lists its versions: numbers, dates, kinds and the fields that changed, newest first', async () => {
    harness.clock.set('2026-10-03T10:00:00Z')
    const { path, uuid } = await make()
    harness.clock.set('2026-10-20T10:00:00Z')
    await change(uuid, '', { data: { weightGrams: 300 }, note: 'SECRET NOTE' })
    harness.clock.set('2026-11-02T10:00:00Z')
    await change(uuid, '', { data: { weightGrams: 310 }, change_type: 'correction' })
    const { text } = await harness.ask('GET', path)
    const rows = Array.from(
      text.matchAll(
        /<th scope="row"><[ab][^>]*>(\d+)<\/[ab]><\/th><td><time[^>]*>([^<]*)<\/time><\/td><td>(.*?)<\/td>/g,
      ),
      ([, ...cells]) => cells.map(cell => cell.replace(/<.*?>/g, '')),
    )
    assert.deepEqual(rows, [
      ['3', '2 November 2026', 'Correction: Weight'],
      ['2', '20 October 2026', 'Change: Weight'],
      ['1', '3 October 2026', 'First version'],
    ])
    assert.doesNotMatch(text, /SECRET NOTE|Operator<|test full/)
    for (let i = 0; i < 25; i++) await change(uuid, '', { data: { weightGrams: i } })
    const many = await harness.ask('GET', path)
    assert.equal(many.text.match(/<time/g)?.length, 20)
    harness.clock.release()
  })

  test('a change by another process is visible within a second', async () => {
    harness.clock.set('2026-11-21T10:00:00.000Z')
    const { path, uuid } = await make()
    const first = await harness.ask('GET', path)
    await harness.sql`update passport set status = 'x' where id = ${uuid}`
    harness.clock.advance(999)
    assert.equal((await harness.ask('GET', path)).headers.etag, first.headers.etag)
    harness.clock.advance(2)
    assert.match((await harness.ask('GET', path)).text, /has been archived/)
    harness.clock.release()
  })
})

describe('GET /p/{id} as JSON-LD', () => {
  test('by ?format=jsonld and by Accept', async () => {
    const { path } = await make({ gtin: nextGtin() })
    const byQuery = await harness.ask('GET', `${path}?format=jsonld`, { headers: { accept: 'text/html' } })
    const byAccept = await harness.ask('GET', path, { headers: { accept: 'application/ld+json' } })
    for (const answer of [byQuery, byAccept]) {
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['content-type'], 'application/ld+json')
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      assert.equal(answer.json['@context'], 'https://carnet.example/ns/dpp')
      assert.equal(answer.json.name, 'Test product')
    }
    assert.equal(byQuery.headers.etag, byAccept.headers.etag)
    const html = await harness.ask('GET', `${path}?format=html`, {
      headers: { accept: 'application/ld+json' },
    })
    assert.match(html.headers['content-type'] ?? '', /^text\/html/)
    assert.notEqual(html.headers.etag, byQuery.headers.etag)
  })

  test('406 for an unknown format', async () => {
    const { path } = await make()
    for (const query of ['format=xml', 'format=', 'format=jsonld&format=html', 'format=constructor']) {
      const answer = await harness.ask('GET', `${path}?${query}`)
      assert.equal(answer.status, 406, query)
      assert.equal(answer.json.code, 'not_acceptable')
    }
  })
})

describe('404', () => {
  const unknown = idFromUuid(newUuid(Date.UTC(2026, 0)))
  const bad = [
    unknown,
    'nonsense',
    `${unknown}0`,
    '%00',
    'x'.repeat(2_000),
    `${unknown}/x.css`,
    `${unknown}/%20x`,
    `${unknown}%2fqr.svg`,
    `U${unknown.slice(1).toUpperCase()}/`,
    '..%2fetc',
    '',
  ]
  for (const id of bad) {
    test(`/p/${id.slice(0, 40)}: a friendly page`, async () => {
      const answer = await harness.ask('GET', `/p/${id}`, { headers: { 'accept-language': 'fr' } })
      assert.equal(answer.status, 404)
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(answer.headers['content-language'], 'fr')
      assert.equal(answer.headers['x-robots-tag'], 'noindex')
      assert.ok(answer.headers['content-security-policy'])
      assert.match(answer.text, /<html lang="fr" dir="ltr">/)
    })
  }

  test('/p/{id}/x.css of a real passport does not show it', async () => {
    const { path } = await make({ productName: 'Visible name' })
    const answer = await harness.ask('GET', `${path}/x.css`)
    assert.equal(answer.status, 404)
    assert.doesNotMatch(answer.text, /Visible name/)
  })

  test('an error in JSON for programs', async () => {
    const answer = await harness.ask('GET', `/p/${unknown}`, { headers: { accept: 'application/ld+json' } })
    assert.equal(answer.status, 404)
    assert.equal(answer.json.code, 'not_found')
  })
})

test('405 with the allowed methods for all others', async () => {
  const { path } = await make()
  for (const method of ['POST', 'PATCH', 'DELETE', 'TRACE'] as const) {
    for (const address of [path, `${path}/qr.svg`, '/ns/dpp', '/robots.txt']) {
      const answer = await harness.ask(method, address)
      assert.equal(answer.status, 405, `${method} ${address}`)
      assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS')
    }
  }
})

test('scripts on other sites may read it, after a preflight request', async () => {
  const { path } = await make()
  for (const address of [path, `${path}/qr.svg`, '/ns/dpp', '/ns/dpp/v1']) {
    const { status, headers, text } = await harness.ask('OPTIONS', address, {
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'accept',
      },
    })
    assert.deepEqual([status, text], [204, ''], address)
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['access-control-allow-methods'], 'GET, HEAD, OPTIONS')
    assert.equal(headers['access-control-allow-headers'], '*')
  }
  for (const address of [path, `${path}?format=jsonld`, '/ns/dpp', `${path}?version=9`]) {
    const { headers, status } = await harness.ask('GET', address)
    assert.equal(headers['access-control-allow-origin'], '*', address)
    if (status !== 200) continue
    const again = await harness.ask('GET', address, { headers: { 'if-none-match': headers.etag ?? '' } })
    assert.deepEqual([again.status, again.headers['access-control-allow-origin']], [304, '*'], address)
  }
})

test('a person who asks for an unknown version or format gets a link to the passport', async () => {
  const { path } = await make({ gtin: undefined })
  for (const query of ['?version=9', '/qr.svg?content=gs1']) {
    const page = await harness.ask('GET', path + query, {
      headers: { accept: 'text/html', 'accept-language': 'de' },
    })
    assert.equal(page.status, 404)
    assert.match(page.text, new RegExp(`<h1>Diese Seite gibt es nicht</h1>.*<a href="[^"]*${path}"`, 's'))
    assert.equal(page.headers['cache-control'], 'no-store')
    const { status, json } = await harness.ask('GET', path + query)
    assert.deepEqual([status, json.code], [404, 'not_found'])
  }
})

test('an unavailable database is a page for people and JSON for programs', async () => {
  const broken = await startHarness()
  await broken.sql.end()
  const id = idFromUuid(newUuid(Date.UTC(2026, 0)))
  const page = await broken.ask('GET', `/p/${id}`, { headers: { 'accept-language': 'de' } })
  assert.equal(page.status, 503)
  assert.match(page.text, /<html lang="de" dir="ltr">/)
  assert.equal(page.headers['cache-control'], 'no-store')
  assert.ok(page.headers['retry-after'])
  const error = await broken.ask('GET', `/p/${id}?format=jsonld`, {
    headers: { accept: 'application/ld+json' },
  })
  assert.equal(error.json.code, 'unavailable')
  await broken.close()
})
