/**
 * Starts Chromium for browser tests. Code for inside a page is a string, because the tests are compiled
 * without DOM types.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'

/** The headless shell is the same engine without a browser's window, for three quarters of the processor time. */
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
 * Without the address bar's pop-up, which costs each page a third of its work, and without a renderer in reserve
 * (a tenth). Chromium uses only the last list of disabled features, so Playwright's important ones are repeated.
 */
const WITHOUT = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'],
  ...['HttpsUpgrades', 'PaintHolding', 'MediaRouter'],
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
/** What only a report would show: a seventh of the work. */
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
