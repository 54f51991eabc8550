/** Tests names of other scripts in a real browser: their direction, and marks piled on a letter. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type BrowserStand, startBrowserStand } from './browser-stand.ts'
import { WITHOUT_CHROMIUM } from './chromium.ts'

describe('names on a page', { skip: WITHOUT_CHROMIUM }, () => {
  let stand: BrowserStand
  before(async () => {
    stand = await startBrowserStand()
  })
  after(() => stand.close())

  async function open(productName: string) {
    const id = await stand.make('textile', { productName, brandName: 'بيت القماش' })
    const page = await stand.browser.newPage({ viewport: { width: 400, height: 700 }, locale: 'en' })
    await page.goto(`${stand.origin}/p/${id}`)
    return page
  }

  test('run from right to left if their letters do', async () => {
    const page = await open('قميص (قطن) 7!')
    const directions =
      "[...document.querySelectorAll('h1, .brand bdi')].map(one => getComputedStyle(one).direction)"
    assert.deepEqual(await page.evaluate(directions), ['rtl', 'rtl'])
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('main')).direction"), 'ltr')
    await page.close()
  })

  test('of sixty marks on a letter do not reach the header', async () => {
    const plain = await open('Zalgo shirt')
    const piled = await open(`Z${'\u0301\u0302\u0308'.repeat(20)}algo shirt`)
    const [before, after] = await Promise.all([plain, piled].map(page => page.locator('.mast').screenshot()))
    assert.ok(before?.equals(after ?? Buffer.alloc(0)), 'the header is painted over')
    await Promise.all([plain, piled].map(page => page.close()))
  })
})
