/** What only eyes find on paper and on small phones: notes over words, titles left alone, rows twice as high, words cut in two. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { SOFA } from '../../src/cli/demo-data/furniture-seating.ts'
import { RAIN_JACKET } from '../../src/cli/demo-data/textiles-rain.ts'
import { loadDemoPassports } from '../../src/cli/load-demo.ts'
import { type BrowserStand, startBrowserStand } from './browser-stand.ts'
import { WITHOUT_CHROMIUM } from './chromium.ts'

let stand: BrowserStand
let browser: Browser
let models: string[]

/** A4 less its margins, in CSS pixels. */
const SHEET = { width: 703, height: 1032 }

describe('in a browser', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    stand = await startBrowserStand()
    browser = stand.browser
    const loaded = await loadDemoPassports(stand.account.ctx, [SOFA, RAIN_JACKET])
    models = loaded.models
  })
  after(() => stand?.close())

  const show = (page: Page, id: string, language: string) =>
    page.goto(`${stand.origin}/p/${id}?lang=${language}`)
  const openSheet = async (): Promise<Page> => {
    const page = await browser.newPage({ viewport: SHEET })
    await page.emulateMedia({ media: 'print' })
    return page
  }

  test('on paper a line of the history is as high as another, its number beside its date', async () => {
    const page = await openSheet()
    await show(page, models[1] ?? '', 'el')
    const rows = (await page.evaluate(`Array.from(document.querySelectorAll('#history tbody tr'), row => [
      Math.round(row.cells[0].querySelector('a, b').getBoundingClientRect().top - row.querySelector('time').getBoundingClientRect().top),
      Math.round(row.getBoundingClientRect().height),
    ])`)) as [number, number][]
    assert.ok(rows.length >= 2)
    for (const [apart, height] of rows) {
      assert.ok(Math.abs(apart) <= 1, `${apart} px apart`)
      assert.ok(Math.abs(height - (rows[0]?.[1] ?? 0)) <= 1, `${height} px high`)
    }
    await page.close()
  })

  test('on paper the stops of a supply chain are whole', async () => {
    const page = await openSheet()
    await show(page, models[1] ?? '', 'en')
    const within = await page.evaluate(`(() => {
      const stop = document.querySelector('.chain li')
      const left = stop.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(stop, '::before').left)
      return left - stop.closest('details').getBoundingClientRect().left
    })()`)
    assert.ok(Number(within) >= 0, `${within} px`)
    await page.close()
  })
})
