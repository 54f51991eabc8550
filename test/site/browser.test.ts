/** The page as a browser shows it: reachable by everyone, whole on a small phone, silent, and what an access link does to it. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { idFromUuid } from '../../src/kernel/ids.ts'
import { createAccessLink } from '../../src/passports/access-links.ts'
import { createPassport } from '../../src/passports/create.ts'
import { ADDRESSES, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { FULL } from './reading-of.ts'

const CATEGORIES = ['textile', 'battery', 'furniture'] as const
const executablePath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(path => path !== undefined && existsSync(path))

// Run inside the page: text, because the tests are typed without a browser's names.
const OPEN_ALL = 'for (const one of document.querySelectorAll("details")) one.open = true'
const RUN_AXE = `axe
  .run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`
const SMALL_TARGETS = `Array.from(document.querySelectorAll('summary, nav a'), one => one.getBoundingClientRect())
  .filter(box => box.height < 44 || box.width < 44).length`

let harness: Harness
let account: TestAccount
let browser: Browser
let origin: string

describe('in a browser', {
  skip: executablePath === undefined && 'no Chromium found: browser tests left out',
}, () => {
  before(async () => {
    harness = await startHarness()
    account = await harness.account({ plan: 'enterprise' })
    origin = await harness.app.listen({ port: 0, host: '127.0.0.1' })
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
  })
  after(async () => {
    await browser?.close()
    await harness?.close()
  })

  const make = async (category: (typeof CATEGORIES)[number], data: Record<string, unknown> = {}) => {
    const { gtin: _, ...full } = FULL[category]
    const { economicOperator: __, ...rest } = full
    const { passport } = await createPassport(account.ctx, {
      ...newProduct({ ...rest, ...data }, category),
      strict: false,
    })
    return idFromUuid(passport.id)
  }

  for (const category of CATEGORIES) {
    test(`${category}: axe finds nothing, light and dark, everything open`, async () => {
      const id = await make(category)
      const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
      for (const colorScheme of ['light', 'dark'] as const) {
        // Only the test itself brings a script.
        const context = await browser.newContext({ colorScheme, bypassCSP: true })
        const page = await context.newPage()
        await page.goto(`${origin}/p/${id}?lang=de`)
        await page.evaluate(OPEN_ALL)
        await page.evaluate(axe)
        const violations = await page.evaluate(RUN_AXE)
        assert.deepEqual(violations, [], colorScheme)
        await context.close()
      }
    })
  }

  test('one request, no script, no message, no cookie; the style sheet is let in', async () => {
    const id = await make('textile')
    const context = await browser.newContext()
    const page = await context.newPage()
    const requests: string[] = []
    const messages: string[] = []
    page.on('request', request => requests.push(request.url()))
    page.on('console', message => messages.push(message.text()))
    await page.goto(`${origin}/p/${id}`, { waitUntil: 'networkidle' })
    assert.deepEqual(
      requests.filter(url => !url.endsWith('/favicon.ico')),
      [`${origin}/p/${id}`],
    )
    assert.deepEqual(messages, [])
    assert.deepEqual(await context.cookies(), [])
    assert.equal(await page.evaluate('getComputedStyle(document.body).maxWidth'), '640px')
    await context.close()
  })

  test('nothing stands out at 320 px, whatever the words', async () => {
    const word = 'w'.repeat(400)
    const data = {
      productName: word,
      brandName: word,
      careInstructions: { en: 'x'.repeat(10_000) },
      fiberComposition: [{ fiber: word, percentage: 100 }],
      substancesOfConcern: [{ name: word, concentrationRange: word }],
      complianceDocuments: [{ type: word, url: `https://docs.example/${word}` }],
    }
    for (const id of [await make('textile', data), await make('battery'), await make('furniture')]) {
      const page = await browser.newPage({ viewport: { width: 320, height: 700 } })
      for (const language of ['de', 'fi', 'el', 'mt']) {
        await page.goto(`${origin}/p/${id}?lang=${language}`)
        await page.evaluate(OPEN_ALL)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, language)
      }
      await page.close()
    }
  })

  test('a link to a section opens it; targets are large enough for a thumb', async () => {
    const id = await make('furniture')
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } })
    await page.goto(`${origin}/p/${id}#end-of-life`)
    assert.ok(await page.locator('#end-of-life').isVisible())
    const small = await page.evaluate(SMALL_TARGETS)
    assert.equal(small, 0)
    await page.close()
  })

  test('prints with everything open', async () => {
    const id = await make('battery')
    const page = await browser.newPage()
    await page.goto(`${origin}/p/${id}`)
    await page.emulateMedia({ media: 'print' })
    assert.ok(await page.getByText('Recycling instructions').isVisible())
    assert.ok(await page.locator('.qr svg').isVisible())
    await page.close()
  })

  test('an access link shows more at once, though the public page was just seen, and leaves no token behind', async () => {
    const id = await make('textile')
    const { token } = await createAccessLink(account.ctx, {
      passportId: id,
      audience: 'legitimate_interest',
      label: 'A repair shop',
      expiresAt: new Date(harness.clock.now().getTime() + 3_600_000),
      addresses: ADDRESSES,
    })
    // The cookie is Secure, as the public address is https; a browser keeps such a one for localhost too.
    const local = origin.replace('127.0.0.1', 'localhost')
    const page = await browser.newPage()
    await page.goto(`${local}/p/${id}`)
    assert.equal(await page.getByText('CANARY Mill').count(), 0)
    await page.goto(`${local}/p/${id}?access=${token}`)
    assert.equal(page.url(), `${local}/p/${id}`)
    assert.equal(await page.getByText('CANARY Mill').count(), 1)
    assert.ok(await page.getByText('for A repair shop').isVisible())
    assert.equal(await page.evaluate('document.cookie'), '')
    await page.close()
  })
})
