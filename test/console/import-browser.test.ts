/**
 * Tests the spreadsheet pages in a real browser: from upload to products, without axe violations, and no
 * wider than a phone.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { waitForImports } from '../../src/transfer/spreadsheets/import/run-import.ts'
import { IS_FULL } from '../full.ts'
import { findViolations, openBrowser, WIDTH, WITHOUT_CHROMIUM } from '../site/chromium.ts'
import { PASSWORD, type Stand, startStand } from './stand.ts'

const PORT = 45_871
const PHONE = { width: 390, height: 844 }
const DESK = { width: 1280, height: 900 }

const SHEET = [
  'Produktname;Artikelnummer;Marke;Sprachen;Rolle des Wirtschaftsakteurs;Firmenname;Wirtschaftsakteur Anschrift;economicOperator.country;Kontakt-E-Mail;Faserzusammensetzung;Herstellungsland;Pflegehinweise (de);Reparierbar;Ersatzteile erhältlich;Recyclinghinweise (de);Entsorgungshinweise (de);Preis',
  ...Array.from(
    { length: 30 },
    (_, n) =>
      `Jacke ${n};J-${n};Testmarke;de;Hersteller;Testmarke GmbH;Werkstraße 1;Deutschland;pass@testmarke.example;${n % 10 === 3 ? 'nur Wolle' : '100 % Wolle'};PT;Bei 30 °C;ja;nein;Sammelstelle;Nicht in den Hausmüll;19,90`,
  ),
].join('\r\n')

describe('spreadsheets in a browser', { skip: WITHOUT_CHROMIUM }, () => {
  let stand: Stand
  let browser: Browser
  const origin = `http://127.0.0.1:${PORT}`

  before(async () => {
    stand = await startStand(origin)
    await stand.app.listen({ port: PORT, host: '127.0.0.1' })
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await stand?.close()
  })

  /** Looks at the page in both sizes, and at its accessibility in one. */
  async function calm(page: Page, name: string): Promise<void> {
    assert.deepEqual(await findViolations(page), [], name)
    const own = page.viewportSize() ?? DESK
    for (const viewport of [own.width === PHONE.width ? DESK : PHONE, own]) {
      await page.setViewportSize(viewport)
      assert.ok(((await page.evaluate(WIDTH)) as number) <= viewport.width, `${name} is too wide`)
    }
  }

  // Each size and each language once; all pairs in a full run.
  for (const [size, viewport, own] of [
    ['phone', PHONE, 'de'],
    ['desk', DESK, 'en'],
  ] as const) {
    for (const locale of IS_FULL ? ['en', 'de'] : [own]) {
      test(`${size}, ${locale}: columns, check, import, failed rows, export`, async () => {
        const account = await stand.account({ plan: 'enterprise' })
        const context = await browser.newContext({ viewport, locale, bypassCSP: true })
        const page = await context.newPage()
        await page.goto(`${origin}/console/sign-in`)
        await page.fill('#email', await stand.person(account, 'editor'))
        await page.fill('#password', PASSWORD)
        await page.click('main button')
        await page.goto(`${origin}/console/import`)
        await calm(page, 'start')
        const file = { name: 'Produkte.csv', mimeType: 'text/csv', buffer: Buffer.from(SHEET) }
        await page.setInputFiles('#sheet', file)
        await page.click('#upload ~ form button')
        await calm(page, 'columns')
        await page.fill('input[name="c.4"]', 'economicOperator.role')
        await page.click('main form .choices button')
        await waitForImports(stand.sql)
        await page.waitForSelector('form[action$="/run"] button')
        await calm(page, 'checked')
        await page.click('form[action$="/run"] button')
        await waitForImports(stand.sql)
        await page.waitForSelector('a.button[href="/console/products"]')
        await calm(page, 'done')
        assert.deepEqual(await page.locator('.counts dd').allTextContents(), ['27', '0', '0', '3'])
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.click('a[href$="/errors?format=xlsx"]'),
        ])
        assert.match(download.suggestedFilename(), /^Produkte - .*\.xlsx$/)
        await page.goto(`${origin}/console/export`)
        await calm(page, 'export')
        await context.close()
      })
    }
  }

  for (const [size, viewport] of Object.entries(IS_FULL ? { phone: PHONE, desk: DESK } : { phone: PHONE })) {
    test(`${size}: a shop’s spreadsheet becomes products with values for all rows, and changes them after a confirmation`, async () => {
      const account = await stand.account({ plan: 'enterprise' })
      const context = await browser.newContext({ viewport, locale: 'en', bypassCSP: true })
      const page = await context.newPage()
      await page.goto(`${origin}/console/sign-in`)
      await page.fill('#email', await stand.person(account, 'editor'))
      await page.fill('#password', PASSWORD)
      await page.click('main button')
      const upload = async (text: string) => {
        await page.goto(`${origin}/console/import`)
        await page.setInputFiles('#sheet', {
          name: 'shop.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from(text),
        })
        await page.click('#upload ~ form button')
      }
      const shop =
        'product_number;name;tax_rate;manufacturer_name;weight\r\nSW-1;Pullover;19;Nord;0.62\r\nSW-2;Socke;19;Nord;0.08\r\n'
      await upload(shop)
      await calm(page, 'columns of a shop')
      const typed = {
        'k.economicOperator.legalName': 'Testmarke GmbH',
        'k.economicOperator.address': 'Werkstraße 1',
        'k.economicOperator.country': 'Germany',
        'k.economicOperator.contactEmail': 'pass@testmarke.example',
        'k.languages': 'en',
        'k.fiberComposition': '100 % wool',
        'k.countryOfManufacture': 'PT',
        'k.careInstructions': 'Wash at 30 °C.',
        'k.endOfLife.recyclingInstructions': 'Collection point',
        'k.endOfLife.disposalInstructions': 'Not in household waste',
      }
      for (const [name, value] of Object.entries(typed)) await page.fill(`[name="${name}"]`, value)
      await page.selectOption('[name="k.economicOperator.role"]', 'manufacturer')
      await page.selectOption('[name="k.repair.repairable"]', { label: 'yes' })
      await page.selectOption('[name="k.repair.sparePartsAvailable"]', { label: 'no' })
      await page.click('main form .choices button')
      // The shop's weights could be in kilograms or grams: the page asks, and keeps what was typed.
      await page.waitForSelector('[role="alert"] a[href="#u.4"]')
      await calm(page, 'unit asked')
      assert.equal(await page.inputValue('[name="k.careInstructions"]'), 'Wash at 30 °C.')
      await page.selectOption('[name="u.4"]', 'kg')
      await page.click('main form .choices button')
      await waitForImports(stand.sql)
      await page.waitForSelector('form[action$="/run"] button')
      assert.deepEqual(await page.locator('.counts dd').allTextContents(), ['2', '0', '0', '0'])
      await page.click('form[action$="/run"] button')
      await waitForImports(stand.sql)
      await page.waitForSelector('a.button[href="/console/products"]')

      await upload(shop.replace('0.62', '0.65'))
      await page.click('main form .choices button')
      await waitForImports(stand.sql)
      await page.waitForSelector('#changed')
      await calm(page, 'changes')
      assert.deepEqual(await page.locator('#changed ~ .scroll tbody td').allTextContents(), [
        '2',
        'Pullover',
        'Weight (g)',
        '620',
        '650',
      ])
      await page.click('form[action$="/run"] button')
      await page.waitForSelector('[role="alert"]')
      await calm(page, 'tick asked')
      await page.check('#confirm')
      await page.click('form[action$="/run"] button')
      await waitForImports(stand.sql)
      await page.waitForSelector('a.button[href="/console/products"]')
      assert.deepEqual(await page.locator('.counts dd').allTextContents(), ['0', '1', '1', '0'])

      await upload(`Products, May 2026\r\n${shop}SW-3;Scarf;19;Nord;0.2\r\nSW-4;#REF!;19;Nord;0.3\r\n`)
      await page.waitForSelector('#header')
      assert.equal(await page.inputValue('#header'), '2')
      await page.getByText('Company of your last import').waitFor()
      await calm(page, 'a header below a title, and an earlier company')
      await page.click('main form .choices button')
      await waitForImports(stand.sql)
      await page.waitForSelector('#bad')
      await page.getByText('error of the spreadsheet program').first().waitFor()
      await calm(page, 'damaged cells')
      await context.close()
    })
  }
})
