/** Tests pictures and documents in Chromium: they are added, used in a product, shown to readers, and deleted. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { CORES, newProduct, type TestAccount } from '../harness.ts'
import { makeGif, makeJpeg, makePdf, makePng } from '../media/sample-files.ts'
import { storeFileRows } from '../media/stored-files.ts'
import { findViolations, openBrowser, WIDTH, WITHOUT_CHROMIUM } from '../site/chromium.ts'
import { HANG_MS } from '../waiting.ts'
import { startWholeStand, type WholeStand } from './whole-stand.ts'

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
      storageState,
      viewport: DESK,
      locale: 'en-IE',
      bypassCSP: true,
      ...settings,
    })
    const page = await context.newPage()
    page.setDefaultTimeout(HANG_MS)
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
    await page.getByText('2 files are in your library.').waitFor()
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
    await page.getByText('One file is in your library.').waitFor()
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

  const made = async () => {
    const data = { ...CORES.textile, languages: ['en', 'de'] }
    const { passport } = await createPassport(brand.ctx, { category: 'textile', data, strict: false })
    return passport.id
  }
  type Entry = Record<string, unknown> & { media: string }
  const stored = async (uuid: string) => {
    const path = `/api/v1/products/${idFromUuid(uuid)}`
    const { json } = await stand.harness.ask('GET', path, { key: brand.key })
    return json.data as { version: number; data: { pictures?: Entry[]; documents?: Entry[] } }
  }
  const alt = (page: Page, row: number, tag: string) => page.locator(`[name="d.pictures.${row}.alt.${tag}"]`)
  const save = async (page: Page, name = 'Save') => {
    await page.getByRole('button', { name, exact: true }).last().click()
  }

  test('pictures and documents of a product are uploaded, chosen, ordered, described, saved and removed', async () => {
    const uuid = await made()
    const at = `/console/products/${idFromUuid(uuid)}`
    const page = await signedIn()
    await open(page, at)
    await page.getByRole('link', { name: 'Pictures and documents' }).click()
    await page.setInputFiles('#files', [sent('wool', 'wool.gif'), sent('pdf', 'Care_manual.pdf')])
    await alt(page, 0, 'en').waitFor()
    assert.equal(await page.inputValue('[name="d.documents.0.title.en"]'), 'Care manual')
    await page.getByText('Choose from the library').click()
    await page.locator('.picker input').last().check()
    await page.getByRole('button', { name: 'Add the chosen files' }).click()
    await alt(page, 1, 'en').fill('A jumper')
    await save(page)
    const alert = page.getByRole('alert')
    await alert.waitFor()
    assert.match(await alert.innerText(), /Pictures 1, Description/)
    await alt(page, 0, 'en').fill('Wool')
    await page.locator('fieldset.languages .tab', { hasText: 'German' }).first().click()
    await alt(page, 0, 'de').fill('Wolle')
    await page.getByRole('button', { name: 'Move up 2' }).click()
    assert.equal(await alt(page, 0, 'en').inputValue(), 'A jumper')
    assert.equal(await alt(page, 1, 'de').inputValue(), 'Wolle')
    await page.getByLabel('For whom').selectOption('authority')
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      assert.deepEqual(await findViolations(page, scheme === 'light' ? 'all' : 'colours'), [])
      await take(page, `product-files-1280-${scheme}`)
    }
    await save(page)
    await page.getByText('Saved as version 2').waitFor()
    assert.equal(await page.locator('.pictures img').count(), 2)
    await take(page, 'product-1280')
    const { data } = await stored(uuid)
    assert.deepEqual(
      data.pictures?.map(one => one.alt),
      [{ en: 'A jumper' }, { en: 'Wool', de: 'Wolle' }],
    )
    assert.equal(data.documents?.[0]?.access, 'authority')
    await open(page, '/console/products')
    const picture = page.locator('.named img').first()
    await picture.waitFor()
    assert.deepEqual(await picture.boundingBox().then(box => [box?.width, box?.height]), [40, 40])
    await take(page, 'products-1280')
    await open(page, `${at}/media`)
    await page.getByRole('button', { name: 'Remove 2' }).click()
    await save(page)
    await page.getByText('Saved as version 3').waitFor()
    assert.equal((await stored(uuid)).data.pictures?.length, 1)
    await page.context().close()
  })

  test('Save while a file is being checked, or while others wait for "Go on", loses none of them', async () => {
    const uuid = await made()
    const page = await signedIn()
    await open(page, `/console/products/${idFromUuid(uuid)}/media`)
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route('**/console/media', async route => {
      if (route.request().method() === 'POST') await held
      await route.continue()
    })
    await page.setInputFiles('#files', [sent('wool', 'wool.gif'), sent('broken', 'broken.jpg')])
    await save(page)
    await page.getByText('Your files are still being sent or checked').waitFor()
    release()
    await page.getByRole('button', { name: 'Go on with the files' }).waitFor()
    await save(page)
    await alt(page, 0, 'en').fill('Wool')
    await save(page)
    await page.getByText('Saved as version 2').waitFor()
    assert.equal((await stored(uuid)).data.pictures?.length, 1)
    await page.context().close()
  })

  test('a unit shows the pictures of its model, and can have its own; a model asks about its units', async () => {
    const [id] = (await listFiles()).filter(one => one.kind === 'picture').map(one => one.id)
    const uuid = await made()
    const units = [{ serial: 'S-1' }]
    const wish = { parentUuid: uuid, level: 'item' as const, units, bulk: false, strict: false }
    const { created } = await issueUnits(brand.ctx, wish)
    const unit = created[0]?.passport.id ?? ''
    const page = await signedIn({ ...WITHOUT_SCRIPT, viewport: PHONE, locale: 'de-DE' })
    await open(page, `/console/products/${idFromUuid(uuid)}/media`)
    await page.setInputFiles('#files', [sent('wool', 'wolle.gif'), sent('broken', 'broken.jpg')])
    await page.getByRole('button', { name: 'Hochladen und hinzufügen' }).click()
    assert.match(await page.getByRole('alert').innerText(), /broken\.jpg: Das Bild lässt sich nicht lesen/)
    await alt(page, 0, 'en').fill('Wool')
    await save(page, 'Speichern')
    await page.getByLabel('Eine Berichtigung').check()
    assert.equal(await page.locator('.diff img').count(), 1)
    await take(page, 'review-320')
    await save(page, 'Speichern')
    await page.getByText('Berichtigung ist als Version 2 gespeichert').waitFor()
    await page.getByRole('button', { name: /aktualisieren/ }).click()
    await page.getByText(/aktualisiert\. Sie zeigt/).waitFor()
    await open(page, `/console/products/${idFromUuid(unit)}/media`)
    await page.getByText('Diese Einheit zeigt, was sie erbt').waitFor()
    assert.ok(Number(await page.evaluate(WIDTH)) <= PHONE.width)
    await take(page, 'unit-files-320')
    await page.getByRole('button', { name: 'Nur für diese Einheit ändern' }).click()
    await alt(page, 0, 'en').fill('Wool of this one')
    await save(page, 'Speichern')
    await page.getByText('Als Version 3 gespeichert').waitFor()
    assert.deepEqual((await stored(unit)).data.pictures?.[0]?.alt, { en: 'Wool of this one' })
    assert.deepEqual((await stored(uuid)).data.pictures?.[0]?.alt, { en: 'Wool' })
    assert.ok(id !== undefined)
    await page.context().close()
  })

  test('what two people change at once is not lost', async () => {
    const uuid = await made()
    const path = `/console/products/${idFromUuid(uuid)}/media`
    const [one, other] = [await signedIn(), await signedIn()]
    for (const page of [one, other]) {
      await open(page, path)
      await page.getByText('Choose from the library').click()
      await page.locator('.picker img').first().click()
      await page.getByRole('button', { name: 'Add the chosen files' }).click()
    }
    await alt(one, 0, 'en').fill('By one')
    await save(one)
    await one.getByText('Saved as version 2').waitFor()
    await alt(other, 0, 'en').fill('By the other')
    await save(other)
    assert.match(await other.getByRole('alert').innerText(), /Somebody else saved .* both changed/s)
    assert.equal(await alt(other, 0, 'en').inputValue(), 'By the other')
    await save(other)
    await other.getByText('Saved as version 3').waitFor()
    for (const page of [one, other]) await page.context().close()
  })

  test('a file that a product uses stays; one that nothing uses is deleted', async () => {
    const page = await signedIn()
    await open(page, `${LIBRARY}?kind=picture`)
    const used = page.getByText(/^Used by \d products$/).first()
    const uses = Number(/\d/.exec(await used.innerText())?.[0])
    await take(page, 'library-used-1280')
    await page.locator('.files li', { has: used }).getByRole('link').click()
    await page.getByRole('heading', { name: 'Used by, now or in an earlier version' }).waitFor()
    assert.match(
      await page.locator('main').innerText(),
      /This file cannot be deleted because a product uses it/,
    )
    assert.equal(await page.getByRole('link', { name: 'Test product' }).count(), uses)
    assert.deepEqual(await findViolations(page), [])
    await take(page, 'file-used-1280')
    await open(page, `${new URL(page.url()).pathname}/delete`)
    await page.getByRole('button', { name: 'Delete the file' }).click()
    assert.match(await page.getByRole('alert').innerText(), /cannot be deleted/)
    const before = (await listFiles()).length
    await open(page, LIBRARY)
    await page.getByLabel('Only unused').check()
    await page.getByRole('button', { name: 'Show' }).click()
    assert.equal(await page.locator('.files > li').count(), 1)
    await page.locator('.files a').click()
    await page.getByRole('link', { name: 'Delete the file' }).click()
    await page.getByRole('button', { name: 'Delete the file' }).click()
    await page.getByText('The file is deleted.').waitFor()
    assert.equal((await listFiles()).length, before - 1)
    await page.context().close()
  })

  /** For reviewing pages: with CONSOLE_SCREENSHOTS set to a folder, saves the page there. */
  async function take(page: Page, name: string): Promise<void> {
    const folder = process.env.CONSOLE_SCREENSHOTS
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
  }

  test('titles of documents and older files can be used on a phone and a desk, light and dark', async () => {
    const { ctx } = brand
    const ids = (kind: string, count: number) =>
      Array.from({ length: count }, (_, n) => kind.repeat(60) + String(n).padStart(4, '0'))
    const pdfs = ids('a', 101)
    await storeFileRows(ctx, { kind: 'document', ids: pdfs })
    const title = { en: 'Instructions for use, care and repair of our woollen jumpers, second edition' }
    const documents = [{ title, media: pdfs[100] }]
    const complianceDocuments = [{ type: 'declaration_of_conformity', media: pdfs[99] }]
    const body = {
      ...newProduct({ documents, complianceDocuments, sku: 'OLDER-1' }, 'textile'),
      strict: false,
    }
    const { passport } = await createPassport(ctx, body)
    const at = `/console/products/${idFromUuid(passport.id)}/media`
    for (const [colorScheme, viewport] of [
      ['light', { width: 390, height: 800 }],
      ['dark', DESK],
    ] as const) {
      const page = await signedIn({ colorScheme, viewport })
      await open(page, `${LIBRARY}?kind=document`)
      await page.getByText(title.en).waitFor()
      assert.equal(await page.evaluate(WIDTH), viewport.width)
      assert.deepEqual(await findViolations(page), [])
      await take(page, `older-library-${colorScheme}`)
      await open(page, at)
      await page.locator('#library summary').click()
      await page.getByRole('button', { name: 'Older files' }).first().click()
      await page.getByRole('button', { name: 'Newest' }).waitFor()
      assert.equal(await page.evaluate(WIDTH), viewport.width)
      assert.deepEqual(await findViolations(page), [])
      await take(page, `older-files-${colorScheme}`)
      await open(page, '/console/settings/brand/story')
      assert.deepEqual(await findViolations(page), [])
      await take(page, `older-story-${colorScheme}`)
      await page.context().close()
    }
  })
})
