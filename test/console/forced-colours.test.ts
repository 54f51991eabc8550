/** Tests the console's style sheets with forced colours in Chromium: what is current, and which colour a legend means. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, WITHOUT_CHROMIUM } from '../site/chromium.ts'

const read = (name: string) => readFileSync(new URL(`../../assets/${name}`, import.meta.url), 'utf8')
const BODY = `<nav><a href="/a" aria-current="page">Here</a><a href="/b">There</a></nav>
<nav class="ranges"><a href="/a" aria-current="true">Here <span class="tab-count">3</span></a><a href="/b">There <span class="tab-count">4</span></a></nav>
<div class="tabs"><button class="tab" aria-pressed="true">Here</button><button class="tab" aria-pressed="false">There</button></div>
<div class="trend"><svg viewBox="0 0 20 20"><path class="in-all" d="M5 20v-9"/><path class="once" d="M15 20v-9"/></svg></div>
<p><span class="mark in-all"></span> Scans <span class="mark once"></span> Readers</p>`

let browser: Browser
let page: Page

describe('forced colours', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    browser = await openBrowser()
    const settings = { forcedColors: 'active', colorScheme: 'dark' } as const
    page = await (await browser.newContext(settings)).newPage()
    await page.setContent(
      `<!doctype html><style>${read('console.css')}${read('console/scans.css')}</style>${BODY}`,
    )
  })
  after(() => browser?.close())

  const look = (selector: string, property: string) =>
    page.evaluate(
      `[...document.querySelectorAll('${selector}')].map(one => getComputedStyle(one).getPropertyValue('${property}'))`,
    ) as Promise<string[]>

  test('only the current place and tab are underlined', async () => {
    const [paper] = await look('body', 'background-color')
    for (const selector of ['nav a', '.tab']) {
      const colours = await look(selector, 'border-bottom-color')
      for (let at = 0; at < colours.length; at += 2) {
        assert.notEqual(colours[at], paper, selector)
        assert.equal(colours[at + 1], paper, selector)
      }
    }
  })

  test('the legend of the chart has the colours of its bars', async () => {
    for (const name of ['in-all', 'once'])
      assert.deepEqual(await look(`.mark.${name}`, 'background-color'), await look(`path.${name}`, 'stroke'))
    assert.notDeepEqual(await look('path.in-all', 'stroke'), await look('path.once', 'stroke'))
  })
})
