/** Tests the effects of an account's brand on its pages: logo, accent, framing and indexing. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setIndexing } from '../../src/accounts/account/indexing.ts'
import { setBackupUrl } from '../../src/accounts/account/registry-settings.ts'
import { updateBrand } from '../../src/accounts/brand/update-brand.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

const SVG = Buffer.from(
  '<svg viewBox="0 0 168 40" onload="alert(1)"><path fill="#1f3b57" d="M0 0h168v40z"/></svg>',
)
const PNG = Buffer.alloc(33)
PNG.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
PNG.writeUInt32BE(900, 16)
PNG.writeUInt32BE(100, 20)

let harness: Harness
let account: TestAccount
let path: string
before(async () => {
  harness = await startHarness()
})
after(() => harness.close())

const fresh = async (data: Record<string, unknown> = {}) => {
  account = await harness.account({ plan: 'enterprise' })
  const { passport } = await createPassport(account.ctx, { ...newProduct(data), strict: false })
  path = `/p/${idFromUuid(passport.id)}`
}
const styleOf = (html: string) => /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? ''
const policyOf = (headers: Record<string, string>) => headers['content-security-policy'] ?? ''

describe('a page of an account with copies elsewhere', () => {
  test('names the address of its copy, with another entity tag', async () => {
    await fresh()
    const before = await harness.ask('GET', path)
    assert.doesNotMatch(before.text, /Back-up copy/)
    const url = 'https://copies.example/nordlicht'
    for (const [set, count] of [
      [url, 1],
      [null, 0],
    ] as const) {
      await setBackupUrl(account.ctx, set)
      harness.clock.advance(2_000)
      const answer = await harness.ask('GET', path)
      const link = `<dt>Back-up copy</dt><dd><a href="${url}${path}" rel="noopener nofollow">`
      assert.equal(answer.text.split(link).length - 1, count)
      assert.equal(answer.headers.etag === before.headers.etag, count === 0)
    }
    harness.clock.release()
  })
})

describe('a page of an account with a brand', () => {
  test('shows its name and accent at once, with another entity tag and the digest of its style sheet in the policy', async () => {
    await fresh()
    const before = await harness.ask('GET', path)
    assert.doesNotMatch(before.text, /class="logo"/)
    await updateBrand(account.ctx, { name: 'Haus <Nord>', accent: '#f5c400' })
    const answer = await harness.ask('GET', path, {
      headers: { 'if-none-match': before.headers.etag ?? '' },
    })
    assert.equal(answer.status, 200)
    assert.match(answer.text, /<p class="logo"><bdi>Haus &#60;Nord&#62;<\/bdi><\/p>/)
    const style = styleOf(answer.text)
    assert.match(
      style,
      /:root\{--accent:#[0-9a-f]{6}\}@media screen and \(prefers-color-scheme:dark\)\{:root\{--accent:#f5c400\}\}$/,
    )
    assert.ok(policyOf(answer.headers).includes(`style-src 'sha256-${hash('sha256', style, 'base64')}';`))
    assert.equal(answer.text.match(/<style>/g)?.length, 1)
    assert.match(answer.headers.etag ?? '', /\.v1\.b1\.en\./)
  })

  test('shows its logo from our own origin, with alternative text and size', async () => {
    await fresh({ brandName: 'Nordlicht' })
    await updateBrand(account.ctx, { logo: SVG, name: 'Nordlicht' })
    const { text } = await harness.ask('GET', path)
    const [, file, alt, width, height] =
      /<img src="\.\.\/brand\/([0-9a-f]{32}\.svg)" alt="([^"]*)" width="(\d+)" height="(\d+)" class="plate">/.exec(
        text,
      ) ?? []
    assert.deepEqual([alt, width, height], ['Nordlicht', '168', '40'])
    // The logo already shows the brand, so the line above the product's name is left out.
    assert.doesNotMatch(text, /<p class="brand">/)
    const logo = await harness.ask('GET', `/brand/${file}`)
    assert.equal(logo.status, 200)
    assert.equal(logo.headers['content-type'], 'image/svg+xml')
    assert.equal(logo.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.match(policyOf(logo.headers), /^default-src 'none'; .*sandbox/)
    assert.equal(logo.headers['x-content-type-options'], 'nosniff')
    assert.doesNotMatch(logo.text, /onload/)
    const again = await harness.ask('GET', `/brand/${file}`, {
      headers: { 'if-none-match': logo.headers.etag ?? '' },
    })
    assert.equal(again.status, 304)
  })

  test('has another logo for dark mode, and shrinks a wide one', async () => {
    await fresh()
    await updateBrand(account.ctx, { logo: PNG, logoDark: SVG })
    const { text } = await harness.ask('GET', path)
    assert.match(
      text,
      /<picture><source srcset="\.\.\/brand\/[0-9a-f]{32}\.svg" media="screen and \(prefers-color-scheme:dark\)"><img src="\.\.\/brand\/[0-9a-f]{32}\.png" alt="Testmarke" width="176" height="20"><\/picture>/,
    )
  })

  test('may be framed by the shops it names, and by nobody else', async () => {
    await fresh()
    assert.match(policyOf((await harness.ask('GET', path)).headers), /frame-ancestors 'none'$/)
    await updateBrand(account.ctx, { frameAncestors: ['https://shop.example', 'https://*.shop.example'] })
    assert.match(
      policyOf((await harness.ask('GET', path)).headers),
      /; frame-ancestors https:\/\/shop\.example https:\/\/\*\.shop\.example$/,
    )
    assert.match(policyOf((await harness.ask('GET', '/p/x')).headers), /frame-ancestors 'none'$/)
  })

  test('forbids search engines if the account does', async () => {
    await fresh()
    const open = await harness.ask('GET', path)
    assert.equal(open.headers['x-robots-tag'], undefined)
    assert.match(open.text, /hreflang="x-default"/)
    await setIndexing(harness, { accountId: account.id, indexable: false })
    // Changes by other processes or the operator apply within a second.
    harness.clock.advance(1_001)
    const closed = await harness.ask('GET', path)
    assert.equal(closed.headers['x-robots-tag'], 'noindex')
    assert.match(closed.text, /<meta name="robots" content="noindex">/)
    assert.doesNotMatch(closed.text, /<link rel="alternate" hreflang=/)
  })

  test('does not change pages of other accounts', async () => {
    await fresh()
    const mine = path
    const before = await harness.ask('GET', mine)
    await fresh()
    await updateBrand(account.ctx, { name: 'Other', frameAncestors: ['https://other.example'] })
    assert.equal((await harness.ask('GET', mine)).headers.etag, before.headers.etag)
  })
})

test('OpenGraph has the fields of a link preview, as plain text', async () => {
  await fresh({
    productName: 'Coat "\u202eX" <b>',
    fiberComposition: [{ fiber: 'a"><script>', percentage: 100 }],
  })
  await updateBrand(account.ctx, { name: 'Nordlicht', logo: PNG })
  const { text } = await harness.ask('GET', path)
  const found = Object.fromEntries(
    Array.from(text.matchAll(/<meta property="og:(\w+)" content="([^"]*)">/g), ([, name, content]) => [
      name,
      content,
    ]),
  )
  const url = `https://carnet.example${path}`
  assert.deepEqual(
    { ...found, description: undefined, image: undefined },
    {
      title: 'Coat &#34;X&#34; &#60;b&#62;',
      type: 'product',
      url,
      site_name: 'Nordlicht',
      description: undefined,
      image: undefined,
    },
  )
  assert.match(found.image ?? '', /^https:\/\/carnet\.example\/brand\/[0-9a-f]{32}\.png$/)
  assert.match(
    found.description ?? '',
    /^Digital product passport\. Made of: 100% a&#34;&#62;&#60;script&#62; · Made in: Portugal · Repairable: Yes/,
  )
})

describe('GET /brand/…', () => {
  test('404 for an unknown file', async () => {
    for (const file of ['x', `${'0'.repeat(32)}.svg`, `${'0'.repeat(32)}.html`, '..%2f..%2fetc', '']) {
      assert.equal((await harness.ask('GET', `/brand/${file}`)).status, 404, file)
    }
  })
})

test('GET / redirects to the console', async () => {
  const answer = await harness.ask('GET', '/')
  assert.equal(answer.status, 302)
  assert.equal(answer.headers.location, '/console')
})
