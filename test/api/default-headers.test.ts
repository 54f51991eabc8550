/**
 * Tests the headers of every kind of response from every door, and how caches must treat responses to a key.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { HTTPMethods } from 'fastify'
import { ASSET_PATHS } from '../../src/console/page/assets.ts'
import { isBelowOwnDomain } from '../../src/kernel/http/default-headers.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { ADDRESSES, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

let t: Harness
let account: TestAccount
let id: string

before(async () => {
  t = await startHarness()
  account = await t.account()
  id = (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json.data.id
})
after(() => t.close())

const HTML = { accept: 'text/html' }
/** A page loads only listed resources, and no site may frame it. */
const POLICY = /^default-src 'none';.* frame-ancestors 'none'(?:;|$)/

test('every response has nosniff, HSTS and policies: pages, files, redirects, errors, empty bodies, on every door', async () => {
  const link = await createAccessLink(account.ctx, {
    passportId: id,
    audience: 'authority',
    label: 'Test',
    expiresAt: new Date(t.clock.now().getTime() + 3_600_000),
    addresses: ADDRESSES,
  })
  const asks: [HTTPMethods, string, number, Record<string, string>?][] = [
    ['GET', '/', 302],
    ['GET', '/favicon.ico', 204],
    ['GET', '/robots.txt', 200],
    ['GET', '/sitemap.xml', 200],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
    ['GET', '/nope', 404],
    ['POST', '/p/x', 405],
    ['GET', `/p/${id}`, 200],
    ['HEAD', `/p/${id}`, 200],
    ['GET', `/p/${id}?lang=de`, 200],
    ['GET', `/p/${id}?format=foo`, 406],
    ['GET', `/p/${id}?access=x`, 200],
    ['GET', `/p/${id}?access=${link.token}`, 303],
    ['GET', `/p/${id}/qr.svg`, 200],
    ['GET', '/p/00000000000000000000000000', 404],
    ['GET', '/p/%ff', 400],
    ['GET', '/brand/x.svg', 404],
    ['GET', '/ns/dpp', 200],
    ['GET', '/ns/dpp', 200, HTML],
    ['GET', '/01/09521001200004', 404],
    ['GET', '/01/1', 400],
    ['GET', '/.well-known/gs1resolver', 200],
    ['GET', '/docs', 200],
    ['GET', '/docs/docs.css', 200],
    ['GET', '/docs/', 308],
    ['PUT', '/docs', 405],
    ['GET', '/console', 303],
    ['GET', '/console/sign-in', 200],
    ['GET', ASSET_PATHS[0] ?? '', 200],
    ['GET', '/console/nothing', 404],
    ['GET', '/console/products/%ff', 400],
    ['POST', '/console/sign-in', 403],
    ['GET', '/api/v1/health', 200],
    ['GET', '/api/v1/openapi.json', 200],
    ['GET', '/api/v1/products', 401],
    ['GET', '/api/v1/nothing', 401],
    ['GET', '/api/v1/products/%ff', 400],
    ['DELETE', '/api/v1/health', 405],
    ['GET', `/nope?${'x'.repeat(9_000)}`, 414],
    ['GET', `/p/${'x'.repeat(9_000)}`, 414],
    ['GET', `/api/v1/products/${'x'.repeat(9_000)}`, 414],
    ['GET', `/api/v1/products/by-sku/${'x'.repeat(9_000)}`, 414],
    ['GET', `/console/products/${'x'.repeat(9_000)}`, 414],
    ['GET', `/console/products/%ff${'x'.repeat(9_000)}`, 414],
  ]
  for (const [method, path, status, headers = {}] of asks) {
    const answer = await t.ask(method, path, { headers })
    const about = `${method} ${path.slice(0, 60)}`
    assert.equal(answer.status, status, about)
    assert.equal(answer.headers['x-content-type-options'], 'nosniff', about)
    assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000', about)
    assert.match(answer.headers['content-security-policy'] ?? '', POLICY, about)
    // An SVG file may have styles of its own; it is sandboxed, and no page.
    if (answer.headers['content-type'] !== 'image/svg+xml')
      assert.doesNotMatch(answer.headers['content-security-policy'] ?? '', /unsafe-inline/, about)
    assert.match(
      answer.headers['referrer-policy'] ?? '',
      /^(?:no-referrer|same-origin|strict-origin-when-cross-origin)$/,
      about,
    )
    assert.ok(answer.headers['x-request-id'], about)
  }
  for (const path of [`/p/${id}`, '/docs', ASSET_PATHS[0] ?? '']) {
    const { headers: first } = await t.ask('GET', path)
    const { status, headers } = await t.ask('GET', path, { headers: { 'if-none-match': first.etag ?? '' } })
    assert.equal(status, 304, path)
    // A cache applies the headers of a 304, so another policy would break its stored page.
    for (const name of ['content-security-policy', 'referrer-policy']) {
      assert.equal(headers[name], first[name], `${path} ${name}`)
    }
    assert.equal(headers['x-content-type-options'], 'nosniff', path)
    assert.equal(headers['strict-transport-security'], 'max-age=31536000', path)
  }
})

test('HSTS includes subdomains only if the host is below a brand’s domain, never for that domain itself', () => {
  const below = ['dpp.brand.example', 'id.brand.com', 'dpp.brand.co.uk', 'dpp.hallwerk.de', 'a.dpp.bmw.de']
  const not = [
    'brand.example',
    'brand.co.uk',
    'brand.gouv.fr',
    'dpp.bmw.de',
    'localhost',
    '192.0.2.1',
    '[2001:db8::1]',
  ]
  for (const host of below) assert.equal(isBelowOwnDomain(host), true, host)
  for (const host of not) assert.equal(isBelowOwnDomain(host), false, host)
})

test('responses to a key are private and revalidated unless a call says otherwise', async () => {
  const { key } = account
  const caching = async (method: HTTPMethods, path: string, ask = {}) => {
    const { status, headers } = await t.ask(method, path, { key, ...ask })
    return [status, headers['cache-control']]
  }
  const OWN = 'private, no-cache'
  assert.deepEqual(await caching('GET', '/api/v1/products'), [200, OWN])
  assert.deepEqual(await caching('GET', `/api/v1/products/${id}`), [200, OWN])
  assert.deepEqual(await caching('POST', '/api/v1/products', { body: newProduct() }), [201, OWN])
  assert.deepEqual(await caching('GET', '/api/v1/products/nothing'), [404, OWN])
  assert.deepEqual(await caching('GET', '/api/v1/products?limit=0'), [422, OWN])
  assert.deepEqual(await caching('GET', '/api/v1/products', { key: 'x' }), [401, OWN])
  const { etag = '' } = (await t.ask('GET', `/api/v1/products/${id}`, { key })).headers
  const again = { headers: { 'if-none-match': etag } }
  assert.deepEqual(await caching('GET', `/api/v1/products/${id}`, again), [304, OWN])
  assert.deepEqual(await caching('GET', `/api/v1/products/${id}/qr`), [200, 'private, max-age=300'])
  assert.deepEqual(await caching('GET', '/api/v1/scans'), [200, 'private, no-store'])
  assert.deepEqual(await caching('GET', '/api/v1/health'), [200, 'no-store'])
  assert.deepEqual(await caching('GET', '/api/v1/openapi.json'), [200, 'public, no-cache'])
})

test('a console URL that cannot be decoded gets an error page of the console; other doors keep their errors', async () => {
  const { status, headers, text } = await t.ask('GET', '/console/products/%ff', { headers: HTML })
  assert.equal(status, 400)
  assert.match(headers['content-type'] ?? '', /^text\/html/)
  assert.match(text, /<h1>.+<\/h1>[\s\S]*href="\/console"/)
  const other = await t.ask('GET', '/api/v1/products/%ff', { headers: HTML })
  assert.equal(other.json.code, 'bad_request')
})
