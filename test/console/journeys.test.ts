/**
 * Tests a brand's workflows in Chromium, half of them on a phone and half on a desktop. Webhooks are in
 * developer-browser.test.ts.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { unzipSync } from 'fflate'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { readSheet } from 'read-excel-file/node'
import { buildSetUpUrl, createSetUpLink } from '../../src/accounts/people/one-time-links.ts'
import type { Role } from '../../src/accounts/people/people.ts'
import { CONSOLE_ROUTES } from '../../src/console/routes.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { refreshesEnded } from '../../src/passports/units/refresh-job.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import type { Cell } from '../../src/transfer/spreadsheets/files/cell.ts'
import { writeXlsx } from '../../src/transfer/spreadsheets/files/write-xlsx.ts'
import { waitForImports } from '../../src/transfer/spreadsheets/import/run-import.ts'
import { newProduct, type TestAccount } from '../harness.ts'
import { decodePdf, decodePng } from '../qr/decode.ts'
import { openBrowser, WITHOUT_CHROMIUM } from '../site/chromium.ts'
import { joined } from '../transfer/spreadsheets.ts'
import { HANG_MS } from '../waiting.ts'
import { PASSWORD, startWholeStand, type WholeStand } from './whole-stand.ts'

const PHONE = { width: 390, height: 844 }
const DESK = { width: 1280, height: 900 }
const READER =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36'
/** No step of a journey takes longer. */

let browser: Browser
let stand: WholeStand
let brand: TestAccount

describe('journeys', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    browser = await openBrowser()
    stand = await startWholeStand()
    brand = await stand.harness.account({ plan: 'enterprise' })
  })
  after(async () => {
    await browser?.close()
    await stand?.close()
  })

  for (const [viewport, javaScriptEnabled] of [
    [PHONE, true],
    [DESK, false],
  ] as const) {
    const how = javaScriptEnabled ? 'on a phone' : 'without a script'
    test(`from the one-time link to a public page and its first scan, ${how}`, async () => {
      const fresh = await startWholeStand()
      try {
        const page = await newPage({ viewport, javaScriptEnabled })
        await setUp(page, fresh)
        await firstProduct(page)
        const [open] = await Promise.all([page.waitForEvent('popup'), follow(page, 'Open the page')])
        await open.getByRole('heading', { level: 1, name: 'Fisherman jumper' }).waitFor()
        const address = open.url()
        await open.close()
        await follow(page, 'Scans')
        await page.getByRole('heading', { name: 'No scans yet' }).waitFor()

        const reader = await newPage({ viewport: PHONE, userAgent: READER })
        await reader.goto(address)
        await reader.getByText('Fisherman jumper').first().waitFor()
        await reader.context().close()
        await fresh.harness.scans.flush()
        await page.reload()
        assert.equal(await figure(page, 'Scans'), '1')
        await page.getByRole('link', { name: 'Fisherman jumper' }).click()
        assert.equal(await figure(page, 'Scans'), '1')
        await page.context().close()
      } finally {
        await fresh.close()
      }
    })
  }

  test('a spreadsheet of 1,000 rows with 20 invalid ones is complete after the second upload', async () => {
    const page = await signedIn('editor', DESK)
    await follow(page, 'Import')
    await bring(page, { name: 'Autumn.csv', buffer: Buffer.from(sheetOf(1_000)) })
    await page.getByLabel('Field for column E: Part in the trade').fill('economicOperator.role')
    await page.getByLabel('Field for column G: Address').fill('economicOperator.address')
    await press(page, 'Check all rows')
    await page.getByRole('heading', { name: 'Checked, but not saved yet' }).waitFor()
    assert.equal(await figure(page, 'New products'), '980')
    assert.equal(await figure(page, 'Rows with errors'), '20')
    await page.getByText('In the cell: “Atlantis”.').first().waitFor()

    await whileNothingIsWritten(async () => {
      await press(page, 'Import 980 products')
      await page.getByLabel('Importing: 0 of 1,000 rows').waitFor()
      await page.close()
      const again = await page.context().newPage()
      await again.goto(`${stand.origin}/console/import`)
      await again.getByText('is being imported').waitFor()
      await again.getByRole('link', { name: 'Autumn.csv' }).click()
      await again.getByLabel('Importing: 0 of 1,000 rows').waitFor()
    })
    const [again = page] = page.context().pages()
    await again.getByRole('heading', { name: 'Imported', exact: true }).waitFor()
    assert.equal(await figure(again, 'Created'), '980')

    const bad = await download(again, () => follow(again, 'Download these rows (XLSX)'))
    const mended = (await readSheet(bad)).map(row =>
      row.map(cell => (cell === 'only wool' ? '100 % wool' : cell === 'Atlantis' ? 'Portugal' : cell)),
    )
    assert.equal(mended.length, 21)
    await follow(again, 'Import another spreadsheet')
    await bring(again, { name: 'Mended.xlsx', buffer: await workbook(mended as Cell[][]) })
    await press(again, 'Check all rows')
    await press(again, 'Import 20 products')
    await again.getByRole('heading', { name: 'Imported', exact: true }).waitFor()
    assert.equal(await figure(again, 'Created'), '20')
    await waitForImports(stand.harness.sql)
    await follow(again, 'To the products')
    await search(again, 'autumn coat')
    await again.getByText('1,000 products', { exact: true }).first().waitFor()
    await again.context().close()
  })

  test('a correction reaches units issued before, and is in their history', async () => {
    const model = await product({ productName: 'Weighed wrongly', weightGrams: 100 })
    const page = await signedIn('editor', PHONE)
    await page.goto(model.console)
    const serials = Array.from({ length: 560 }, (_, n) => `W-${n}`)
    for (const names of [serials.slice(0, 500), serials.slice(500)]) {
      await follow(page, 'Create items or batches')
      await page.getByLabel('Lots or serial numbers').fill(names.join('\n'))
      await press(page, 'Create')
    }
    await page.getByRole('heading', { name: '560 units' }).waitFor()

    await follow(page, 'Edit')
    await page.getByLabel('Weight (g)').fill('120')
    await press(page, 'Save')
    await page.getByRole('heading', { name: 'Review your changes' }).waitFor()
    await press(page, 'Save')
    await page.getByText('Choose whether this is a change or a correction.').first().waitFor()
    await page.getByLabel('A correction').check()
    await page.getByText('It affects the 560 existing units.').waitFor()
    await page.getByLabel('Reason').fill('The scales were off')
    await press(page, 'Save')
    await page.getByText('560 units still show the data from before a correction.').waitFor()
    await page.getByText('Weight: 100 g → 120 g').waitFor()
    assert.equal(await page.getByText('outdated', { exact: true }).count(), 25)
    await page.getByRole('link', { name: 'W-559' }).click()
    await page.getByText('100 g', { exact: true }).waitFor()
    await page.goBack()

    await whileNothingIsWritten(async () => {
      await press(page, 'Update all 560 now')
      await page.getByLabel('Updating units: 0 of 560').waitFor()
    })
    await page.getByLabel('Updating units').waitFor({ state: 'detached' })
    await page.getByText('560 units are updated. They show the corrected data now.').waitFor()
    assert.equal(await page.getByText('outdated', { exact: true }).count(), 0)
    await refreshesEnded(stand.harness.sql)
    await page.getByRole('link', { name: 'W-559' }).click()
    await page.getByText('120 g').waitFor()
    await page.getByText('Refreshed: Weight').waitFor()
    const [open] = await Promise.all([page.waitForEvent('popup'), follow(page, 'Open the page')])
    await open.getByText(/120\s*g/).waitFor()

    await page.goto(model.console)
    await page.getByText('Correction: Weight').waitFor()
    await page.getByText('The scales were off').waitFor()
    await follow(page, 'Version 2')
    const row = page.getByRole('row', { name: /^Weight/ })
    assert.deepEqual(await row.getByRole('cell').allTextContents(), ['100\u00a0g', '120\u00a0g'])
    await page.context().close()
  })

  test('two people change a product at once: the second gets a conflict, and no change is lost', async () => {
    const model = await product({ productName: 'Scarf', weightGrams: 80 })
    const first = await signedIn('editor', DESK)
    const second = await signedIn('editor', DESK)
    for (const page of [first, second]) {
      await page.goto(model.console)
      await follow(page, 'Edit')
    }
    await first.getByLabel('Product name').fill('Winter scarf')
    await first.getByLabel('Brand', { exact: true }).fill('Nordmoor')
    await press(first, 'Save')
    await first.getByRole('heading', { level: 1, name: 'Winter scarf' }).waitFor()

    await second.getByLabel('Product name').fill('Long scarf')
    await second.getByLabel('Weight (g)').fill('95')
    await second.getByLabel('Reason').fill('Knitted anew')
    await press(second, 'Save')
    const told = second.getByRole('alert')
    await told.getByText('Somebody else saved this product while you were editing.').waitFor()
    await told.getByRole('listitem').filter({ hasText: 'Product name' }).getByText('Winter scarf').waitFor()
    assert.equal(await told.getByRole('listitem').count(), 1)
    assert.equal(await second.getByLabel('Product name').inputValue(), 'Long scarf')
    assert.equal(await second.getByLabel('Weight (g)').inputValue(), '95')
    assert.equal(await second.getByLabel('Reason').inputValue(), 'Knitted anew')
    assert.equal(await second.getByLabel('Brand', { exact: true }).inputValue(), 'Nordmoor')
    await press(second, 'Save')
    await second.getByRole('heading', { level: 1, name: 'Long scarf' }).waitFor()
    await second.getByText('95 g').waitFor()
    await second.getByRole('region', { name: 'Data' }).getByText('Nordmoor').waitFor()
    await second.getByText('Change: Product name, Weight').waitFor()
    await first.context().close()
    await second.context().close()
  })

  test('a key is created, shown once, works in the example call, and is rejected once revoked', async () => {
    const page = await signedIn('owner', PHONE)
    await follow(page, 'Developer')
    await follow(page, 'API keys')
    await page.getByLabel('Name').fill('Shop')
    await page.getByLabel('Scope').selectOption('full')
    await page.getByLabel('Ends').selectOption('never')
    await press(page, 'Create the key')
    const key = await page.getByLabel('API key').inputValue()
    const call = await page.getByLabel('Try it in a terminal').inputValue()
    const [, address = '', header = ''] = /^curl (\S+) -H 'Authorization: (.*)'$/.exec(call) ?? []
    assert.equal(header, `Bearer ${key}`)
    const ask = () => fetch(address, { headers: { authorization: header } })
    assert.equal((await ask()).status, 200)
    await page.reload()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    assert.ok(!(await page.content()).includes(key))
    await follow(page, 'Revoke Shop')
    await press(page, 'Revoke the key')
    await page.getByText('Revoked and expired keys (1)').waitFor()
    const { clock } = stand.harness
    clock.advance(2_001)
    assert.equal((await ask()).status, 401)
    clock.release()
    await page.context().close()
  })

  test('labels of a batch are printed, and each code opens the page of its unit', async () => {
    const model = await product({ productName: 'Labelled' })
    const [batch] = await units(model.uuid, 'batch', [{ lot: 'LOT-1' }])
    const serials = ['A-1', 'A-2', 'A-3']
    const items = await units(
      batch?.uuid ?? '',
      'item',
      serials.map(serial => ({ serial })),
    )
    const addresses = items.map(({ id }) => `${stand.origin}/p/${id}`).sort()
    const page = await signedIn('viewer', DESK)
    await page.goto(model.console)
    await page.getByRole('link', { name: 'LOT-1' }).click()
    await follow(page, 'Print labels')
    await page.getByLabel('Labels for').selectOption({ label: 'its items (3)' })
    const pdf = await download(page, () => press(page, 'Create the file'))
    assert.deepEqual((await decodePdf(pdf)).sort(), addresses)

    await page.getByLabel('File').selectOption({ label: 'ZIP of PNG pictures, 300 dpi' })
    const pictures = unzipSync(await download(page, () => press(page, 'Create the file')))
    const texts = await Promise.all(Object.values(pictures).map(decodePng))
    assert.deepEqual(texts.sort(), addresses)

    await page.goto(`${stand.origin}/console/products/${items[1]?.id}`)
    const png = await download(page, () => follow(page, 'PNG, 300 dpi'))
    assert.equal(await decodePng(png), `${stand.origin}/p/${items[1]?.id}`)
    await page.goto((await decodePng(png)) ?? '')
    await page.getByText('A-2').first().waitFor()
    await page.context().close()
  })

  test('an invited viewer sees everything and cannot change anything; as editor they can', async () => {
    const model = await product({ productName: 'Looked at' })
    const owner = await signedIn('owner', DESK)
    await follow(owner, 'Settings')
    await follow(owner, 'People')
    await owner.getByLabel('E-mail').fill('new@testmarke.example')
    await owner.getByLabel('Role').selectOption('viewer')
    await press(owner, 'Invite')
    await owner.getByText('An e-mail is on its way').waitFor()
    const [letter] = await stand.letters()
    assert.equal(letter?.to, 'new@testmarke.example')
    const [link = ''] =
      /http\S+/.exec((letter?.text ?? '').split('\n\n').find(part => /^http/.test(part)) ?? '') ?? []

    const guest = await newPage({ viewport: PHONE })
    await guest.goto(link)
    await guest.getByLabel('Password').fill(PASSWORD)
    await press(guest, 'Set the password')
    await guest.getByText('Signed in as new@testmarke.example (viewer)').waitFor()
    await findsNoChange(guest, model.id)

    await follow(owner, 'Change new@testmarke.example')
    await owner.getByLabel('Role').selectOption('editor')
    await press(owner, 'Save the role')
    await guest.goto(model.console)
    await follow(guest, 'Edit')
    await guest.getByLabel('Product name').fill('Changed by the new one')
    await press(guest, 'Save')
    await guest.getByRole('heading', { level: 1, name: 'Changed by the new one' }).waitFor()
    await guest.context().close()
    await owner.context().close()
  })

  test('an access link shows an authority the protected data in its language until it is revoked', async () => {
    const facilityName = 'Fiação do Norte'
    const supplyChainStages = [{ stage: 'spinning', country: 'PT', facilityName }]
    const model = await product({ productName: 'Traced', supplyChainStages })
    const page = await signedIn('editor', DESK)
    await page.goto(model.console)
    await follow(page, 'Create an access link for somebody else')
    await page.getByLabel('Recipient').fill('Marktaufsicht')
    await page.getByLabel('Access level').selectOption({ label: 'Authority' })
    await press(page, 'Create the link')
    const link = await page.getByLabel('Link', { exact: true }).inputValue()

    const authority = await newPage({ viewport: PHONE, locale: 'de-DE' })
    await authority.goto(`${stand.origin}/p/${model.id}`)
    assert.equal(await authority.getByText(facilityName).count(), 0)
    await authority.goto(link)
    await authority.getByText('für Marktaufsicht').waitFor()
    // Fields for some readers are open.
    await authority.locator('details[open] > summary', { hasText: 'Wie es hergestellt wurde' }).waitFor()
    await authority.getByText(facilityName).waitFor()
    await authority.getByText('Spinnen').waitFor()

    await follow(page, 'I have saved it. Back to the links')
    await page.getByText('once, ').waitFor()
    await follow(page, 'Revoke Marktaufsicht')
    await press(page, 'Revoke')
    await page.getByText('No access links are in use.').waitFor()
    await authority.reload()
    assert.equal(await authority.getByText('für Marktaufsicht').count(), 0)
    assert.equal(await authority.getByText(facilityName).count(), 0)
    await authority.goto(link)
    assert.equal(await authority.getByText(facilityName).count(), 0)
    await authority.context().close()
    await page.context().close()
  })

  test('products are exported as XLSX and imported with changes, all data is exported, the account is closed', async () => {
    for (const n of [1, 2, 3]) await product({ productName: `Sock ${n}`, sku: `SOCK-${n}`, weightGrams: 40 })
    const page = await signedIn('owner', PHONE)
    await page.goto(`${stand.origin}/console/export`)
    await page.getByLabel('Only products with this word').fill('SOCK-')
    const sheet = await readSheet(await download(page, () => press(page, 'Download')))
    const column = sheet[0]?.indexOf('weightGrams') ?? -1
    assert.ok(column >= 0 && sheet.length === 4, String(sheet[0]))
    const changed = sheet.map((row, n) => row.map((cell, at) => (n > 0 && at === column ? 45 : cell)))
    await follow(page, 'Import a spreadsheet')
    await bring(page, { name: 'Socks.xlsx', buffer: await workbook(changed as Cell[][]) })
    await page.getByLabel('How rows are matched to products').selectOption({ label: 'By SKU' })
    await press(page, 'Check all rows')
    await page.getByRole('heading', { name: 'Checked, but not saved yet' }).waitFor()
    assert.equal(await figure(page, 'Changed products'), '3')
    assert.equal(await figure(page, 'New products'), '0')
    await page.getByLabel('Change these 3 existing products.').check()
    await press(page, 'Import 3 products')
    await page.getByRole('heading', { name: 'Imported', exact: true }).waitFor()
    await follow(page, 'To the products')
    await search(page, 'SOCK-2')
    await page.getByRole('link', { name: 'Sock 2' }).click()
    await page.getByText('45 g').waitFor()

    await follow(page, 'Settings')
    await follow(page, 'All data')
    await page.getByLabel('Your password').fill(PASSWORD)
    const all = (await download(page, () => press(page, 'Download all data')))
      .toString()
      .trimEnd()
      .split('\n')
    assert.match(all.at(-1) ?? '', /^{"type":"end"/)
    assert.ok(all.some(line => line.includes('"SOCK-2"')))

    await follow(page, 'Settings')
    await follow(page, 'Close the account')
    await press(page, 'Close the account')
    await page.getByText('That is not the name of the account.').first().waitFor()
    await page.getByLabel('To confirm').fill('Test')
    await press(page, 'Close the account')
    await page.getByText('This account is closed.').waitFor()
    await follow(page, 'Products')
    assert.equal(await page.getByRole('link', { name: 'New product' }).count(), 0)
    await page.context().close()
  })
})

async function newPage(options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-IE', ...options })
  context.setDefaultTimeout(HANG_MS)
  return context.newPage()
}

/** A page with a new signed-in member of the brand's account. */
async function signedIn(role: Role, viewport: typeof PHONE): Promise<Page> {
  const page = await newPage({ viewport })
  const { email, password } = await stand.person(brand, role)
  await page.goto(`${stand.origin}/console/sign-in`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
  await page.getByText(`Signed in as ${email}`).waitFor()
  return page
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()

/** The value beside a term in a description list. */
const figure = (page: Page, term: string) =>
  page
    .locator('dl.facts > div', { has: page.getByText(term, { exact: true }) })
    .getByRole('definition')
    .first()
    .innerText()

async function search(page: Page, word: string): Promise<void> {
  await page.getByLabel('Search', { exact: true }).fill(word)
  await press(page, 'Show')
}

async function download(page: Page, begin: () => Promise<void>): Promise<Buffer> {
  const [file] = await Promise.all([page.waitForEvent('download'), begin()])
  return readFile(await file.path())
}

async function bring(page: Page, { name, buffer }: { name: string; buffer: Buffer }): Promise<void> {
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
  await press(page, 'Read the spreadsheet')
  await page.getByRole('heading', { name: 'What does each column contain?' }).waitFor()
}

async function workbook(rows: readonly Cell[][]): Promise<Buffer> {
  async function* each() {
    yield* rows
  }
  return joined(writeXlsx([{ name: 'Products', rows: each() }]))
}

/** Blocks writes to passports while `look` runs; pages keep working. */
async function whileNothingIsWritten(look: () => Promise<void>): Promise<void> {
  await stand.harness.sql.begin(async tx => {
    await tx`lock table passport in share mode`
    await look()
  })
}

async function product(data: Record<string, unknown>) {
  const { passport } = await createPassport(brand.ctx, { ...newProduct(data), strict: false })
  const id = idFromUuid(passport.id)
  return { uuid: passport.id, id, console: `${stand.origin}/console/products/${id}` }
}

async function units(parentUuid: string, level: 'batch' | 'item', all: readonly object[]) {
  const wish = { parentUuid, level, units: all, bulk: true, strict: false }
  const { created } = await issueUnits(brand.ctx, wish)
  return created.map(({ passport }) => ({ uuid: passport.id, id: idFromUuid(passport.id) }))
}

async function setUp(page: Page, { harness, origin }: WholeStand): Promise<void> {
  await page.goto(buildSetUpUrl(origin, (await createSetUpLink(harness)) ?? ''))
  await page.getByLabel('Name of the account').fill('Nordmoor')
  await page.getByLabel('E-mail').fill('owner@nordmoor.example')
  await page.getByLabel('Password').fill(PASSWORD)
  await press(page, 'Create the account')
  await page.getByRole('heading', { level: 1, name: 'Nordmoor' }).waitFor()
}

/** From the first page to the product's own page. */
async function firstProduct(page: Page): Promise<void> {
  await follow(page, 'Products')
  await follow(page, 'New product')
  await follow(page, 'Textile')
  const type = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
  const choose = (label: string, option: string) =>
    page.getByLabel(label, { exact: true }).selectOption({ label: option })
  await type('Product name', 'Fisherman jumper')
  await type('Article number (SKU)', 'FJ-1')
  await type('Brand', 'Nordmoor')
  await choose('Role', 'Manufacturer')
  await type('Legal name', 'Nordmoor GmbH')
  await type('Address', 'Deichstraße 1, 26122 Oldenburg')
  await choose('Country', 'Germany')
  await type('Contact e-mail', 'passport@nordmoor.example')
  const fibres = page.getByRole('group', { name: 'Fibre composition', exact: true })
  await fibres.getByRole('button', { name: 'Add a row' }).click()
  for (const [n, fibre, share] of [
    [1, 'wool', '80'],
    [2, 'alpaca', '20'],
  ] as const) {
    const row = page.getByRole('group', { name: `Fibre composition ${n}` })
    await row.getByLabel('Fibre').fill(fibre)
    await row.getByLabel('Share').fill(share)
  }
  await choose('Country of manufacture', 'Portugal')
  const inEnglish = (group: string, text: string) =>
    page.getByRole('group', { name: group, exact: true }).getByLabel('English').fill(text)
  await inEnglish('Care instructions', 'Wash by hand, dry flat.')
  await choose('Repairable', 'Yes')
  await choose('Spare parts available', 'No')
  await inEnglish('Recycling instructions', 'Take it to a textile collection.')
  await press(page, 'Create the product')
  await page.getByRole('alert').getByText('Disposal instructions').waitFor()
  await inEnglish('Disposal instructions', 'Not in household waste.')
  await press(page, 'Create the product')
  await page.getByRole('heading', { level: 1, name: 'Fisherman jumper' }).waitFor()
}

/** A spreadsheet of coats; two of every hundred rows are wrong. */
function sheetOf(count: number): string {
  const heads =
    'Product name;SKU;Brand;Languages;Part in the trade;Legal name;Address;economicOperator.country;Contact e-mail;Fibre composition;Country of manufacture;Care instructions (en);Repairable;Spare parts available;Recycling instructions (en);Disposal instructions (en)'
  const rows = Array.from({ length: count }, (_, n) => {
    const fibres = n % 100 === 7 ? 'only wool' : '100 % wool'
    const country = n % 100 === 60 ? 'Atlantis' : 'Portugal'
    return `Autumn coat ${n};AC-${n};Nordmoor;en;manufacturer;Nordmoor GmbH;Deichstraße 1;Germany;passport@nordmoor.example;${fibres};${country};Wash at 30 °C;yes;no;Textile collection;Not in household waste`
  })
  return [heads, ...rows].join('\r\n')
}

/** A person's own pages, whatever the role: password, passkeys, sessions, and leaving. */
const OWN_PAGES = /^\/console\/settings\/(password|passkeys|sessions|people)/
const IS_FILE = /\/(code\.png|file|template|errors|readiness\.csv)$/

/** Opens all pages that a viewer may see: no form that changes anything, and no link to a forbidden page. */
async function findsNoChange(page: Page, productId: string): Promise<void> {
  const open = CONSOLE_ROUTES.filter(
    ({ method, path, access }) => method === 'GET' && access === 'signed_in' && !IS_FILE.test(path),
  )
  const paths = open
    .filter(({ path }) => !path.includes(':') || path.startsWith('/console/products/'))
    .map(({ path }) => path.replace(':id', productId).replace(':n', '1'))
  assert.ok(paths.length > 15)
  for (const path of paths) {
    const answer = await page.goto(stand.origin + path)
    assert.equal(answer?.status(), 200, path)
    if (OWN_PAGES.test(path)) continue
    assert.equal(await page.locator('main form[method=post]').count(), 0, `${path} has a form that changes`)
    const links = await page
      .locator('main a[href^="/console"]')
      .evaluateAll(all => all.map(one => (one as unknown as { pathname: string }).pathname))
    for (const link of links) assert.ok(mayBeSeen(link), `${path} leads to ${link}`)
  }
}

function mayBeSeen(link: string): boolean {
  const gets = CONSOLE_ROUTES.filter(({ method }) => method === 'GET')
  const route =
    gets.find(({ path }) => path === link) ??
    gets.find(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(link))
  return route?.access === 'signed_in'
}
