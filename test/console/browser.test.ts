/**
 * Tests the console in a browser: passkeys with a real authenticator interface, and the accessibility of
 * every page.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { getOperatorActor } from '../../src/accounts/account/actors.ts'
import { setOperatorAccount } from '../../src/accounts/account/operator-accounts.ts'
import { type IdentityInput, nameOnly, parseIdentity } from '../../src/accounts/identity/identity.ts'
import {
  askForVerification,
  findVerificationRequest,
} from '../../src/accounts/identity/verification-request.ts'
import { rotateSigningKey, setSigning } from '../../src/accounts/issuer/issuer.ts'
import { verifyAccount } from '../../src/accounts/issuer/verify-account.ts'
import { createOwnKey } from '../../src/accounts/keys/own-keys.ts'
import { createBrowserLink } from '../../src/accounts/people/browser-links.ts'
import { createPasswordLink, createSetUpLink } from '../../src/accounts/people/one-time-links.ts'
import { CONSOLE_ROUTES } from '../../src/console/routes.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { addMedia } from '../../src/media/upkeep/add-media.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { createRecord } from '../../src/passports/core/store-records.ts'
import { createDraft } from '../../src/passports/drafts/store-drafts.ts'
import { OFFER_STORE } from '../../src/passports/offers/store-offers.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { addWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { newProduct, nextGtin } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'
import {
  findRepeatedIds,
  findSmallTargets,
  findViolations,
  openBrowser,
  WITHOUT_CHROMIUM,
} from '../site/chromium.ts'
import { scanEverywhere } from './scanned-everywhere.ts'
import { PASSWORD, type Stand, startStand } from './stand.ts'
import { freePort } from './whole-stand.ts'

const PAGE_BYTES_MAX = 100_000
/** Every page is at least as large as its style sheet, even if the browser has cached that. */
const LEAST_BYTES = 10_000
/** Checks that the largest page was tested with its full content. */
const LEAST_FULL_BYTES = 85_000
/** The uncompressed size of the document, style sheet, scripts and images. */
const WEIGHT = `performance.getEntries().reduce((sum, { decodedBodySize = 0 }) => sum + decodedBodySize, 0)`
/** Addresses that a browser downloads instead of showing. */
const IS_FILE = /\/(code\.png|file|template|errors|readiness\.csv|\d+\.webp)$/
const ASKED: IdentityInput = {
  legalName: 'Nordlicht und Partner Elektrowerkzeuge GmbH & Co. KG',
  identifiers: [{ scheme: 'gln', value: '9521234000006' }],
  hosts: ['brand.example'],
  gs1Prefixes: [],
  dids: [],
}
const FOR_ANYONE = CONSOLE_ROUTES.filter(route => route.access === 'anyone').map(route => route.path)

let stand: Stand
let account: number
let origin: string
let browser: Browser
let setUpToken: string

describe('the console in a browser', {
  skip: WITHOUT_CHROMIUM,
}, () => {
  before(async () => {
    const port = await freePort()
    origin = `http://localhost:${port}`
    stand = await startStand(origin)
    await stand.app.listen({ port, host: 'localhost' })
    setUpToken = (await createSetUpLink(stand.ctx)) ?? ''
    account = await stand.account({ plan: 'beta' })
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await stand?.close()
  })

  const signIn = async (page: Page, email: string) => {
    await page.goto(`${origin}/console/sign-in`)
    await page.fill('#email', email)
    await page.fill('#password', PASSWORD)
    await page.click('form[action="/console/sign-in"] button')
    await page.waitForURL(`${origin}/console`)
  }

  /** If the page has already navigated, the button is gone. */
  const press = (page: Page) =>
    page
      .getByRole('button', { name: 'Sign in with a passkey' })
      .click()
      .catch(() => undefined)

  /** Chromium's own software authenticator behind the browser's real interface. */
  const withAuthenticator = async (page: Page) => {
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
    return {
      count: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
      present: (enabled: boolean) =>
        cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    }
  }

  test('a passkey can be added, signs in without a password, and stops working once it is removed', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const messages: string[] = []
    page.on('console', message => messages.push(message.text()))
    const authenticator = await withAuthenticator(page)
    await signIn(page, await stand.person(account, 'owner'))

    await page.goto(`${origin}/console/settings/passkeys`)
    await page.fill('#name', 'Laptop')
    await page.fill('#password', PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: 'Change Laptop' }).waitFor()
    assert.equal(await authenticator.count(), 1)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(/\/console(\/sign-in)?$/)
    // The software authenticator may answer before the button is pressed, as a person would do.
    await Promise.race([page.waitForURL(`${origin}/console`), press(page)])
    await page.waitForURL(`${origin}/console`)
    await page.getByText('Signed in as owner').waitFor()

    await page.goto(`${origin}/console/settings/passkeys`)
    await page.getByRole('link', { name: 'Change Laptop' }).click()
    await page.fill('#name', 'Old laptop')
    await page.getByRole('button', { name: 'Save the name' }).click()
    await page.getByRole('link', { name: 'Change Old laptop' }).click()
    await page.getByRole('link', { name: 'Remove' }).click()
    await authenticator.present(false)
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('You have no passkeys yet.').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(/sign-in/)
    // A present authenticator would answer at once and navigate while the next address is loading.
    await page.goto('about:blank')
    await authenticator.present(true)
    await page.goto(`${origin}/console/sign-in`)
    await Promise.race([page.getByText('This passkey is not registered here').waitFor(), press(page)])
    await page.getByText('This passkey is not registered here').waitFor()
    assert.deepEqual(
      messages.filter(message => !/status of (404|422)/.test(message)),
      [],
    )
    await context.close()
  })

  test('adding the same device twice is rejected with a message', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await withAuthenticator(page)
    await signIn(page, await stand.person(account, 'editor'))
    const add = async () => {
      await page.goto(`${origin}/console/settings/passkeys`)
      await page.fill('#name', 'Laptop')
      await page.fill('#password', PASSWORD)
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    await add()
    await page.getByRole('link', { name: 'Change Laptop' }).waitFor()
    await add()
    await page.getByText('This device already has a passkey of yours.').waitFor()
    await context.close()
  })

  test('under another host name the page says where passkeys work', async () => {
    const page = await browser.newPage()
    await page.goto(`${origin.replace('localhost', '127.0.0.1')}/console/sign-in`).catch(() => undefined)
    if (page.url().includes('127.0.0.1')) {
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await page.getByText(`Passkeys work only under ${origin}`).waitFor()
    }
    await page.close()
  })

  describe('every page of the console', () => {
    let context: BrowserContext
    const contexts: BrowserContext[] = []
    let paths: string[]
    before(async () => {
      context = await browser.newContext()
      contexts.push(context)
      const page = await context.newPage()
      const email = await stand.person(account, 'owner')
      await withAuthenticator(page)
      await signIn(page, email)
      await page.goto(`${origin}/console/settings/passkeys`)
      await page.fill('#name', 'Laptop')
      await page.fill('#password', PASSWORD)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('link', { name: 'Change Laptop' }).waitFor()
      await page.close()
      paths = await pathsOf(email)
    })
    after(async () => {
      for (const one of contexts) await one.close()
    })

    test('axe finds no fault, light and dark, everything open; nothing overflows and fingers hit all at 390 px; 100 kB at most', async () => {
      const wide = pagesFor('en-IE', { width: 1280, height: 900 })
      const phone = pagesFor('de-DE', { width: 390, height: 844 })
      for (const path of paths) {
        const page = await wide(path)
        const answer = await page.goto(origin + path, { waitUntil: 'load' })
        assert.ok((answer?.status() ?? 500) < 500, path)
        const bytes = Number(await page.evaluate(WEIGHT))
        const least = path.startsWith('/console/scans?') ? LEAST_FULL_BYTES : LEAST_BYTES
        assert.ok(bytes > least && bytes <= PAGE_BYTES_MAX, `${path}: ${bytes} bytes`)
        assert.deepEqual(await findViolations(page), [], path)
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await findViolations(page, 'colours'), [], `${path}, dark`)
        await page.emulateMedia({ colorScheme: 'light' })
        const small = await phone(path)
        await small.goto(origin + path)
        const inGerman = Number(await small.evaluate(WEIGHT))
        assert.ok(inGerman <= PAGE_BYTES_MAX, `${path} in German: ${inGerman} bytes`)
        assert.equal(await small.evaluate('document.documentElement.lang'), 'de')
        const width = Number(await small.evaluate('document.documentElement.scrollWidth'))
        assert.ok(width <= 390, `${path}: ${width} px wide`)
        assert.deepEqual(await findSmallTargets(small), [], path)
        assert.deepEqual(await findRepeatedIds(small), [], path)
        await take({ 1280: page, 390: small }, path)
      }
    })

    test('the header has the same place and one line on every page, in both languages', async () => {
      const head = `(() => {
        const [top, brand, out] = ['.top', '.brand', '.top form'].map(one => document.querySelector(one).getBoundingClientRect())
        return [top.height, brand.left, out.right].map(Math.round).join(' ')
      })()`
      for (const [locale, width] of [
        ['en-IE', 1440],
        ['de-DE', 1200],
        ['de-DE', 900],
      ] as const) {
        const inside = pagesFor(locale, { width, height: 800 })
        const places = new Set<unknown>()
        for (const path of ['/console', '/console/products', '/console/scans', '/console/settings/people']) {
          const page = await inside(path)
          await page.goto(origin + path)
          places.add(await page.evaluate(head))
        }
        const [left, right] = width > 1192 ? [(width - 1152) / 2, (width + 1152) / 2] : [20, width - 20]
        assert.deepEqual([...places], [`57 ${left} ${right}`], `${locale}, ${width} px`)
      }
    })

    test('the tables of a row on the scans page have the same height', async () => {
      const page = await pagesFor('de-DE', { width: 1280, height: 900 })('/console/scans')
      await page.goto(`${origin}/console/scans`)
      const tops = `['by-device', 'by-category', 'by-level'].map(id =>
        Math.round(document.querySelector('[aria-labelledby=' + id + '] table').getBoundingClientRect().top))`
      assert.equal(new Set((await page.evaluate(tops)) as number[]).size, 1)
    })

    /** The browser page for an address: signed in, or signed out for pages that anyone may see. */
    const pagesFor = (locale: string, viewport: { width: number; height: number }) => {
      const opened: { known?: Page; stranger?: Page } = {}
      return async (path: string): Promise<Page> => {
        const who = FOR_ANYONE.some(one => path.startsWith(one)) ? 'stranger' : 'known'
        const already = opened[who]
        if (already) return already
        const settings = { bypassCSP: true, locale, viewport }
        const storageState = who === 'known' ? await context.storageState() : undefined
        const own = await browser.newContext({ ...settings, ...(storageState && { storageState }) })
        contexts.push(own)
        const page = await own.newPage()
        opened[who] = page
        return page
      }
    }
  })

  /** For reviewing pages: with CONSOLE_SCREENSHOTS set to a folder, saves each page there in two widths. */
  async function take(pages: Record<string, Page>, path: string): Promise<void> {
    const folder = process.env.CONSOLE_SCREENSHOTS
    if (folder === undefined) return
    const name = path
      .replace(/\?token=.*/, '')
      .replace(/[?=&]/g, '-')
      .replace(/[0-9a-z]{26}/g, 'id')
      .replaceAll('/', '_')
    for (const [width, page] of Object.entries(pages)) {
      await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true })
    }
  }

  /** Another account's request, whose names conflict with those that accounts have. */
  async function requestOf(names: Partial<IdentityInput>): Promise<string> {
    const accountId = await stand.account({ name: 'Anderswo' })
    const ctx = { ...stand.ctx, accountId, actorId: await getOperatorActor(stand.ctx, accountId) }
    const identity = parseIdentity({ ...ASKED, hosts: [], ...names })
    await askForVerification(ctx, { identity, note: 'HRB 1, register of Kiel' })
    return (await findVerificationRequest(ctx))?.id ?? ''
  }

  /** The address of each page that GET shows, with ids of existing things. */
  async function pathsOf(email: string): Promise<string[]> {
    const ctx = {
      ...stand.ctx,
      sql: stand.sql,
      accountId: account,
      actorId: await getOperatorActor(stand.ctx, account),
    }
    const { passport } = await createPassport(ctx, {
      ...newProduct({ gtin: nextGtin() }, 'battery'),
      strict: false,
    })
    const product = idFromUuid(passport.id)
    const key = await createOwnKey(ctx, {
      name: 'Shop',
      scope: 'full',
      expiresAt: undefined,
      createdBy: email,
    })
    const link = await createAccessLink(ctx, {
      passportId: product,
      audience: 'authority',
      label: 'Market surveillance',
      expiresAt: new Date(stand.clock.now().getTime() + 86_400_000),
      addresses: { publicUrl: origin, apiUrl: `${origin}/api/v1` },
    })
    const [person] = await stand.sql<{ id: string; passkey: string }[]>`
      select p.id, k.id as passkey from person p join passkey k on k.person_id = p.id where p.email = ${email}`
    const [guest] = await stand.sql<{ id: string }[]>`
      insert into person (id, email, created_at) values (gen_random_uuid(), 'guest@testmarke.example', now()) returning id`
    const token = await createPasswordLink(stand.ctx, guest?.id ?? '', { purpose: 'operator' })
    const browserToken = (await createBrowserLink(stand.ctx, email))?.token
    const { sql, clock, secretCipher, outbound } = stand
    const setup = { secretCipher, policy: outbound.policy }
    await setSigning({ ...ctx, secretCipher }, true)
    await rotateSigningKey({ ...ctx, secretCipher })
    const webhook = await addWebhook(ctx, setup, {
      url: 'https://erp.example/carnet',
      events: ['product.created'],
    })
    const draft = await createDraft(ctx, {
      category: 'battery',
      data: { batteryCategory: 'lmt' },
      note: undefined,
    })
    const offer = await createRecord(ctx, OFFER_STORE, {
      kind: 'repair',
      title: { de: 'Werkstatt', en: 'Workshop' },
      url: 'https://shop.example/repair',
      countries: ['AT', 'DE'],
    })
    await scanEverywhere({ sql, clock, account, actor: ctx.actorId, model: passport.id })
    const bytes = await makePng({ width: 640, height: 400 })
    const response = { status: 201, headers: {}, body: '' }
    const { file } = await addMedia({ ...ctx, ...stand.media }, { bytes }, () => response)
    await setOperatorAccount(stand.ctx, { accountId: account, isOperator: true })
    await askForVerification(ctx, { identity: nameOnly('Testmarke GmbH'), note: '' })
    await verifyAccount({ ...ctx, accountId: await stand.account() }, parseIdentity(ASKED), 'Operator')
    const requests = [await requestOf({ gs1Prefixes: ['9520'] }), await requestOf(ASKED)]
    const ids: readonly [string, string][] = [
      ['/console/media/', file.id],
      ['/console/settings/people/', idFromUuid(person?.id ?? '')],
      ['/console/settings/passkeys/', idFromUuid(person?.passkey ?? '')],
      ['/console/settings/access-links/', link.id],
      ['/console/settings/offers/', idFromUuid(offer.id)],
      ['/console/settings/verification-requests/', requests[0] ?? ''],
      ['/console/keys/', key.id],
      ['/console/products/', product],
      ['/console/drafts/', idFromUuid(draft.id)],
      ['/console/webhooks/', webhook.id],
    ]
    const pages = CONSOLE_ROUTES.filter(({ method, path }) => method === 'GET' && !IS_FILE.test(path)).map(
      ({ path }) => {
        const id = ids.find(([place]) => path.startsWith(place))?.[1] ?? 'none'
        const address = path.replace(':id', id).replace(':n', '1')
        if (path.includes('/set-password')) return `${address}?token=${token}`
        if (path.includes('/known-browser')) return `${address}?token=${browserToken}`
        return path.includes('/set-up') ? `${address}?token=${setUpToken}` : address
      },
    )
    // The longest charts: 90 daily bars and 53 weekly bars.
    const ofScans = ['/console/scans', `/console/products/${product}`].flatMap(path => [
      `${path}?days=90`,
      `${path}?days=365&include=units`,
    ])
    const act = 'eu.battery.passport'
    const forms = [`/console/products/${product}`, `/console/drafts/${idFromUuid(draft.id)}`]
    const taken = `/console/settings/verification-requests/${requests[1]}`
    return [...pages, ...ofScans, taken, ...forms.map(at => `${at}/edit?act=${act}`)]
  }
})
