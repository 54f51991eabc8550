/**
 * Starts Chromium for browser tests. Code for inside a page is a string, because the tests are compiled
 * without DOM types.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'

/**
 * The headless shell is the same engine without a browser's window, for three quarters of the processor time.
 */
const executablePath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(path => path !== undefined && existsSync(path))

/** Why a `describe` is skipped, or false. */
export const WITHOUT_CHROMIUM = executablePath === undefined && 'no Chromium found: browser tests left out'

/**
 * Without the address bar's pop-up, which costs each page a third of its work, and without a renderer in
 * reserve (a tenth). Chromium uses only the last list of disabled features, so Playwright's important ones
 * are repeated.
 */
const WITHOUT = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
  'HttpsUpgrades',
  'PaintHolding',
  'MediaRouter',
]

/** Lazy pictures are loaded at Chrome's distance on a fast network: the shell's own is larger. */
const LAZY = ['4G', '3G', 'Unknown'].map(speed => `lazyLoadingImageMarginPx${speed}=1250`)

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: executablePath ?? '',
    args: ['--no-sandbox', `--disable-features=${WITHOUT.join()}`, `--blink-settings=${LAZY.join()}`],
  })

export const OPEN_ALL = 'for (const one of document.querySelectorAll("details")) one.open = true'
export const WIDTH = 'document.documentElement.scrollWidth'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const RULES = {
  all: "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']",
  /** Enough for the second colour scheme of a page that passed all rules. */
  colours: "{ type: 'rule', values: ['color-contrast'] }",
} as const
/** Parts that only a report would show: a seventh of the work. */
const WITHOUT_REPORT = "resultTypes: ['violations'], selectors: false, elementRef: false"

/**
 * The axe violations of the page with everything expanded. Needs a context with `bypassCSP` to inject axe.
 */
export async function findViolations(page: Page, rules: keyof typeof RULES = 'all'): Promise<string[]> {
  if (!(await page.evaluate(`${OPEN_ALL};!!window.axe`))) await page.evaluate(AXE)
  return (await page.evaluate(`axe
    .run({ runOnly: ${RULES[rules]}, ${WITHOUT_REPORT} })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`)) as string[]
}

/** WCAG 2.2 (2.5.8) asks for so much, except of links in a sentence. */
const MIN_TARGET_PX = 24

/** The links and controls of the page, with everything expanded, that a finger can hardly hit. */
export const findSmallTargets = async (page: Page, px = MIN_TARGET_PX): Promise<string[]> =>
  (await page.evaluate(`(() => {
    ${OPEN_ALL}
    const px = ${px}
    const sized = one => [...one.getClientRects()].some(({ width, height }) => width >= px - 0.5 && height >= px - 0.5)
    const isHidden = one => !one.checkVisibility({ visibilityProperty: true }) || one.closest('.sight, .vh') !== null ||
      one.getBoundingClientRect().right <= 0
    const isInSentence = one => {
      if (one.localName !== 'a' || getComputedStyle(one).display !== 'inline') return false
      let block = one.parentElement
      while (getComputedStyle(block).display.startsWith('inline')) block = block.parentElement
      const copy = block.cloneNode(true)
      for (const link of copy.querySelectorAll('a, .sight, .vh')) link.remove()
      return /\\p{L}{2}/u.test(copy.textContent)
    }
    return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
      .filter(one => !isHidden(one) && !sized(one) && ![...(one.labels ?? [])].some(sized) && !isInSentence(one))
      .map(one => {
        const { width, height } = one.getBoundingClientRect()
        return Math.round(width) + ' x ' + Math.round(height) + ': ' + one.outerHTML.slice(0, 200)
      })
  })()`)) as string[]

/** Ids that several elements have: a label would name the first of them. */
export const findRepeatedIds = async (page: Page): Promise<string[]> =>
  (await page.evaluate(`[...document.querySelectorAll('[id]')].map(({ id }) => id)
    .filter((id, i, all) => all.indexOf(id) !== i)`)) as string[]

/** A mark of `markTexts` on a page, with the language and the direction of the place where it stands. */
export type MarkedText = { mark: string; lang: string; dir: string }

/** The marks in texts and in attributes that people hear or see. Addresses are none. */
export const findMarkedTexts = async (page: Page): Promise<MarkedText[]> =>
  (await page.evaluate(`(() => {
    const found = []
    const add = (text, at) => {
      for (const [mark] of text.matchAll(/(?<!https?:\\/\\/)\\bmark\\d+x\\b(?!\\.example)/g))
        found.push({ mark, lang: at.closest('[lang]').lang, dir: at.closest('bdi, [dir]').dir || 'auto' })
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) add(walker.currentNode.data, walker.currentNode.parentElement)
    for (const name of ['alt', 'title', 'aria-label', 'placeholder', 'label', 'value'])
      for (const one of document.body.querySelectorAll('[' + name + ']')) add(one.getAttribute(name), one)
    return found
  })()`)) as MarkedText[]
