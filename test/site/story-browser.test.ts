/** Tests the block “From the brand” in a real browser: long text in another language than the page's. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { updateStory } from '../../src/passports/story/update-story.ts'
import { makePng } from '../media/sample-files.ts'
import { type BrowserStand, startBrowserStand } from './browser-stand.ts'
import { findViolations, WIDTH, WITHOUT_CHROMIUM } from './chromium.ts'

/** A text of 1,900 characters, with a word that is wider than a phone. */
const LONG = `${'Wir weben in Guimarães, seit 2004. '.repeat(26)}\n\n${'Langeswort'.repeat(15)}\n\n${'Und wir reparieren, was wir verkaufen. '.repeat(21)}`
const OBSERVE_SHIFTS = `window.shifts = []
new PerformanceObserver(list => shifts.push(...list.getEntries().map(({ value }) => value)))
  .observe({ type: 'layout-shift', buffered: true })`
const PICTURE = 'main > section:has(> #from-brand) img'

let stand: BrowserStand
let id: string

describe('the block “From the brand” in a browser', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    stand = await startBrowserStand()
    const { harness, account } = stand
    const headers = { 'content-type': 'image/png' }
    const text = await makePng({ width: 640, height: 420 })
    const { json } = await harness.ask('POST', '/api/v1/media', { key: account.key, text, headers })
    id = await stand.make('textile')
    await updateStory(account.ctx, {
      text: { de: LONG },
      links: [1, 2, 3].map(n => ({ url: `https://shop.example/${n}`, label: { de: `Zum Laden ${n}` } })),
      picture: { media: json.data.id, alt: { de: 'Ein Webstuhl mit hellem Garn' } },
    })
  })
  after(() => stand?.close())

  test('fits, moves nothing when its picture loads, and axe finds no fault, light and dark', async () => {
    for (const [width, colorScheme, language] of [
      [320, 'light', 'el'],
      [1280, 'dark', 'de'],
    ] as const) {
      const context = await stand.browser.newContext({
        bypassCSP: true,
        colorScheme,
        viewport: { width, height: 844 },
      })
      const page = await context.newPage()
      await page.addInitScript(OBSERVE_SHIFTS)
      await page.goto(`${stand.origin}/p/${id}?lang=${language}`, { waitUntil: 'networkidle' })
      await page.locator(PICTURE).scrollIntoViewIfNeeded()
      await page.waitForFunction(`document.querySelector('${PICTURE}').naturalWidth > 0`)
      assert.deepEqual(await page.evaluate('window.shifts'), [], `${width} px`)
      assert.equal(await page.evaluate(WIDTH), width)
      assert.deepEqual(await findViolations(page), [], language)
      await context.close()
    }
  })
})
