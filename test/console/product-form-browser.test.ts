/**
 * Tests the product form in Chromium, by keyboard and without a script: no input is lost, and a button's
 * result is in view.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { idFromUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { updatePassport } from '../../src/passports/write/update.ts'
import { IS_FULL } from '../full.ts'
import { CORES, type TestAccount } from '../harness.ts'
import { findViolations, OPEN_ALL, openBrowser, WIDTH, WITHOUT_CHROMIUM } from '../site/chromium.ts'
import { FULL } from '../site/passport-views.ts'
import { HANG_MS } from '../waiting.ts'
import { startWholeStand, type WholeStand } from './whole-stand.ts'

const STOPS_MAX = 200
const PAGE_BYTES_MAX = 100_000
const ADDRESS = 'Weg 1\n89073 Ulm\nGermany'
const DESK = { width: 1200, height: 800 }
const PHONE = { width: 390, height: 600 }
const WITHOUT_SCRIPT = { javaScriptEnabled: false }

let browser: Browser
let stand: WholeStand
let brand: TestAccount
let who: { email: string; password: string }
/** The session of one sign-in. */
let storageState: Awaited<ReturnType<BrowserContext['storageState']>>

/**
 * Describes the focused element, and whether a line of it is visible above the bar. Runs inside the page as a
 * string, because the tests are compiled without DOM types.
 */
const FOCUSED = `(() => {
  const one = document.activeElement
  const { top, bottom } = one.getBoundingClientRect()
  const bar = document.querySelector('.sticky')
  const end = bar && !bar.contains(one) && getComputedStyle(bar).position === 'sticky'
    ? bar.getBoundingClientRect().top : Infinity
  return { id: one.id, name: one.name ?? '', tag: one.tagName, isInSight: Math.min(bottom, top + 44) <= end + 1 && bottom > 0 }
})()`
type Focused = { id: string; name: string; tag: string; isInSight: boolean }
const focused = async (page: Page) => (await page.evaluate(FOCUSED)) as Focused

describe('the product form in a browser', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    browser = await openBrowser()
    stand = await startWholeStand()
    brand = await stand.harness.account({ plan: 'enterprise' })
    who = await stand.person(brand, 'editor')
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${stand.origin}/console/sign-in`)
    await signIn(page)
    storageState = await context.storageState()
    await context.close()
  })
  after(async () => {
    await browser?.close()
    await stand?.close()
  })

  const signedIn = async (settings: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ storageState, viewport: DESK, locale: 'en-IE', ...settings })
    const page = await context.newPage()
    page.setDefaultTimeout(HANG_MS)
    return page
  }
  const signIn = async (page: Page) => {
    await page.fill('#email', who.email)
    await page.fill('#password', who.password)
    await page.press('#password', 'Enter')
    await page.waitForURL(url => !url.pathname.includes('sign-in'))
  }
  const openNew = (page: Page, category = 'textile') =>
    page.goto(`${stand.origin}/console/products/new?category=${category}`)
  const input = (page: Page, name: string) => page.locator(`[name="${name}"]`)

  const made = async (category: keyof typeof CORES, data: Record<string, unknown> = {}) => {
    const all = { ...CORES[category], ...data }
    const { passport } = await createPassport(brand.ctx, { category, data: all, strict: false })
    return idFromUuid(passport.id)
  }
  const issued = async (id: string) => {
    const [parentUuid, unit] = [parseId(id) ?? '', { serial: 'S-1', data: { productName: 'One of a kind' } }]
    const wish = { parentUuid, level: 'item' as const, units: [unit], bulk: false, strict: false }
    const { created } = await issueUnits(brand.ctx, wish)
    return idFromUuid(created[0]?.passport.id ?? '')
  }
  const openEdit = (page: Page, id: string) => page.goto(`${stand.origin}/console/products/${id}/edit`)
  const stored = async (id: string) => {
    const answer = await stand.harness.ask('GET', `/api/v1/products/${id}`, { key: brand.key })
    return answer.json.data as { data: Record<string, unknown>; version: number }
  }
  /** The product's page has this button, its form does not. */
  const saved = (page: Page) => page.getByRole('button', { name: /^(Archive|Archivieren)$/ }).waitFor()
  const save = async (page: Page) => {
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await saved(page)
  }

  test('saving changes only what was edited: no line breaks, spaces, numbers or other languages', async () => {
    const before = {
      ...FULL.textile,
      gtin: undefined,
      productName: ' Jumper\twith a tab ',
      brandName: 'Two\nlines',
      economicOperator: { ...(FULL.textile.economicOperator as object), address: ADDRESS },
      careInstructions: { en: '\n Wash.\n\nDry.\n', fr: 'Laver ' },
      supplyChainStages: [
        { stage: 'spinning', country: 'TR', facilityName: 'Mill\nEast ' },
        { stage: 'assembly', country: 'PT' },
      ],
      carbonFootprint: 0.000_000_15,
      weightGrams: 1234.567,
    }
    const id = await made('textile', before)
    const as = (await stored(id)).data
    for (const settings of [{ locale: 'en-IE' }, { locale: 'de-DE', ...WITHOUT_SCRIPT }]) {
      const page = await signedIn(settings)
      await openEdit(page, id)
      const sku = `S-${settings.locale}`
      await input(page, 'd.sku').fill(sku)
      await page.locator('.sticky button').first().click()
      await saved(page)
      const now = await stored(id)
      assert.deepEqual(now.data, { ...as, sku })
      const { json } = await stand.harness.ask('GET', `/api/v1/products/${id}/versions`, { key: brand.key })
      assert.deepEqual(json.data[0].changed, ['sku'])
      await page.context().close()
    }
    const page = await signedIn()
    await openEdit(page, id)
    const address = input(page, 'd.economicOperator.address')
    assert.equal(await address.inputValue(), ADDRESS)
    await address.press('ControlOrMeta+End')
    await address.pressSequentially('\nEurope')
    await save(page)
    const operator = (await stored(id)).data.economicOperator as { address: string }
    assert.equal(operator.address, `${ADDRESS}\nEurope`)
    await page.context().close()
  })

  test('the Enter key saves, and removes no row', async () => {
    const page = await signedIn(WITHOUT_SCRIPT)
    await openNew(page)
    await input(page, 'd.fiberComposition.0.fiber').fill('linen')
    await input(page, 'd.fiberComposition.0.percentage').fill('60')
    await page.getByRole('button', { name: 'Add a row' }).first().click()
    await input(page, 'd.fiberComposition.1.fiber').fill('cotton')
    await input(page, 'd.fiberComposition.1.percentage').fill('40')
    await input(page, 'd.productName').fill('Scarf')
    await input(page, 'd.productName').press('Enter')
    await page.getByRole('alert').waitFor()
    assert.equal(await input(page, 'd.fiberComposition.0.fiber').inputValue(), 'linen')
    assert.equal(await input(page, 'd.fiberComposition.1.fiber').inputValue(), 'cotton')
    const ids = { textile: await made('textile'), battery: await made('battery') }
    for (const id of Object.values(ids)) {
      await openEdit(page, id)
      await input(page, 'd.productName').fill('By Enter')
      await page.locator('#note').fill('Renamed')
      await page.locator('#note').press('Enter')
      await saved(page)
      assert.equal((await stored(id)).data.productName, 'By Enter')
    }
    await page.goto(`${stand.origin}/console/settings/brand`)
    await page.locator('#name').fill('Nordmoor')
    await page.locator('#name').press('Enter')
    await page.getByText('Saved').waitFor()
    assert.equal(await page.locator('#name').inputValue(), 'Nordmoor')
    await page.context().close()
  })

  for (const settings of [{}, WITHOUT_SCRIPT]) {
    const how = 'javaScriptEnabled' in settings ? 'without a script' : 'with scripts'
    test(`focus moves to a new row, to the row after a removed one, and to the result of a check, ${how}`, async () => {
      const page = await signedIn(settings)
      await openNew(page)
      const add = page.getByRole('button', { name: 'Add a row' }).first()
      await add.click()
      await input(page, 'd.fiberComposition.1.fiber').waitFor()
      assert.deepEqual(await focused(page), {
        id: 'd.fiberComposition.1',
        name: '',
        tag: 'FIELDSET',
        isInSight: true,
      })
      await page.keyboard.press('Tab')
      assert.equal((await focused(page)).id, 'd.fiberComposition.1.fiber')
      await page.keyboard.type('silk')
      await page.locator('button[value="d.fiberComposition.0"]').click()
      await page.waitForURL(/#d\.fiberComposition\.0$/)
      assert.equal(await input(page, 'd.fiberComposition.0.fiber').inputValue(), 'silk')
      assert.ok((await focused(page)).isInSight)
      await page.getByRole('button', { name: 'Add a language' }).click()
      await page.getByLabel('Another language').waitFor()
      assert.match((await focused(page)).id, /^d\.languages\.[12]$/)
      await page.keyboard.type('Griechisch')
      await page.getByRole('button', { name: 'Show the fields' }).click()
      await page.locator('[id="d.careInstructions.el"]').waitFor({ state: 'attached' })
      assert.equal(await page.getByText('Greek', { exact: true }).first().isVisible(), true)

      const id = await made('textile')
      await issued(id)
      await openEdit(page, id)
      await input(page, 'd.sku').fill('S-1')
      await page.getByRole('button', { name: 'Save' }).last().click()
      await page.getByLabel('A correction').waitFor()
      assert.equal((await stored(id)).data.sku, CORES.textile.sku)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').waitFor()
      assert.equal((await focused(page)).tag, 'DIV')
      await page.getByRole('button', { name: 'Back to editing' }).click()
      assert.equal(await input(page, 'd.sku').inputValue(), 'S-1')
      await input(page, 'd.sku').fill('')
      await page.getByRole('button', { name: 'Save' }).last().click()
      await page.getByRole('alert').waitFor()
      await page.context().close()
    })
  }

  test('the focused element is not covered by the bar at the bottom, on desktop and phone', async () => {
    const id = await made('battery', { ...FULL.battery, gtin: undefined })
    const page = await signedIn({ locale: 'de-DE' })
    const paths = ['new?category=textile', 'new?category=furniture', `${id}/edit`]
    const visits = [DESK, PHONE, { width: 320, height: 256 }].flatMap((viewport, v) =>
      paths.filter((_, p) => IS_FULL || p === v).map(path => ({ viewport, path })),
    )
    for (const { viewport, path } of visits) {
      await page.setViewportSize(viewport)
      await page.goto(`${stand.origin}/console/products/${path}`)
      await page.evaluate(OPEN_ALL)
      const { steps, hidden } = await stepThrough(page)
      assert.ok(steps > 25, `${steps} stops`)
      assert.deepEqual(hidden, [], `${path} at ${viewport.width} × ${viewport.height}`)
    }
    await page.context().close()
  })

  test('a form sent after the session has ended can be sent again after signing in', async () => {
    for (const settings of [{}, WITHOUT_SCRIPT]) {
      const page = await signedIn(settings)
      await openNew(page, 'furniture')
      await input(page, 'd.productName').fill('Chair <b>')
      await input(page, 'd.economicOperator.address').fill(ADDRESS)
      await page.context().clearCookies()
      await page.getByRole('button', { name: 'Create the product' }).click()
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
      const [tab] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('link', { name: 'Sign in (new tab)' }).click(),
      ])
      await tab.getByText('Sign in to open the page').waitFor()
      await signIn(tab)
      await tab.getByRole('heading', { name: /^(New product: Furniture|Products)$/ }).waitFor()
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByRole('alert').waitFor()
      assert.equal(await input(page, 'd.productName').inputValue(), 'Chair <b>')
      assert.equal(await input(page, 'd.economicOperator.address').inputValue(), ADDRESS)
      await page.context().close()
    }
  })

  test('numbers are shown in the format of the language, and ambiguous ones are asked about', async () => {
    const id = await made('battery', { ...FULL.battery, gtin: undefined, weightKg: 12.5, energyWh: 1234.5 })
    const page = await signedIn({ locale: 'de-DE' })
    await page.goto(`${stand.origin}/console/products/${id}`)
    await page.getByText('12,5\u00a0kg', { exact: true }).waitFor()
    await page.getByText('1.234,5\u00a0Wh', { exact: true }).waitFor()
    await openEdit(page, id)
    assert.equal(await input(page, 'd.energyWh').inputValue(), '1234,5')
    const typed = {
      'd.energyWh': '1.234',
      'd.weightKg': '1e400',
      'd.ratedCapacity': '10,5 Ah',
      'd.manufacturingDate': '15.03.2025',
      'd.gtin': '9521 0013 0259 3',
    }
    for (const [name, text] of Object.entries(typed)) await input(page, name).fill(text)
    await page.keyboard.press('Enter')
    const told = page.getByRole('alert')
    await told.getByText('1.234 kann 1234 oder 1,234 heißen').waitFor()
    await told.getByText('Ist für eine Zahl zu groß').waitFor()
    assert.equal(await told.getByRole('listitem').count(), 2)
    for (const [name, text] of Object.entries(typed)) {
      assert.equal(await input(page, name).inputValue(), text)
    }
    await input(page, 'd.energyWh').fill('1.234,0')
    await input(page, 'd.weightKg').fill('12,25 kg')
    await page.keyboard.press('Enter')
    await saved(page)
    const { data } = await stored(id)
    assert.deepEqual(
      [data.energyWh, data.weightKg, data.ratedCapacity, data.manufacturingDate, data.gtin],
      [1234, 12.25, 10.5, '2025-03-15', '9521001302593'],
    )
    await page.context().close()
  })

  for (const [locale, colorScheme] of [
    ['en-IE', 'light'],
    ['de-DE', 'dark'],
  ] as const) {
    test(`axe finds no fault in ${locale}, ${colorScheme}; at 390 px nothing overflows; 100 kB at most`, async () => {
      const page = await signedIn({ locale, colorScheme, bypassCSP: true })
      for (const category of ['textile', 'battery', 'furniture'] as const) {
        const id = await made(category, { ...FULL[category], gtin: undefined })
        const unit = await issued(id)
        for (const path of [`new?category=${category}`, `${id}/edit`, `${unit}/edit?unit`]) {
          const answer = await page.goto(`${stand.origin}/console/products/${path}`)
          const bytes = (await answer?.body())?.length ?? 0
          assert.ok(bytes > 10_000 && bytes <= PAGE_BYTES_MAX, `${path}: ${bytes} bytes`)
          // The other forms have the same elements: a full run applies all rules to them in German, too.
          const rules = IS_FULL || locale === 'en-IE' || category === 'textile' ? 'all' : 'colours'
          await looksRight(page, `${category}-${path.replace(/^.*[/?]/, '')}-${locale}`, rules)
        }
      }
      await page.context().close()
    })
  }

  /** Tabs through the page. Returns the number of stops and those that the bar hides. */
  const stepThrough = async (page: Page) => {
    const hidden: string[] = []
    for (let steps = 0; ; steps++) {
      await page.keyboard.press('Tab')
      const { tag, name, isInSight } = await focused(page)
      if (tag === 'BODY' || steps === STOPS_MAX) return { steps, hidden }
      if (!isInSight) hidden.push(`${tag} ${name}`)
    }
  }

  const looksRight = async (page: Page, name: string, rules: 'all' | 'colours') => {
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await take(page, `${name}-${width}`)
      assert.ok(Number(await page.evaluate(WIDTH)) <= width, `${name} at ${width}`)
    }
    assert.deepEqual(await findViolations(page, rules), [], name)
  }

  /** For reviewing the form: with CONSOLE_SCREENSHOTS set to a folder, saves a screenshot there. */
  async function take(page: Page, name: string): Promise<void> {
    const folder = process.env.CONSOLE_SCREENSHOTS
    if (folder !== undefined) await page.screenshot({ path: `${folder}/form-${name}.png`, fullPage: true })
  }

  test('unsaved input is offered again for the version it began with, and is deleted after saving or signing out', async () => {
    const id = await made('textile', { weightGrams: 100 })
    const page = await signedIn()
    const asked: string[] = []
    page.on('dialog', dialog => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    const offer = page.getByText('You have unsaved changes from')
    const drafts = () => page.evaluate('Object.keys(localStorage).length')

    await openEdit(page, id)
    await page.getByRole('link', { name: 'Scans' }).first().click()
    await page.waitForURL(/scans/)
    assert.deepEqual(asked, [], 'nothing typed, nothing asked')
    await openEdit(page, id)
    await input(page, 'd.productName').fill('Typed and left')
    await page.locator('button[value="d.fiberComposition"]').click()
    await input(page, 'd.fiberComposition.2.fiber').fill('silk')
    await page.getByRole('link', { name: 'Scans' }).first().click()
    await page.waitForURL(/scans/)
    assert.deepEqual(asked, ['beforeunload'])

    await openEdit(page, id)
    await offer.waitFor()
    assert.deepEqual(await findViolations(page), [])
    assert.notEqual(await input(page, 'd.productName').inputValue(), 'Typed and left')
    await page.getByRole('button', { name: 'Restore them' }).click()
    await input(page, 'd.fiberComposition.2.fiber').waitFor()
    assert.equal(await input(page, 'd.fiberComposition.2.fiber').inputValue(), 'silk')
    assert.equal(await input(page, 'd.productName').inputValue(), 'Typed and left')
    assert.equal(await offer.count(), 0)

    await input(page, 'd.fiberComposition.0.percentage').fill('50')
    await input(page, 'd.fiberComposition.2.percentage').fill('10')
    const change = { uuid: parseId(id) ?? '', data: { brandName: 'Nordmoor' }, note: undefined }
    const more = { changeType: 'change' as const, strict: false, expects: () => true }
    await updatePassport(brand.ctx, { ...change, ...more })
    await page.goto(`${stand.origin}/console/products`)
    await openEdit(page, id)
    await page.getByRole('button', { name: 'Restore them' }).click()
    await input(page, 'd.fiberComposition.2.fiber').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Somebody else saved this product while you were editing.').waitFor()
    assert.equal(await input(page, 'd.brandName').inputValue(), 'Nordmoor')
    await save(page)
    assert.equal((await stored(id)).data.productName, 'Typed and left')
    assert.equal(await drafts(), 0)

    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await input(page, 'd.productName').fill('Not to be kept')
    await page.goBack()
    await saved(page)
    assert.equal(await drafts(), 1, 'the page after a save, seen again, ends no newer draft')
    await openEdit(page, id)
    await page.getByRole('button', { name: 'Discard them' }).click()
    assert.equal(await drafts(), 0)

    await openNew(page)
    await input(page, 'd.productName').fill('Begun')
    await openNew(page)
    await offer.waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(/sign-in/)
    assert.equal(await drafts(), 0)
    await page.context().close()
    const next = await browser.newContext()
    const again = await next.newPage()
    await again.goto(`${stand.origin}/console/sign-in`)
    await signIn(again)
    storageState = await next.storageState()
    await next.close()
  })
})
