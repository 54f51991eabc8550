/** The pages about sheets in a real browser: from a file to products, nothing that axe objects to, nothing wider than a phone. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { importsEnded } from '../../src/transfer/import-job.ts'
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

describe('sheets in a browser', { skip: WITHOUT_CHROMIUM }, () => {
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

  async function calm(page: Page, name: string): Promise<void> {
    assert.deepEqual(await findViolations(page), [], name)
    assert.ok(
      ((await page.evaluate(WIDTH)) as number) <= (page.viewportSize()?.width ?? 0),
      `${name} is too wide`,
    )
  }

  for (const [size, viewport] of Object.entries({ phone: PHONE, desk: DESK })) {
    for (const locale of ['en', 'de']) {
      test(`${size}, ${locale}: columns, check, import, what is left over, export`, async () => {
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
        await importsEnded(stand.sql)
        await page.waitForSelector('form[action$="/run"] button')
        await calm(page, 'checked')
        await page.click('form[action$="/run"] button')
        await importsEnded(stand.sql)
        await page.waitForSelector('a.button[href="/console/products"]')
        await calm(page, 'done')
        assert.deepEqual(await page.locator('dd').allTextContents(), ['27', '0', '0', '3'])
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
})
