/**
 * Tests workflows with pictures and documents in Chromium, from the person who adds them to the reader who sees
 * them. The pages for files themselves are in media-browser.test.ts.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createRecord } from '../../src/passports/core/store-records.ts'
import { OFFER_STORE } from '../../src/passports/offers/store-offers.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { newProduct, type TestAccount } from '../harness.ts'
import { makeJpeg, makePdf, makePng } from '../media/sample-files.ts'
import { findViolations, OPEN_ALL, openBrowser, WITHOUT_CHROMIUM } from '../site/chromium.ts'
import { FULL } from '../site/passport-views.ts'
import { HANG_MS } from '../waiting.ts'
import { startWholeStand, type WholeStand } from './whole-stand.ts'

const DESK = { viewport: { width: 1280, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const LOADED = 'Array.from(document.images).every(one => one.complete && one.naturalWidth > 0)'

let browser: Browser
let stand: WholeStand
let brand: TestAccount
let storageState: Awaited<ReturnType<BrowserContext['storageState']>>
let file: Record<'front' | 'back' | 'pdf', Buffer>

const openContext = async (options: BrowserContextOptions): Promise<Page> => {
  const context = await browser.newContext({ locale: 'en-IE', bypassCSP: true, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(HANG_MS)
  return page
}
const asEditor = (options: BrowserContextOptions = DESK) => openContext({ ...options, storageState })
const asReader = (options: BrowserContextOptions = {}) => openContext({ ...PHONE, ...options })
const close = async (...pages: Page[]) => {
  for (const page of pages) await page.context().close()
}

type Product = { uuid: string; console: string; files: string; public: string }

const locate = (uuid: string): Product => {
  const at = `${stand.origin}/console/products/${idFromUuid(uuid)}`
  return { uuid, console: at, files: `${at}/media`, public: `${stand.origin}/p/${idFromUuid(uuid)}` }
}

async function make(data: Record<string, unknown> = {}): Promise<Product> {
  const product = newProduct({ languages: ['en', 'de'], ...data })
  return locate((await createPassport(brand.ctx, { ...product, strict: false })).passport.id)
}

async function issue(parentUuid: string, level: 'batch' | 'item', unit: object): Promise<Product> {
  const { created } = await issueUnits(brand.ctx, {
    parentUuid,
    level,
    units: [unit],
    bulk: false,
    strict: false,
  })
  return locate(created[0]?.passport.id ?? '')
}

const upload = async (type: string, text: Buffer): Promise<string> => {
  const headers = { 'content-type': type }
  const { json } = await stand.harness.ask('POST', '/api/v1/media', { key: brand.key, text, headers })
  return json.data.id
}

/** Asks the server, although a browser may keep a public page for a minute. */
const revisit = async (page: Page, address: string) => {
  await page.goto(address)
  await page.reload()
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).last().click()
const alt = (page: Page, row: number) => page.locator(`[name="d.pictures.${row}.alt.en"]`)
const choose = (page: Page, name: string, mimeType: string, buffer: Buffer, input = '#files') =>
  page.setInputFiles(input, { name, mimeType, buffer })

describe('journeys with pictures', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    browser = await openBrowser()
    stand = await startWholeStand()
    brand = await stand.harness.account({ plan: 'enterprise' })
    file = {
      front: await makeJpeg({ width: 480, height: 360 }),
      back: await makePng({ width: 330, height: 440 }),
      pdf: await makePdf('Test report'),
    }
    const { email, password } = await stand.person(brand, 'editor')
    const page = await openContext({})
    await page.goto(`${stand.origin}/console/sign-in`)
    await page.fill('#email', email)
    await page.fill('#password', password)
    await page.press('#password', 'Enter')
    await page.waitForURL(url => !url.pathname.includes('sign-in'))
    storageState = await page.context().storageState()
    await close(page)
  })
  after(async () => {
    await browser?.close()
    await stand?.close()
  })

  test('a picture dropped on a product stands beside its name for readers', async () => {
    const product = await make({ productName: 'Fisherman jumper' })
    const [editor, reader] = [await asEditor(), await asReader()]
    await reader.goto(product.public)
    assert.equal(await reader.locator('img').count(), 0)
    await editor.goto(product.files)
    await editor.evaluate(`(() => {
      const bytes = Uint8Array.from(atob('${file.front.toString('base64')}'), one => one.charCodeAt(0))
      const data = new DataTransfer()
      data.items.add(new File([bytes], 'front.jpg', { type: 'image/jpeg' }))
      for (const type of ['dragover', 'drop'])
        document.querySelector('.drop').dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
    })()`)
    await alt(editor, 0).fill('The jumper from the front')
    await press(editor, 'Save')
    await editor.getByText('Saved as version 2').waitFor()
    await revisit(reader, product.public)
    const picture = reader.locator('header').getByRole('img', { name: 'The jumper from the front' })
    assert.equal(await reader.evaluate(LOADED), true)
    const [name, box] = [await reader.locator('h1').boundingBox(), await picture.boundingBox()]
    assert.ok(name && box && box.y > name.y && box.y < 400, `${box?.y} px`)
    assert.equal(Math.round((box.width / box.height) * 100), 133)
    await close(editor, reader)
  })

  test('a phone takes a photograph for a product with its camera, in the console’s own words', async () => {
    const product = await make()
    const phone = await asEditor({ ...PHONE, javaScriptEnabled: false })
    await phone.goto(product.files)
    const camera = phone.getByLabel('Take a photo')
    assert.equal(await camera.getAttribute('capture'), 'environment')
    await choose(phone, 'IMG_0001.jpg', 'image/jpeg', file.front, '#camera')
    await press(phone, 'Upload and add')
    await alt(phone, 0).fill('Taken in the workshop')
    await press(phone, 'Save')
    await phone.getByText('Saved as version 2').waitFor()
    await phone.goto(product.public)
    await phone.getByRole('img', { name: 'Taken in the workshop' }).waitFor()
    await close(phone)
  })

  test('who sends a wrong file reads what to do, does it, and loses nothing typed', async () => {
    const product = await make()
    const phone = await asEditor({ ...PHONE, locale: 'de-DE' })
    await phone.goto(product.files)
    await choose(phone, 'vorn.jpg', 'image/jpeg', file.front)
    await alt(phone, 0).fill('From the front')
    await choose(
      phone,
      'hinten.svg',
      'image/svg+xml',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    )
    await phone.locator('.sent li', { hasText: /hinten\.svg.*JPEG/s }).waitFor()
    assert.deepEqual(await findViolations(phone), [])
    await choose(phone, 'hinten.png', 'image/png', file.back)
    await alt(phone, 1).fill('From the back')
    assert.equal(await alt(phone, 0).inputValue(), 'From the front')
    await press(phone, 'Speichern')
    await phone.getByText('Als Version 2 gespeichert').waitFor()
    await close(phone)
  })

  test('a document for authorities opens with their link, until that is revoked, and for nobody else', async () => {
    const product = await make()
    const [editor, officer, reader] = [
      await asEditor(),
      await asReader({ locale: 'de-DE' }),
      await asReader(),
    ]
    await editor.goto(product.files)
    await choose(editor, 'Test_report.pdf', 'application/pdf', file.pdf)
    await editor.getByLabel('For whom').selectOption('authority')
    await press(editor, 'Save')
    await editor.getByText('Saved as version 2').waitFor()
    await editor.goto(product.console)
    await editor.getByRole('link', { name: 'Create an access link for somebody else' }).click()
    await editor.getByLabel('Recipient').fill('Customs')
    await editor.getByLabel('Access level').selectOption({ label: 'Authority' })
    await press(editor, 'Create the link')
    const link = await editor.getByLabel('Link', { exact: true }).inputValue()

    await officer.goto(link)
    const document = officer.getByRole('link', { name: 'Test report' })
    const address = new URL((await document.getAttribute('href')) ?? '', officer.url()).href
    await officer.getByText('nicht öffentlich').first().waitFor()
    const fetchIt = `fetch('${address}', { cache: 'no-store' }).then(async one => one.status + (await one.text()).slice(0, 4))`
    assert.equal(await officer.evaluate(fetchIt), '200%PDF')
    await reader.goto(product.public)
    await reader.evaluate(OPEN_ALL)
    assert.equal(await reader.getByText('Test report').count(), 0)
    assert.match(String(await reader.evaluate(fetchIt)), /^404/)

    await editor.getByRole('link', { name: 'I have saved it. Back to the links' }).click()
    await editor.getByRole('link', { name: 'Revoke Customs' }).click()
    await press(editor, 'Revoke')
    await editor.getByText('No access links are in use.').waitFor()
    assert.match(String(await officer.evaluate(fetchIt)), /^404/)
    await close(editor, officer, reader)
  })

  test('a replaced picture is gone from the page, and stays in the version that showed it', async () => {
    const media = await upload('image/jpeg', file.front)
    const product = await make({ pictures: [{ media, alt: { en: 'The old one' } }] })
    const [editor, reader] = [await asEditor(), await asReader()]
    await editor.goto(product.files)
    await choose(editor, 'new.png', 'image/png', file.back)
    await alt(editor, 1).fill('The new one')
    await press(editor, 'Remove 1')
    await press(editor, 'Save')
    await editor.getByText('Saved as version 2').waitFor()
    await reader.goto(product.public)
    assert.deepEqual(await reader.evaluate('Array.from(document.images, one => one.alt)'), ['The new one'])
    await reader.evaluate(OPEN_ALL)
    assert.match(await reader.locator('#history').innerText(), /Change: Pictures/)
    await reader.getByRole('link', { name: 'Version 1' }).click()
    await reader.getByRole('img', { name: 'The old one' }).waitFor()
    assert.equal(await reader.evaluate(LOADED), true)
    await close(editor, reader)
  })

  test('an edit in the product’s form keeps pictures, their words and documents', async () => {
    const media = await upload('image/jpeg', file.front)
    const pictures = [{ media, alt: { en: 'Blue', fi: 'Sininen' }, caption: { en: 'In blue' } }]
    const documents = [
      { title: { en: 'Booklet' }, media: await upload('application/pdf', file.pdf), access: 'authority' },
    ]
    const product = await make({ pictures, documents })
    const editor = await asEditor()
    await editor.goto(`${product.console}/edit`)
    await editor.getByLabel('Product name').fill('Renamed')
    await press(editor, 'Save')
    await editor.getByText('Saved as version 2').waitFor()
    const path = `/api/v1/products/${idFromUuid(product.uuid)}`
    const { json } = await stand.harness.ask('GET', path, { key: brand.key })
    const { data } = json.data
    assert.deepEqual([data.productName, data.pictures, data.documents], ['Renamed', pictures, documents])
    await close(editor)
  })

  test('a recalled batch says so first on its items’ pages, and on no other; until it ends', async () => {
    const media = await upload('image/jpeg', file.front)
    const model = await make({ pictures: [{ media, alt: { en: 'The jumper' } }] })
    const [bad, good] = [
      await issue(model.uuid, 'batch', { lot: 'A' }),
      await issue(model.uuid, 'batch', { lot: 'B' }),
    ]
    const [item, other] = [
      await issue(bad.uuid, 'item', { serial: 'A1' }),
      await issue(good.uuid, 'item', { serial: 'B1' }),
    ]
    const [editor, reader] = [await asEditor(), await asReader({ locale: 'de-DE' })]
    await editor.goto(`${bad.console}/recall`)
    await editor.locator('[id="hazard.en"]').fill('The zip can break.')
    await editor.locator('[id="action.en"]').fill('Bring it back.')
    await editor.getByText('Other languages of the product').click()
    await editor.locator('[id="hazard.de"]').fill('Der Reißverschluss kann brechen.')
    await editor.locator('[id="action.de"]').fill('Bitte zurückbringen.')
    await press(editor, 'Check and preview')
    await editor.locator('button[value="publish"]').click()
    await editor.getByText('The recall is published.').waitFor()
    await reader.goto(item.public)
    const notice = reader.getByRole('region', { name: 'Rückruf' })
    assert.match(await notice.innerText(), /Der Reißverschluss kann brechen\./)
    const [top, picture] = [await notice.boundingBox(), await reader.locator('header img').boundingBox()]
    assert.ok(top && picture && top.y < 100 && top.y < picture.y)
    assert.deepEqual(await findViolations(reader), [])
    for (const { public: address } of [other, model]) {
      await reader.goto(address)
      assert.equal(await notice.count(), 0)
    }
    await editor.goto(`${bad.console}/recall/end`)
    await editor.locator('main form button').last().click()
    await editor.waitForURL(/\/recall\?/)
    // The server may show an item's page from memory for a second after its batch changed.
    const deadline = Date.now() + 5_000
    do {
      await revisit(reader, item.public)
    } while ((await notice.count()) > 0 && Date.now() < deadline)
    assert.equal(await notice.count(), 0)
    await close(editor, reader)
  })

  test('readers in France and Germany find the workshop of their own country first', async () => {
    const offer = { kind: 'repair', url: 'https://workshop.example/' } as const
    await createRecord(brand.ctx, OFFER_STORE, { ...offer, title: { en: 'Atelier Lyon' }, countries: ['FR'] })
    await createRecord(brand.ctx, OFFER_STORE, {
      ...offer,
      title: { en: 'Werkstatt Köln' },
      countries: ['DE'],
    })
    const product = await make({ productName: 'Mended jumper' })
    for (const [locale, own, foreign] of [
      ['fr-FR', 'Atelier Lyon', 'Werkstatt Köln'],
      ['de-DE', 'Werkstatt Köln', 'Atelier Lyon'],
    ] as const) {
      const reader = await asReader({ locale })
      await reader.goto(product.public)
      const workshop = reader.getByRole('link', { name: own })
      assert.ok(await workshop.isVisible(), locale)
      assert.ok(Number((await workshop.boundingBox())?.y) < 2 * PHONE.viewport.height)
      assert.equal(await reader.getByRole('link', { name: foreign }).isVisible(), false)
      await reader.locator('#actions summary').click()
      assert.ok(await reader.getByRole('link', { name: foreign }).isVisible())
      assert.deepEqual(await findViolations(reader), [])
      await close(reader)
    }
  })

  test('the badge on a shop’s page leads to the passport with its picture', async () => {
    const media = await upload('image/jpeg', file.front)
    const product = await make({ pictures: [{ media, alt: { en: 'The jumper' } }] })
    const shop = await asReader()
    await shop.setContent(
      `<a href="${product.public}"><img src="${product.public}/badge.svg?lang=en" alt="Digital product passport" height="48"></a>`,
    )
    await shop.waitForFunction(LOADED)
    await shop.getByRole('link', { name: 'Digital product passport' }).click()
    await shop.getByRole('img', { name: 'The jumper' }).waitFor()
    assert.deepEqual(await shop.context().cookies(), [])
    await close(shop)
  })

  for (const category of ['textile', 'battery', 'furniture'] as const) {
    test(`five questions about a ${category} are answered without script and pictures, where a reader looks`, async () => {
      const media = await upload('image/jpeg', file.front)
      const { gtin: _, economicOperator: __, ...full } = FULL[category]
      const take = { kind: 'take_back', url: 'https://shop.example/' } as const
      await createRecord(brand.ctx, OFFER_STORE, {
        ...take,
        category,
        title: { en: `Bring the ${category} here` },
      })
      const data = { ...full, pictures: [{ media, alt: { en: 'From the front' } }] }
      const body = { ...newProduct(data, category), strict: false }
      const product = locate((await createPassport(brand.ctx, body)).passport.id)
      const reader = await asReader({ javaScriptEnabled: false })
      await reader.route('**/m/**', route => route.abort())
      await reader.goto(`${product.public}?lang=en`)
      const screens = async (locator: ReturnType<Page['locator']>) => {
        assert.ok(await locator.first().isVisible(), String(locator))
        return Number((await locator.first().boundingBox())?.y) / PHONE.viewport.height
      }
      const fact = (name: string) => reader.locator('.facts dt', { hasText: name })
      assert.ok((await screens(fact('Made of'))) < 1)
      assert.ok((await screens(fact('Made in'))) < 1)
      assert.ok((await screens(reader.getByRole('link', { name: `Bring the ${category} here` }))) < 2)
      assert.ok(await reader.getByRole('heading', { name: 'Who answers for it' }).isVisible())
      const answerable = reader.locator('.up').getByRole('link', { name: 'Who answers for it' })
      assert.ok((await screens(answerable)) < 1.3)
      await answerable.click()
      const top = (await reader.getByText('Legal name').boundingBox())?.y ?? -1
      assert.ok(top > 0 && top < PHONE.viewport.height, `${top} px`)
      const how = fact('Repairable').locator('+ dd a')
      if ((await how.count()) > 0) {
        assert.ok((await screens(how)) < 1.2)
        const section = reader.locator(String(await how.getAttribute('href')))
        await how.click()
        assert.ok(await section.isVisible())
      } else assert.equal(category, 'battery')
      await close(reader)
    })
  }
})
