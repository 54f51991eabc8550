/** Tests pictures and documents in Chromium: they are added, used in a product, shown to readers, and deleted. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { TestAccount } from '../harness.ts'
import { makeGif, makeJpeg, makePdf, makePng } from '../media/sample-files.ts'
import { findViolations, openBrowser, WIDTH, WITHOUT_CHROMIUM } from '../site/chromium.ts'
import { startWholeStand, type WholeStand } from './whole-stand.ts'

const BROWSER_TIMEOUT_MS = 30_000
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 320, height: 640 }
const WITHOUT_SCRIPT = { javaScriptEnabled: false }
const LIBRARY = '/console/media'

let browser: Browser
let stand: WholeStand
let brand: TestAccount
let who: { email: string; password: string }
let storageState: Awaited<ReturnType<BrowserContext['storageState']>>
let file: Record<'jumper' | 'label' | 'wool' | 'pdf' | 'broken' | 'heic', Buffer>

describe('pictures and documents in a browser', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    browser = await openBrowser()
    stand = await startWholeStand()
    brand = await stand.harness.account({ plan: 'enterprise' })
    who = await stand.person(brand, 'editor')
    file = {
      jumper: await makeJpeg({ width: 480, height: 320 }),
      label: await makePng({ width: 200, height: 320 }),
      wool: await makeGif({ width: 160, height: 160 }),
      pdf: await makePdf('Declaration of conformity'),
      broken: (await makeJpeg({ width: 640, height: 480 })).subarray(0, 900),
      heic: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
    }
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${stand.origin}/console/sign-in`)
    await page.fill('#email', who.email)
    await page.fill('#password', who.password)
    await page.press('#password', 'Enter')
    await page.waitForURL(url => !url.pathname.includes('sign-in'))
    storageState = await context.storageState()
    await context.close()
  })
  after(async () => {
    await browser?.close()
    await stand?.close()
  })

  const signedIn = async (settings: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({
      ...{ storageState, viewport: DESK, locale: 'en-IE', bypassCSP: true },
      ...settings,
    })
    const page = await context.newPage()
    page.setDefaultTimeout(BROWSER_TIMEOUT_MS)
    return page
  }
  const open = (page: Page, path: string) => page.goto(stand.origin + path)
  const sent = (name: keyof typeof file, as: string, mimeType = '') => ({
    name: as,
    mimeType,
    buffer: file[name],
  })
  const listFiles = async () => {
    const { json } = await stand.harness.ask('GET', '/api/v1/media', { key: brand.key })
    return json.data as { id: string; kind: string }[]
  }

  test('files that are chosen are sent one by one; each that is refused says why, by its name', async () => {
    const page = await signedIn()
    await open(page, LIBRARY)
    await page.setInputFiles('#files', [
      sent('jumper', 'jumper.jpg'),
      sent('broken', 'broken.jpg'),
      sent('heic', 'from-a-phone.heic'),
      sent('pdf', 'declaration.pdf'),
    ])
    await page.getByText('broken.jpg').waitFor()
    const go = page.getByRole('button', { name: 'Go on with the files' })
    await go.waitFor()
    const rows = await page.locator('.sent li').allInnerTexts()
    assert.match(rows[0] ?? '', /^jumper\.jpg\s+Added\.$/)
    assert.match(rows[1] ?? '', /^broken\.jpg\s+The picture cannot be read: .* save it again as JPEG/)
    assert.match(rows[2] ?? '', /^from-a-phone\.heic\s+This is a HEIC photo from an iPhone.*Most Compatible/)
    assert.match(rows[3] ?? '', /^declaration\.pdf\s+Added\.$/)
    await go.click()
    await page.getByText('2 files are here.').waitFor()
    assert.equal(await page.locator('.files > li').count(), 2)
    assert.deepEqual((await listFiles()).map(one => one.kind).sort(), ['document', 'picture'])
    await page.context().close()
  })

  test('a file can be dropped on the page', async () => {
    const page = await signedIn()
    await open(page, LIBRARY)
    const bytes = file.label.toString('base64')
    await page.evaluate(`(() => {
      const bytes = Uint8Array.from(atob('${bytes}'), one => one.charCodeAt(0))
      const data = new DataTransfer()
      data.items.add(new File([bytes], 'label.png', { type: 'image/png' }))
      for (const type of ['dragover', 'drop'])
        document.querySelector('.drop').dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
    })()`)
    await page.getByText('One file is here.').waitFor()
    assert.equal(await page.locator('.files > li').count(), 3)
    await page.context().close()
  })

  test('without a script a form sends several files, and the same errors are shown', async () => {
    const page = await signedIn({ ...WITHOUT_SCRIPT, viewport: PHONE, hasTouch: true, isMobile: true })
    await open(page, LIBRARY)
    assert.ok(await page.locator('#camera').isVisible())
    await page.setInputFiles('#files', [sent('wool', 'wool.gif'), sent('broken', 'broken.jpg')])
    await page.getByRole('button', { name: 'Upload' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    assert.match(await alert.innerText(), /One file was not added:\s+broken\.jpg: The picture cannot be read/)
    assert.match(await alert.innerText(), /The other file was added\./)
    assert.equal(await page.locator('.files > li').count(), 4)
    await page.getByRole('button', { name: 'Upload' }).click()
    assert.match(await page.getByRole('alert').innerText(), /Choose at least one file first/)
    assert.ok(Number(await page.evaluate(WIDTH)) <= PHONE.width)
    await page.context().close()
  })

  test('the library shows pictures without moving anything, in light and dark, and axe finds no fault', async () => {
    for (const [locale, viewport] of [
      ['en-IE', DESK],
      ['de-DE', PHONE],
    ] as const) {
      const page = await signedIn({ locale, viewport })
      const moved = `new Promise(resolve => {
        let sum = 0
        new PerformanceObserver(list => { for (const one of list.getEntries()) sum += one.value })
          .observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
      })`
      await open(page, LIBRARY)
      await page.locator('img.thumb').first().scrollIntoViewIfNeeded()
      const shown = `[...document.images].every(one => one.complete && one.naturalWidth > 0 || one.loading === 'lazy' && !one.complete)`
      assert.ok(await page.evaluate(shown))
      assert.equal(await page.evaluate(moved), 0)
      assert.deepEqual(await findViolations(page), [])
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await findViolations(page, 'colours'), [])
      assert.ok(Number(await page.evaluate(WIDTH)) <= viewport.width)
      await take(page, `library-${viewport.width}-dark`)
      await page.emulateMedia({ colorScheme: 'light' })
      await take(page, `library-${viewport.width}`)
      await page.locator('.files a').first().click()
      await page.waitForURL(/media\/[0-9a-f]{64}$/)
      assert.deepEqual(await findViolations(page), [])
      await take(page, `file-${viewport.width}`)
      await page.context().close()
    }
  })

  test('a file that nothing uses is deleted', async () => {
    const page = await signedIn()
    await open(page, `${LIBRARY}?kind=picture`)
    await page.locator('.files a').first().click()
    await page.getByRole('link', { name: 'Delete the file' }).click()
    await page.getByRole('button', { name: 'Delete the file' }).click()
    await page.getByText('The file is deleted.').waitFor()
    assert.equal((await listFiles()).length, 3)
    await page.context().close()
  })

  /** For reviewing pages: with CONSOLE_SCREENSHOTS set to a folder, saves the page there. */
  async function take(page: Page, name: string): Promise<void> {
    const folder = process.env.CONSOLE_SCREENSHOTS
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
  }
})
