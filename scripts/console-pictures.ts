/** Takes the screenshots of docs/console.md in Chromium, from its own server with the demo's passports. */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openEnvironment } from '../bench/environment.ts'
import { createAccount } from '../src/accounts/account/accounts.ts'
import { getOperatorActor } from '../src/accounts/account/actors.ts'
import type { AccountContext } from '../src/accounts/account/context.ts'
import { updateBrand } from '../src/accounts/brand/update-brand.ts'
import { createOwnKey } from '../src/accounts/keys/own-keys.ts'
import { createPerson } from '../src/accounts/people/people.ts'
import { setPassword } from '../src/accounts/people/set-password.ts'
import { DEMO_BRAND, DEMO_PASSPORTS } from '../src/cli/demo/demo-data.ts'
import { loadDemoPassports } from '../src/cli/demo/load-demo.ts'
import { idFromUuid, parseId } from '../src/kernel/crypto/ids.ts'
import { createLog } from '../src/kernel/errors/log.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { issueUnits } from '../src/passports/units/issue-units.ts'
import { updatePassport } from '../src/passports/write/update.ts'
import { createScanRecorder } from '../src/scans/recorder.ts'
import { openBrowser } from '../test/site/chromium.ts'

const FOLDER = new URL('../docs/images/console/', import.meta.url)
const EMAIL = 'owner@hallwerk.example'
const PASSWORD = 'eleven herons over the lake'
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 780 }
const QUALITY = 82
const DAY_MS = 86_400_000
const DAYS = 90
const UNITS = 240
const COUNTRIES = 'DE DE DE DE AT AT CH FR FR NL BE PL SE DK NO IT ES CZ GB US JP'.split(' ')
const AGENTS = [
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
]

const stage = await openEnvironment(line => console.log(line))
try {
  const { sql, ...hall } = await stage.openDatabase('pictures')
  const operator = { sql, clock: systemClock }
  const accountId = Number((await createAccount(operator, { name: 'Hallwerk', plan: 'beta' })).id)
  const ctx = { ...operator, accountId, actorId: await getOperatorActor(operator, accountId) }
  const { token } = await createPerson(operator, { accountId, email: EMAIL, role: 'owner' })
  await setPassword(operator, { token, password: PASSWORD })
  await updateBrand(ctx, DEMO_BRAND)
  const { models } = await loadDemoPassports(ctx, DEMO_PASSPORTS)
  await scan(ctx, models)
  await createOwnKey(ctx, { name: 'Shop', scope: 'full', expiresAt: undefined, createdBy: EMAIL })
  const product = await correctedProduct(ctx, models[0] ?? '')
  const server = await stage.startServer({ sql, ...hall }, 'ours.ts')
  await takeAll(`http://localhost:${server.port}/console`, `/products/${product}`)
} finally {
  await stage.close()
}

/** A pseudo-random number, the same in every run. */
function mixed(n: number): number {
  return Math.imul(n + 1, 2_654_435_761) >>> 12
}

/** Adds scans: more of them recent, and more of some products than of others. */
async function scan({ sql, accountId }: AccountContext, models: readonly string[]): Promise<void> {
  const log = createLog({ logLevel: 'warn', logFormat: 'json' })
  const recorder = createScanRecorder({ sql, clock: systemClock, log, geoMmdbPath: undefined })
  const now = systemClock.now().getTime()
  for (let n = 0, back = DAYS - 1; back >= 0; back--) {
    const count = Math.round(8 + (DAYS - back) / 3 + (mixed(back) % 14) + 4 * Math.sin(back * 0.9))
    for (let i = 0; i < count; i++, n++) {
      // Some readers come twice a day.
      const reader = n % 5 === 1 ? n - 1 : n
      const id = parseId(models[Math.floor(models.length * ((reader * 0.618) % 1) ** 2)] ?? '') ?? ''
      const [row] = await sql<{ category: string }[]>`select category from passport where id = ${id}`
      const of = { level: 'm', model_id: id, parent_id: null, category: row?.category ?? '' } as const
      const country = COUNTRIES[mixed(reader) % COUNTRIES.length] ?? ''
      const userAgent = AGENTS[(mixed(reader + 7) % 7) % AGENTS.length] ?? ''
      recorder.record(
        { id, account_id: accountId, ...of },
        { address: `2001:db8::${reader.toString(16)}`, userAgent, country },
        new Date(now - back * DAY_MS),
      )
    }
    await recorder.flush()
  }
}

/** A model with units that were issued before a correction. */
async function correctedProduct(ctx: AccountContext, id: string): Promise<string> {
  const uuid = parseId(id) ?? ''
  const units = Array.from({ length: UNITS }, (_, n) => ({ serial: `HW-${String(n + 1).padStart(4, '0')}` }))
  await issueUnits(ctx, { parentUuid: uuid, level: 'item', units, bulk: true, strict: false })
  await updatePassport(ctx, {
    uuid,
    data: { weightGrams: 231 },
    changeType: 'correction',
    note: 'Weighed again',
    strict: false,
    expects: () => true,
  })
  return idFromUuid(uuid)
}

async function takeAll(console_: string, product: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const browser = await openBrowser()
  const open = async (options: BrowserContextOptions): Promise<Page> => {
    const page = await (await browser.newContext({ locale: 'en-IE', ...options })).newPage()
    await page.goto(`${console_}/sign-in`)
    await page.getByLabel('E-mail').fill(EMAIL)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Hallwerk' }).waitFor()
    return page
  }
  const desk = await open({ viewport: DESK })
  await take(desk, 'overview', console_)
  await take(desk, 'products', `${console_}/products`)
  await take(desk, 'product', console_ + product)
  await take(desk, 'units', console_ + product, '#units')
  await take(desk, 'scans-of-product', console_ + product, '#scans')
  await take(desk, 'form', `${console_}${product}/edit`)
  const last = await lastVersion(desk, console_ + product)
  await take(desk, 'version', `${console_}${product}/versions/${last}`)
  await take(desk, 'labels', `${console_}${product}/labels?of=items`)
  await take(desk, 'import', await broughtSheet(desk, `${console_}/import`))
  await take(desk, 'scans', `${console_}/scans?days=90`)
  await take(desk, 'developer', `${console_}/developer`)
  await take(desk, 'settings', `${console_}/settings`)
  const phone = await open({ viewport: PHONE, deviceScaleFactor: 1.5 })
  await take(phone, 'phone-product', console_ + product)
  await take(phone, 'phone-form', `${console_}/products/new?category=textile`)
  const dark = await open({ viewport: PHONE, deviceScaleFactor: 1.5, colorScheme: 'dark' })
  await take(dark, 'phone-scans', `${console_}/scans?days=90`)
  await browser.close()
}

async function take(page: Page, name: string, address: string, part?: string): Promise<void> {
  await page.goto(address, { waitUntil: 'networkidle' })
  if (part !== undefined)
    await page.evaluate(`document.querySelector('${part}').scrollIntoView();scrollBy(0, -24)`)
  const chromium = await page.context().newCDPSession(page)
  const shot = await chromium.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  writeFileSync(new URL(`${name}.webp`, FOLDER), shot.data, 'base64')
  console.log(`${name}: ${Math.round((shot.data.length * 3) / 4 / 1000)} kB`)
}

async function lastVersion(page: Page, address: string): Promise<string> {
  await page.goto(address)
  const newest = await page
    .getByRole('link', { name: /^Version \d+$/ })
    .first()
    .innerText()
  return newest.replace(/\D/g, '')
}

/** Uploads a spreadsheet and returns its address, where the columns wait for confirmation. */
async function broughtSheet(page: Page, address: string): Promise<string> {
  const heads =
    'Product name;SKU;Brand;Fibre composition;Made in;Care instructions (en);Repairable;Weight;Price'
  const rows = ['Harbour coat;HC-1', 'Harbour cap;HC-2', 'Harbour scarf;HC-3'].map(
    one => `${one};Hallwerk;80 % wool, 20 % alpaca;Portugal;Wash by hand, dry flat;yes;640;129,00`,
  )
  await page.goto(address)
  const buffer = Buffer.from([heads, ...rows].join('\r\n'))
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'Autumn.csv', mimeType: 'text/csv', buffer })
  await page.getByRole('button', { name: 'Read the spreadsheet' }).click()
  await page.getByRole('heading', { name: 'What does each column contain?' }).waitFor()
  return page.url()
}
