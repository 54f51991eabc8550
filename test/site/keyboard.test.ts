/**
 * Tests what axe cannot find on the public page, in a real browser: the way of the focus, wider spacing of
 * text, and that nothing changes by itself.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { IS_FULL } from '../full.ts'
import { type BrowserStand, startBrowserStand } from './browser-stand.ts'
import { OPEN_ALL, WIDTH, WITHOUT_CHROMIUM } from './chromium.ts'

let stand: BrowserStand
let paths: string[]

/** Marks each element that the keyboard can reach with its place, and returns their number. */
const MARK_STOPS = `(() => {
  const stops = Array.from(document.querySelectorAll('a[href], summary, button, input, select, textarea, [tabindex="0"]'))
    .filter(one => one.checkVisibility())
  for (const [place, one] of stops.entries()) one.dataset.stop = place
  return stops.length
})()`
const FOCUS = `(() => {
  const one = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const { top, bottom, width } = one.getBoundingClientRect()
  return {
    stop: one.dataset.stop === undefined ? -1 : Number(one.dataset.stop),
    isOutlined: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
    isInView: width > 0 && bottom > 0 && top < innerHeight,
  }
})()`
type Focus = { stop: number; isOutlined: boolean; isInView: boolean }

/** The spacing that WCAG 2.2 names in 1.4.12. */
const WIDE_SPACING = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
p { margin-bottom: 2em !important }`
/** Elements whose text is cut off; those for screen readers alone are one pixel wide. */
const CUT_TEXTS = `Array.from(document.querySelectorAll('header *, main *, footer *'))
  .filter(one => one.clientWidth > 1 && getComputedStyle(one).overflow !== 'visible')
  .filter(one => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
  .map(one => one.outerHTML.slice(0, 100))`

const WIDE_ELEMENTS = `Array.from(document.querySelectorAll('body *'))
  .filter(one => one.getBoundingClientRect().right > 391 && one.childElementCount === 0)
  .map(one => one.outerHTML.slice(0, 100))`

/** A page with everything open. */
async function open(path: string, width: number, height = 800): Promise<Page> {
  const context = await stand.browser.newContext({ viewport: { width, height }, bypassCSP: true })
  const page = await context.newPage()
  await page.goto(stand.origin + path)
  await page.evaluate(OPEN_ALL)
  return page
}

const readText = (page: Page) => page.evaluate('document.body.innerText') as Promise<string>

describe('the public page', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    stand = await startBrowserStand()
    const ids = [await stand.make('textile'), await stand.make('battery'), await stand.make('furniture')]
    paths = [...ids.map(id => `/p/${id}`), '/p/nothing', '/ns/dpp']
  })
  after(() => stand?.close())

  test('by keyboard: each link and section in order, with an outline, in view, and out of the page again', async () => {
    for (const path of paths) {
      const page = await open(path, 390)
      const count = Number(await page.evaluate(MARK_STOPS))
      for (let stop = 0; stop < count; stop++) {
        await page.keyboard.press('Tab')
        const focus = (await page.evaluate(FOCUS)) as Focus
        assert.deepEqual(focus, { stop, isOutlined: true, isInView: true }, `${path}, stop ${stop}`)
      }
      await page.keyboard.press('Tab')
      assert.equal(((await page.evaluate(FOCUS)) as Focus).stop, -1, `${path} is left`)
      assert.equal(new URL(page.url()).pathname, path, 'focus leads nowhere')
      await page.context().close()
    }
  })

  test('by keyboard: a section opens and closes', async () => {
    const page = await open(paths[0] ?? '', 390)
    const isOpen = async () => Boolean(await page.evaluate('document.activeElement.parentElement.open'))
    await page.locator('summary').first().focus()
    const before = await isOpen()
    await page.keyboard.press('Enter')
    assert.equal(await isOpen(), !before)
    await page.keyboard.press('Space')
    assert.equal(await isOpen(), before)
    await page.context().close()
  })

  test('with the wider spacing of WCAG 1.4.12, no text is cut and nothing overflows at 390 px', async () => {
    for (const path of paths)
      for (const language of IS_FULL ? ['en', 'de', 'el', 'fi'] : ['en', 'fi']) {
        const page = await open(`${path}?lang=${language}`, 390)
        await page.addStyleTag({ content: WIDE_SPACING })
        assert.deepEqual(await page.evaluate(WIDE_ELEMENTS), [], `${path} ${language}`)
        assert.equal(await page.evaluate(WIDTH), 390, `${path} ${language}`)
        assert.deepEqual(await page.evaluate(CUT_TEXTS), [], `${path} ${language}`)
        await page.context().close()
      }
  })

  test('nothing moves, and nothing appears under the pointer or by focus', async () => {
    // The battery has the longest page.
    for (const path of IS_FULL ? paths : paths.slice(1, 2)) {
      const page = await open(path, 1280)
      const before = await readText(page)
      for (const one of await page.locator('main a, main summary, footer a').all()) {
        // A link of two lines has its middle beside it.
        await one.hover({ force: true })
        await one.focus()
        assert.equal(await page.evaluate('document.getAnimations().length'), 0, path)
      }
      assert.equal(await readText(page), before, path)
      await page.context().close()
    }
  })

  test('has the same text upright and lying', async () => {
    for (const path of paths) {
      const [upright, lying] = [await open(path, 390, 844), await open(path, 844, 390)]
      assert.equal(await readText(lying), await readText(upright), path)
      for (const page of [upright, lying]) await page.context().close()
    }
  })
})
