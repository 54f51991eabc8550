/** The Chromium that browser tests run in, and what they do inside a page: text, because tests are typed without a browser's names. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'

const executablePath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(path => path !== undefined && existsSync(path))

/** For `describe`: why its tests are left out, or false. */
export const WITHOUT_CHROMIUM = executablePath === undefined && 'no Chromium found: browser tests left out'

/**
 * The address bar's pop-up, which nobody sees here, costs each page a third of its work. Chromium heeds the last such list
 * alone, so what matters of Playwright's own is said again.
 */
const WITHOUT = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'HttpsUpgrades', 'PaintHolding', 'MediaRouter']

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: executablePath ?? '',
    args: ['--no-sandbox', `--disable-features=${WITHOUT.join()}`],
  })

export const OPEN_ALL = 'for (const one of document.querySelectorAll("details")) one.open = true'
export const WIDTH = 'document.documentElement.scrollWidth'

const AXE = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const RULES = {
  all: "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']",
  /** All that a page can lose where its other scheme is right. */
  colours: "{ type: 'rule', values: ['color-contrast'] }",
} as const

/** What axe has against the page, everything open. Needs a context with `bypassCSP`: only the test brings a script. */
export async function findViolations(page: Page, rules: keyof typeof RULES = 'all'): Promise<string[]> {
  if (!(await page.evaluate(`${OPEN_ALL};!!window.axe`))) await page.evaluate(AXE)
  return (await page.evaluate(`axe
    .run({ runOnly: ${RULES[rules]} })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`)) as string[]
}
