/**
 * Tests layout in print and on small phones: overlapping notes, titles separated from their content, rows of
 * double height, broken words.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { DEMO_PASSPORTS } from '../../src/cli/demo/demo-data.ts'
import { loadDemoPassports } from '../../src/cli/demo/load-demo.ts'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { type BrowserStand, startBrowserStand } from './browser-stand.ts'
import { OPEN_ALL, WIDTH, WITHOUT_CHROMIUM } from './chromium.ts'

const SOFA_AND_RAIN_JACKET = ['LM-BOYNE-3-MOSS', 'WL-NBH3L-M-PETROL'].flatMap(sku =>
  DEMO_PASSPORTS.filter(({ data }) => data.sku === sku),
)

let stand: BrowserStand
let browser: Browser
let models: string[]
let batches: string[]
let items: string[]

/** A4 without its margins, in CSS pixels. */
const SHEET = { width: 703, height: 1032 }

/** Finds titles and heads in another column than their content, while the content moves down step by step. */
const ALONE = `(() => {
  const spacer = document.createElement('div')
  document.querySelector('main > details').before(spacer)
  const boxes = one => Array.from(one.getClientRects()).filter(box => box.height > 0)
  const column = box => (box.left > innerWidth / 2 ? 1 : 0)
  const firstOf = one => {
    if (!one.matches('table')) return one.matches('dl, ol, ul') ? one.children[0] : one
    return one.tHead.matches('.vh') ? one.tBodies[0].rows[0] : one.tHead
  }
  const isApart = (title, next) => column(boxes(title).at(-1)) !== column(boxes(next)[0])
  const found = new Set()
  for (let height = 0; height < 480; height += 6) {
    spacer.style.height = height + 'px'
    for (const fold of document.querySelectorAll('main > :is(details, section:not(.facts))')) {
      const first = Array.from(fold.lastElementChild.children).find(one => boxes(one).length > 0)
      if (isApart(fold.querySelector('h2'), firstOf(first))) found.add(fold.lastElementChild.id)
      for (const title of fold.querySelectorAll('h3')) {
        let next = title.nextElementSibling
        while (boxes(next).length === 0) next = next.nextElementSibling
        if (isApart(title, firstOf(next))) found.add(title.textContent)
      }
      for (const head of fold.querySelectorAll('thead:not(.vh)')) {
        if (isApart(head.rows[0].cells[0], head.nextElementSibling.rows[0].cells[0])) found.add('head of ' + fold.lastElementChild.id)
      }
    }
  }
  return Array.from(found)
})()`

/** Finds words of the page's own texts that break without a hyphen. */
const BROKEN = `Array.from(document.querySelectorAll('details :is(dt, thead th), #history tbody *'))
  .filter(one => one.checkVisibility() && one.closest('.vh') === null)
  .flatMap(one => Array.from(one.childNodes))
  .filter(node => node.nodeType === 3)
  .flatMap(node => Array.from(node.data.matchAll(/[^\\s-]+/g), word => {
    const range = document.createRange()
    range.setStart(node, word.index)
    range.setEnd(node, word.index + word[0].length)
    return [word[0], new Set(Array.from(range.getClientRects(), box => Math.round(box.top))).size]
  }))
  .filter(([, lines]) => lines > 1).map(([word]) => word)`

describe('a passport printed by a browser', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    stand = await startBrowserStand()
    browser = stand.browser
    const loaded = await loadDemoPassports(stand.account.ctx, SOFA_AND_RAIN_JACKET)
    ;({ models, batches, items } = loaded)
  })
  after(() => stand?.close())

  const show = (page: Page, id: string, language: string) =>
    page.goto(`${stand.origin}/p/${id}?lang=${language}`)
  const openSheet = async (): Promise<Page> => {
    const page = await browser.newPage({ viewport: SHEET })
    await page.emulateMedia({ media: 'print' })
    return page
  }

  test('the note on the origin of a section’s data is printed once, beside its title', async () => {
    const page = await openSheet()
    for (const id of [batches[0], items[0]]) {
      await show(page, id ?? '', 'nl')
      const notes = (await page.evaluate(`Array.from(document.querySelectorAll('summary[data-of]'), one => {
        const style = getComputedStyle(one, '::after')
        return [style.content, style.display, style.position, getComputedStyle(one).flexWrap, style.marginTop, style.marginBottom].join(' ')
      })`)) as string[]
      assert.ok(notes.length >= 8)
      assert.deepEqual(
        [...new Set(notes)].filter(note => !/^"Eigen /.test(note)),
        ['"Overgenomen van het model" block static wrap 0px 0px'],
      )
      assert.equal(await page.locator('.of').first().isVisible(), false)
      await page.emulateMedia({ media: 'screen' })
      assert.ok(await page.locator('.of').first().isVisible())
      await page.emulateMedia({ media: 'print' })
    }
    await page.close()
  })

  test('no printed column ends with a heading or a table header', async () => {
    const page = await browser.newPage({ viewport: SHEET })
    await page.emulateMedia({ media: 'print' })
    const ids = [...models, batches[0] ?? '', items[0] ?? '', await stand.make('battery')]
    for (const id of ids) {
      for (const language of ['de', 'el']) {
        await show(page, id, language)
        assert.deepEqual(await page.evaluate(ALONE), [], `${id} ${language}`)
      }
    }
    await page.close()
  })

  test('printed history rows have equal heights, with the number beside the date', async () => {
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

  test('the stages of a supply chain print completely', async () => {
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

  test('no label and no word of the history is broken across lines, printed and at 320 px, in any language', async () => {
    const page = await browser.newPage()
    const ids = [items[0] ?? '', models[1] ?? '', await stand.make('battery')]
    for (const { code } of LANGUAGES) {
      for (const id of ids) {
        await page.setViewportSize(SHEET)
        await page.emulateMedia({ media: 'print' })
        await show(page, id, code)
        await page.evaluate(OPEN_ALL)
        assert.deepEqual(await page.evaluate(BROKEN), [], `${code} on paper`)
        await page.emulateMedia({ media: 'screen' })
        await page.setViewportSize({ width: 320, height: 700 })
        assert.deepEqual(await page.evaluate(BROKEN), [], code)
        assert.equal(await page.evaluate(WIDTH), 320, code)
      }
    }
    await page.close()
  })
})
