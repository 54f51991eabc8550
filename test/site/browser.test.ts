/**
 * Tests the page in a real browser: accessible, complete on a small phone, without scripts, and with access
 * links.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { updateBrand } from '../../src/accounts/brand/update-brand.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { ADDRESSES, type Harness, newProduct, type TestAccount } from '../harness.ts'
import { type BrowserStand, startBrowserStand } from './browser-stand.ts'
import { findViolations, OPEN_ALL, WIDTH, WITHOUT_CHROMIUM } from './chromium.ts'

const CATEGORIES = ['textile', 'battery', 'furniture'] as const
const SMALL_TARGETS = `Array.from(document.querySelectorAll('summary, nav a'), one => one.getBoundingClientRect())
  .filter(box => box.height < 44 || box.width < 44).length`

let stand: BrowserStand
let harness: Harness
let account: TestAccount
let browser: Browser
let origin: string
let make: BrowserStand['make']

describe('a passport in a browser', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    stand = await startBrowserStand()
    ;({ harness, account, browser, origin, make } = stand)
  })
  after(() => stand?.close())

  test('one request, no script, no message, no cookie; the policy allows the style sheet', async () => {
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

  test('nothing overflows at 320 px, whatever the text', async () => {
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
        assert.equal(await page.evaluate(WIDTH), 320, language)
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

  test('hostile text is shown as text, stays in its place and changes nothing around it', async () => {
    const hostile = '<b>x</b>"\u202e\u2066 ' + 'ש'.repeat(300) + ' javascript:alert(1) &lt; \u200f'
    const id = await make('furniture', {
      productName: hostile,
      brandName: 'مفروشات',
      careInstructions: { en: `${'w'.repeat(9_000)} ${hostile}`, ar: 'امسح' },
      complianceDocuments: [{ type: hostile, url: 'https://docs.example/a' }],
      repair: { repairable: true, sparePartsAvailable: true, instructions: { en: 'javascript:alert(1)' } },
    })
    const page = await browser.newPage({ viewport: { width: 320, height: 700 } })
    const alarms: string[] = []
    page.on('dialog', dialog => alarms.push(dialog.message()))
    page.on('pageerror', error => alarms.push(String(error)))
    await page.goto(`${origin}/p/${id}?lang=en`)
    await page.evaluate(OPEN_ALL)
    assert.equal(await page.locator('h1').innerText(), hostile.replaceAll(/\s+/g, ' ').trim())
    assert.equal(await page.locator('main b:not([aria-current])').count(), 0)
    assert.equal(await page.evaluate(WIDTH), 320)
    assert.equal(await page.locator('a[href^="javascript"]').count(), 0)
    // The page's own words keep their place: the text beside an isolate runs from left to right.
    assert.equal(
      await page.evaluate('getComputedStyle(document.querySelector(".plain small")).direction'),
      'ltr',
    )
    assert.deepEqual(alarms, [])
    await page.close()
  })

  test('everything is readable at 400 % zoom, also without scripts', async () => {
    const id = await make('battery')
    // 1280 px at 400 % are 320 px.
    const context = await browser.newContext({
      viewport: { width: 320, height: 256 },
      deviceScaleFactor: 4,
      javaScriptEnabled: false,
    })
    const page = await context.newPage()
    await page.goto(`${origin}/p/${id}?lang=de`)
    const section = page.locator('summary', { hasText: 'Kennungen' })
    assert.equal(await page.locator('#identifiers').isVisible(), false)
    await section.focus()
    await page.keyboard.press('Enter')
    assert.equal(await page.locator('#identifiers').isVisible(), true)
    await context.close()
  })

  test('prints on one A4 sheet with everything open and the symbol', async () => {
    for (const category of CATEGORIES) {
      const id = await make(category)
      const page = await browser.newPage()
      await page.goto(`${origin}/p/${id}?lang=de`)
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
      assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, 1, category)
      assert.match(pdf, /\/MediaBox \[0 0 59[45](?:\.\d+)? 84[12](?:\.\d+)?\]/)
      await page.emulateMedia({ media: 'print' })
      for (const one of await page.locator('details > div').all()) assert.ok(await one.isVisible())
      assert.ok(await page.locator('.qr svg').isVisible())
      await page.close()
    }
  })

  test('a logo is the only other request, from our own origin, and drawn', async () => {
    const other = await harness.account()
    const svg = '<svg viewBox="0 0 100 50"><path fill="#1f3b57" d="M0 0h100v50z"/></svg>'
    await updateBrand(other.ctx, { logo: Buffer.from(svg), accent: '#f5c400' })
    const made = await createPassport(other.ctx, { ...newProduct(), strict: false })
    const path = `/p/${idFromUuid(made.passport.id)}`
    const page = await browser.newPage()
    const requests: string[] = []
    const messages: string[] = []
    page.on('request', request => requests.push(new URL(request.url()).pathname))
    page.on('console', message => messages.push(message.text()))
    await page.goto(origin + path, { waitUntil: 'networkidle' })
    const others = requests.filter(one => one !== '/favicon.ico' && one !== path)
    assert.equal(others.length, 1)
    assert.match(others[0] ?? '', /^\/brand\/[0-9a-f]{32}\.svg$/)
    assert.ok(await page.evaluate('document.querySelector(".logo img").naturalWidth > 0'))
    assert.deepEqual(messages, [])
    assert.match(
      String(await page.evaluate('getComputedStyle(document.querySelector(".mast")).borderBottomColor')),
      /^rgb\((?!29, 28, 26)/,
    )
    await page.close()
  })

  test('an access link shows more at once although the browser cached the public page, and leaves no token behind', async () => {
    const id = await make('textile')
    const { token } = await createAccessLink(account.ctx, {
      passportId: id,
      audience: 'legitimate_interest',
      label: 'A repair shop',
      expiresAt: new Date(harness.clock.now().getTime() + 3_600_000),
      addresses: ADDRESSES,
    })
    // The cookie is Secure because the public address uses https. A browser also accepts it for localhost.
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

  test('an ended link shows its banner once; the next load is the public page', async () => {
    const id = await make('textile')
    const local = origin.replace('127.0.0.1', 'localhost')
    for (const [language, title] of [
      ['de', 'Dieser Zugangslink ist nicht mehr gültig'],
      ['en', 'This access link is no longer valid'],
      ['el', 'Αυτός ο σύνδεσμος πρόσβασης δεν ισχύει πλέον'],
    ] as const) {
      for (const width of [320, 390, 1280]) {
        const context = await browser.newContext({ bypassCSP: true, viewport: { width, height: 900 } })
        const page = await context.newPage()
        const address = `${local}/p/${id}?lang=${language}`
        await page.goto(address)
        assert.equal(await page.getByRole('note').count(), 0)
        await page.goto(`${address}&access=dpa_ended`)
        assert.ok(await page.getByRole('note').getByText(title).isVisible())
        assert.equal(await page.getByText('CANARY Mill').count(), 0)
        assert.deepEqual(await context.cookies(), [])
        for (const [colorScheme, rules] of [
          ['light', 'all'],
          ['dark', 'colours'],
        ] as const) {
          await page.emulateMedia({ colorScheme })
          assert.deepEqual(await findViolations(page, rules), [], `${language}, ${width} px, ${colorScheme}`)
        }
        assert.equal(await page.evaluate(WIDTH), width)
        await page.goto(address)
        assert.equal(await page.getByRole('note').count(), 0)
        await context.close()
      }
    }
  })
})
