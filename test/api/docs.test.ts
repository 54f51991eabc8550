/** Tests the API reference page: complete, small, without policy violations, and accessible in a browser. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { SIGNATURE_SAMPLE } from '../../src/api/docs/guides.ts'
import { DETAIL_CATALOGUE, ERROR_CATALOGUE } from '../../src/api/endpoint/error-catalogue.ts'
import { ENDPOINTS } from '../../src/api/endpoints.ts'
import { allCategories } from '../../src/categories/catalogue.ts'
import { documentChecker } from '../answers.ts'
import { type Harness, startHarness } from '../harness.ts'
import { findViolations, OPEN_ALL, openBrowser, WITHOUT_CHROMIUM } from '../site/chromium.ts'

const MOST_GZIP_BYTES = 100_000

describe('GET /docs', () => {
  let t: Harness
  let text: string
  before(async () => {
    t = await startHarness()
    text = (await t.ask('GET', '/docs')).text
  })
  after(() => t.close())

  test('200 without a key: a small page with a strict policy and its own request id', async () => {
    const answer = await t.app.inject({ url: '/docs', headers: { 'accept-encoding': 'gzip, br' } })
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(gunzipSync(answer.rawPayload).toString(), text)
    assert.ok(answer.rawPayload.length < MOST_GZIP_BYTES, `${answer.rawPayload.length} bytes`)
    const policy = String(answer.headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/)
    assert.doesNotMatch(policy, /unsafe|https?:|\*|data:/)
    assert.match(String(answer.headers['x-request-id']), /^[0-9a-z]{26}$/)
  })

  for (const path of ['/docs', '/docs/docs.css', '/docs/docs.js']) {
    test(`${path}: 304 with its ETag, 405 for other methods, HEAD`, async () => {
      const { headers } = await t.ask('GET', path)
      const known = await t.ask('GET', path, { headers: { 'if-none-match': headers.etag ?? '' } })
      assert.deepEqual([known.status, known.text], [304, ''])
      const post = await t.ask('POST', path)
      assert.deepEqual([post.status, post.headers.allow], [405, 'GET, HEAD'])
      const head = await t.ask('HEAD', path)
      assert.deepEqual([head.status, head.text], [200, ''])
    })
  }

  test('/docs/ redirects to /docs', async () => {
    const { status, headers } = await t.ask('GET', '/docs/')
    assert.deepEqual([status, headers.location], [308, '/docs'])
  })

  test('has a section for every call, event, shape, category and code, and no dead link', () => {
    const ids = Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id ?? '')
    assert.deepEqual([...new Set(ids)], ids)
    const { document } = documentChecker()
    const wanted = [
      ...ENDPOINTS.map(one => one.id),
      ...Object.values<{ post: { operationId: string } }>(document.webhooks).map(one => one.post.operationId),
      ...Object.keys(document.components.schemas).map(name => `schema-${name}`),
      ...Object.keys(ERROR_CATALOGUE).map(code => `error-${code}`),
    ]
    assert.deepEqual(
      wanted.filter(id => !ids.includes(id)),
      [],
    )
    const targets = Array.from(text.matchAll(/ href="#([^"]+)"/g), ([, id]) => id ?? '')
    assert.deepEqual(
      targets.filter(id => !ids.includes(id)),
      [],
    )
    for (const code of Object.keys(DETAIL_CATALOGUE))
      assert.ok(text.replaceAll('<wbr>', '').includes(`>${code}</code>`))
    for (const { fields } of allCategories()) {
      for (const { name } of fields) assert.ok(text.includes(`<code class="name">${name}</code>`), name)
    }
  })

  test('its sample code for signatures accepts the right signature and no other', async () => {
    assert.ok(text.includes('isGenuine'))
    const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(SIGNATURE_SAMPLE)}`)
    const body = '{"event":"product.created"}'
    const right = `sha256=${createHmac('sha256', 'whsec_abc').update(body).digest('hex')}`
    assert.equal(isGenuine(Buffer.from(body), right, 'whsec_abc'), true)
    assert.equal(isGenuine(Buffer.from(`${body} `), right, 'whsec_abc'), false)
    assert.equal(isGenuine(Buffer.from(body), right, 'whsec_abd'), false)
    assert.equal(isGenuine(Buffer.from(body), right.replace('sha256=', ''), 'whsec_abc'), false)
    assert.equal(isGenuine(Buffer.from(body), '', 'whsec_abc'), false)
  })

  test('leads to the calls of other systems, and its examples have addresses that exist', async () => {
    assert.match(text, /<a href="dpp\/v1\/openapi.json">/)
    assert.equal((await t.ask('GET', '/dpp/v1/openapi.json')).status, 200)
    const [, guide = ''] = /<section class="guide" id="other-systems"(.*?)<\/section>/s.exec(text) ?? []
    const urls = Array.from(
      guide.matchAll(/https:\/\/carnet\.example(\/[^\s<&]+(?:&#61;[^\s<&]+)?)/g),
      ([, path]) => (path ?? '').replace('&#61;', '='),
    )
    assert.equal(urls.length, 5)
    for (const url of urls) {
      const { status, json } = await t.ask('GET', url)
      // The passport of the examples is not there. A wrong address or parameter would be another error.
      assert.equal(status, 404, url)
      const message: string = json.message?.[0]?.text ?? json.error
      assert.match(message, /There is no (?:passport|such issuer)/, url)
    }
  })

  test('has no inline code, no inline style, and nothing from other sites', () => {
    assert.doesNotMatch(text, /<style|\sstyle=|\son\w+=|javascript:/i)
    assert.deepEqual(text.match(/<script[^>]*>[^<]/g), null)
    const addresses = Array.from(text.matchAll(/ (?:src|href)="([^"]*)"/g), ([, address]) => address ?? '')
    assert.deepEqual(
      addresses.filter(address => /^(?:\w+:|\/\/)/.test(address)),
      [],
    )
  })
})

// Runs inside the page. A string, because the tests are compiled without DOM types.
const KEPT = `JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }])`
const SMALL_TARGETS = `Array.from(document.querySelectorAll('summary, button, input, select, .top a'))
  .map(one => one.getBoundingClientRect()).filter(box => box.height > 0 && box.height < 44).length`

describe('/docs in a browser', { skip: WITHOUT_CHROMIUM }, () => {
  let t: Harness
  let key: string
  let browser: Browser
  let origin: string
  before(async () => {
    t = await startHarness()
    key = (await t.account()).key
    origin = await t.app.listen({ port: 0, host: '127.0.0.1' })
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await t?.close()
  })

  const visit = async (options: BrowserContextOptions, see: (page: Page) => Promise<void>) => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    await page.goto(`${origin}/docs`, { waitUntil: 'load' })
    await see(page)
    await context.close()
  }

  test('axe finds no fault, light and dark, everything open', () =>
    // The policy is bypassed only to inject axe.
    visit({ bypassCSP: true, colorScheme: 'light' }, async page => {
      assert.deepEqual(await findViolations(page), [])
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await findViolations(page, 'colours'), [])
    }))

  test('makes three requests, all to this server, and gets no console message and no cookie', () =>
    visit({}, async page => {
      const requests: string[] = []
      const messages: string[] = []
      page.on('request', request => requests.push(new URL(request.url()).pathname))
      page.on('console', message => messages.push(message.text()))
      page.on('pageerror', error => messages.push(error.message))
      await page.reload({ waitUntil: 'networkidle' })
      const own = requests.filter(path => path !== '/favicon.ico').sort()
      assert.deepEqual(own, ['/docs', '/docs/docs.css', '/docs/docs.js'])
      assert.deepEqual(messages, [])
      assert.deepEqual(await page.context().cookies(), [])
    }))

  test('nothing overflows at 320 px; targets are large enough for a thumb', () =>
    visit({ viewport: { width: 320, height: 700 } }, async page => {
      await page.evaluate(OPEN_ALL)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
      assert.equal(await page.evaluate(SMALL_TARGETS), 0)
    }))

  test('a call can be tried with the keyboard alone: the response is shown, the key is not stored', () =>
    visit({}, async page => {
      const call = page.locator('#createProduct .try')
      await call.locator('summary').focus()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await page.keyboard.type(key)
      await call.locator('button').focus()
      await page.keyboard.press('Enter')
      const status = call.getByRole('status')
      await status.filter({ hasText: /^201 / }).waitFor()
      assert.match((await call.locator('.headers').textContent()) ?? '', /x-request-id: [0-9a-z]{26}/)
      const body = JSON.parse((await call.locator('.body').textContent()) ?? '')
      assert.equal(body.data.version_no, 1)
      assert.equal(String(await page.evaluate(KEPT)).includes('dpp_live_'), false)

      // The key is typed once for all calls, and values in a path are encoded.
      const read = page.locator('#getProduct .try')
      await read.locator('summary').click()
      await read.locator('[name=id]').fill(body.data.id)
      await read.getByRole('button').click()
      await read.getByRole('status').filter({ hasText: /^200 / }).waitFor()
      await read.locator('[name=id]').fill('../categories')
      await read.getByRole('button').click()
      await read.getByRole('status').filter({ hasText: /^404 / }).waitFor()
      await page.reload()
      assert.equal(await page.locator('#getProduct .key').inputValue(), '')
    }))

  test('a command can be copied', () =>
    visit({ permissions: ['clipboard-read', 'clipboard-write'] }, async page => {
      await page.getByRole('button', { name: 'Copy: A first call' }).click()
      const copied = String(await page.evaluate('navigator.clipboard.readText()'))
      assert.match(copied, /^export KEY=dpp_live_…\ncurl -s https:\/\/carnet\.example\/api\/v1\/products /)
    }))

  test('without scripts the page has the same text, but calls cannot be tried', () =>
    visit({ javaScriptEnabled: false }, async page => {
      assert.ok(await page.getByRole('heading', { name: 'Create a model passport' }).isVisible())
      assert.equal(await page.locator('.try').first().isVisible(), false)
    }))
})
