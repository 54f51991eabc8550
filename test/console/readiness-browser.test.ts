/**
 * Tests in Chromium how a gap is filled: product, Readiness, Fill in, type, save, and the percentage grew.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { nextGtin, type TestAccount } from '../harness.ts'
import examples from '../readiness/examples.json' with { type: 'json' }
import { findViolations, openBrowser, WIDTH, WITHOUT_CHROMIUM } from '../site/chromium.ts'
import { HANG_MS } from '../waiting.ts'
import { startWholeStand, type WholeStand } from './whole-stand.ts'

const PHONE = { width: 390, height: 844 }
const DESK = { width: 1280, height: 900 }

/** The values that a newcomer types, chooses (lists) or ticks. */
const NEWCOMER: Readonly<Record<string, string | string[] | true>> = {
  'extinguishingAgents.0': ['water'],
  'labels.0.symbol': ['separate_collection'],
  'safetyMeasures.en': 'Keep away from water.',
  minimumVoltage: '44.8',
  maximumVoltage: '57.6',
  originalPowerCapability: '5000',
  'powerLimits.maximumDischargePower': '5000',
  lifetimeReferenceTest: 'IEC 62620',
  'storageTemperatureRange.minimum': '-10',
  'storageTemperatureRange.maximum': '45',
  'storageTemperatureRange.referenceTest': 'IEC 62619',
  'initialInternalResistance.cell': '0.001',
  'initialInternalResistance.pack': '0.02',
  'cycleLifeTestCRate.charge': '0.5',
  'criticalRawMaterials.@none': true,
  renewableContentPercentage: '0',
  'detailedComposition.0.component': ['cathode'],
  'detailedComposition.0.material': 'LFP',
  'detailedComposition.1.component': ['anode'],
  'detailedComposition.1.material': 'Graphite',
  'detailedComposition.2.component': ['electrolyte'],
  'detailedComposition.2.material': 'LiPF6',
  'spareParts.0.name': 'Fuse',
  'spareParts.0.partNumber': 'F-1',
  'sparePartSources.0.name': 'Parts Ltd',
  'sparePartSources.0.email': 'parts@parts.example',
  'dismantling.manualUrl': 'https://brand.example/manual.pdf',
  'dismantling.cellCount': '16',
  'dismantling.cellLayout': '16s1p',
  'wasteInformation.prevention.en': 'Charge it gently.',
  'wasteInformation.separateCollection.en': 'Collect it separately.',
  'wasteInformation.takeBack.en': 'We take it back.',
  'wasteInformation.safeHandling.en': 'Do not open it.',
  'wasteInformation.labelMeanings.en': 'The bin: not into household waste.',
  'wasteInformation.substanceImpact.en': 'Its electrolyte harms water.',
  'authorityDocuments.0.type': 'Test report',
}

let browser: Browser
let stand: WholeStand
let brand: TestAccount
let who: { email: string; password: string }
let made = 0

describe('readiness in a browser', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    browser = await openBrowser()
    stand = await startWholeStand()
    brand = await stand.harness.account({ plan: 'enterprise' })
    who = await stand.person(brand, 'editor')
  })
  after(async () => {
    await browser?.close()
    await stand?.close()
  })

  async function make(): Promise<string> {
    const { data } = examples.examples.find(({ name }) => name === 'battery-model') ?? assert.fail()
    const own = { gtin: nextGtin(), sku: `B-${++made}` }
    const product = { category: 'battery', data: { ...data, ...own }, strict: false }
    const { passport } = await createPassport(brand.ctx, product)
    return `${stand.origin}/console/products/${idFromUuid(passport.id)}`
  }

  async function signIn(settings: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-IE', bypassCSP: true, ...settings })
    const page = await context.newPage()
    page.setDefaultTimeout(HANG_MS)
    await page.goto(`${stand.origin}/console/sign-in`)
    await page.fill('#email', who.email)
    await page.fill('#password', who.password)
    await page.press('#password', 'Enter')
    await page.waitForURL(url => !url.pathname.includes('sign-in'))
    return page
  }

  const section = (page: Page) => page.locator('section[aria-labelledby="readiness"]')

  for (const [how, settings] of [
    ['on a phone', { viewport: PHONE }],
    ['on a desktop without a script', { viewport: DESK, javaScriptEnabled: false }],
  ] as const) {
    test(`a gap is filled from the page of readiness, ${how}`, async () => {
      const page = await signIn(settings)
      await page.goto(await make())
      assert.match((await section(page).textContent()) ?? '', /13 of 32, 40%/)
      await section(page).getByRole('link', { name: 'Battery passport' }).click()
      await page.locator('[id="batt.26"]').getByRole('link', { name: 'Fill in' }).click()
      for (const name of ['minimumVoltage', 'maximumVoltage']) {
        const typed = page.locator(`[name="d.${name}"]`)
        if (!(await typed.isVisible())) await page.locator(`details:has(> #${name}) > summary`).click()
        await typed.fill(name === 'minimumVoltage' ? '44.8' : '57.6')
      }
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved as version 2').waitFor()
      assert.match((await page.locator('.amount').first().textContent()) ?? '', /15 of 32, 46%/)
      await page.context().close()
    })
  }

  test('a newcomer takes a battery from 40 % to all that is due with four clicks', async () => {
    const page = await signIn({ viewport: PHONE })
    await page.goto(await make())
    let clicks = 0
    const click = async (one: Locator) => {
      clicks++
      await one.click()
    }
    await click(section(page).getByRole('link', { name: 'Battery passport' }))
    await click(page.getByRole('link', { name: 'Fill in 19 gaps' }))
    for (const [name, value] of Object.entries(NEWCOMER)) {
      const input = page.locator(`[name="d.${name}"]:not([type="hidden"])`)
      if (value === true) await click(input)
      else if (typeof value === 'string') await input.fill(value)
      else await input.selectOption(value)
    }
    await click(page.getByRole('button', { name: 'Save', exact: true }))
    await page.getByText('Saved as version 2').waitFor()
    assert.match((await page.locator('.amount').first().textContent()) ?? '', /34 of 34, 100%/)
    assert.equal(clicks, 4)
    await page.context().close()
  })

  test('a link with only the field, as the API gives it, opens the closed parts of the form', async () => {
    const page = await signIn({ viewport: DESK })
    await page.goto(`${await make()}/edit#extinguishingAgents`)
    await page.locator('[name="add"][value="d.extinguishingAgents"]').waitFor({ state: 'visible' })
    await page.context().close()
  })

  test('no page scrolls sideways, and axe finds nothing', async () => {
    const at = await make()
    for (const viewport of [PHONE, DESK]) {
      const page = await signIn({ viewport })
      for (const path of [at, `${at}/readiness`, `${at}/edit?act=eu.battery.passport`]) {
        await page.goto(path)
        assert.ok(Number(await page.evaluate(WIDTH)) <= viewport.width, path)
        if (path !== at) assert.deepEqual(await findViolations(page), [])
      }
      await page.context().close()
    }
  })

  test('prints on two pages', async () => {
    const page = await signIn({ viewport: DESK })
    await page.goto(`${await make()}/readiness`)
    const pdf = await page.pdf({ format: 'A4' })
    assert.ok(countPages(pdf) <= 2, `${countPages(pdf)} pages`)
    await page.context().close()
  })
})

const countPages = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
