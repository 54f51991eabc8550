/**
 * Tests the webhook and brand pages in a browser, with a receiver that checks signatures, and their
 * accessibility.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { newProduct, type TestAccount } from '../harness.ts'
import { findViolations, openBrowser, WIDTH, WITHOUT_CHROMIUM } from '../site/chromium.ts'
import { type Received, type Receiver, startReceiver } from '../webhooks/stand.ts'
import { startWholeStand, type WholeStand } from './whole-stand.ts'

const PAGE_BYTES_MAX = 100_000

const LOGO = Buffer.from('<svg viewBox="0 0 168 40"><path fill="#1f3b57" d="M0 0h168v40z"/></svg>')

let stand: WholeStand
let receiver: Receiver
let account: TestAccount
let browser: Browser
let page: Page
let passport: string

describe('the developer pages in a browser', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    stand = await startWholeStand()
    receiver = await startReceiver()
    account = await stand.harness.account({ plan: 'enterprise' })
    const made = await createPassport(account.ctx, { ...newProduct(), strict: false })
    passport = idFromUuid(made.passport.id)
    browser = await openBrowser()
    page = await signIn({ width: 390, height: 844 })
  })
  after(async () => {
    await browser?.close()
    await receiver?.close()
    await stand?.close()
  })

  async function signIn(viewport: { width: number; height: number }, scheme: 'light' | 'dark' = 'light') {
    const context = await browser.newContext({
      bypassCSP: true,
      locale: 'en',
      viewport,
      colorScheme: scheme,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const one = await context.newPage()
    const { email, password } = await stand.person(account, 'owner')
    await one.goto(`${stand.origin}/console/sign-in`)
    await one.fill('#email', email)
    await one.fill('#password', password)
    await one.getByRole('button', { name: 'Sign in', exact: true }).click()
    await one.waitForURL(`${stand.origin}/console`)
    return one
  }

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const follow = (name: string) => page.getByRole('link', { name, exact: true }).click()
  /** Returns the text that the "Copy" button puts on the clipboard. */
  const copySecret = async () => {
    await press('Copy')
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    return String(await page.evaluate('navigator.clipboard.readText()'))
  }

  /** The event of a passport change, as the receiver gets it. */
  async function nextDelivery(productName: string): Promise<Received> {
    receiver.received.length = 0
    const { harness, worker } = stand
    const body = { data: { productName }, change_type: 'change' }
    const changed = await harness.ask('PATCH', `/api/v1/products/${passport}`, { key: account.key, body })
    assert.equal(changed.status, 200, changed.text)
    await worker.drain()
    const [one, ...others] = receiver.received
    assert.ok(one)
    assert.deepEqual(others, [])
    return one
  }

  /**
   * Signs with the library at the time in the request, because the test's clock differs from the library's.
   */
  const byLibrary = (secret: string, { text, headers }: Received) => {
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    const expected = new Webhook(secret).sign(headers['webhook-id'] ?? '', at, text)
    return (headers['webhook-signature'] ?? '').split(' ').includes(expected)
  }
  const byContract = (secret: string, { text, headers }: Received) =>
    headers['x-service-signature'] === `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
  /** True if the old and the new secret verify with the library, and then with the documented header. */
  const verdict = (old: string, fresh: string, one: Received) => [
    byLibrary(old, one),
    byLibrary(fresh, one),
    byContract(old, one),
    byContract(fresh, one),
  ]

  test('a webhook can be added, tested, and get a new secret, and every message verifies', async () => {
    await follow('Developer')
    await follow('Webhooks')
    await follow('Add a webhook')
    await page.getByLabel('Address').fill(receiver.url)
    await page.getByLabel('Only the events ticked below').check()
    await page.getByLabel('product.updated').check()
    await press('Add the webhook')
    const first = await copySecret()
    assert.match(first, /^whsec_/)
    await page.reload()
    assert.equal(new URL(page.url()).pathname, '/console/webhooks')
    await follow(receiver.url)

    await press('Send a test')
    await page.getByText('Test event: delivered, 204').waitFor()
    assert.ok(receiver.received[0] && byLibrary(first, receiver.received[0]))

    await follow('Replace the secret')
    await press('Create the new secret')
    const second = await copySecret()
    assert.match(second, /^whsec_/)
    assert.notEqual(second, first)
    await follow('I have saved it. Go to the webhook')
    assert.deepEqual(verdict(first, second, await nextDelivery('One')), [true, true, true, false])

    await press('Start using the new secret')
    await page.getByText('The new secret signs X-Service-Signature.').waitFor()
    assert.deepEqual(verdict(first, second, await nextDelivery('Two')), [true, true, false, true])

    const { clock } = stand.harness
    clock.set(new Date(clock.now().getTime() + 24 * 3_600_000 + 1_000))
    assert.deepEqual(verdict(first, second, await nextDelivery('Three')), [false, true, false, true])
    await page.reload()
    assert.equal(await page.getByText('contains both').count(), 0)
    assert.equal(await page.getByText('delivered, 204').count(), 5)
    clock.release()
  })

  test('name, colour and logo of the brand are shown on the public page', async () => {
    await page.goto(`${stand.origin}/console`)
    await follow('How your public pages look')
    await page.getByLabel('Name', { exact: true }).fill('Nordmoor')
    // A test cannot operate a colour picker, so it sends the picker's change event.
    await page.evaluate(`{
      const picker = document.querySelector('input[type=color]')
      picker.value = '#f5c400'
      picker.dispatchEvent(new Event('input', { bubbles: true }))
    }`)
    assert.equal(await page.getByLabel('Accent colour').inputValue(), '#f5c400')
    await press('Show how it is adjusted')
    await page.getByText('Not saved yet.').waitFor()
    await press('Save')
    await page.getByText('Saved.').waitFor()
    const send = async (buffer: Buffer) => {
      const file = { name: 'logo', mimeType: 'application/octet-stream', buffer }
      await page.getByLabel('Logo', { exact: true }).setInputFiles(file)
      await press('Save the logos')
    }
    await send(Buffer.alloc(1_000_000, '<'))
    await page.getByText('The file has 1,000,000 bytes; at most 8,192 are allowed.').first().waitFor()
    await send(LOGO)
    const shown = page.getByRole('img', { name: 'Logo, ' })
    await shown.waitFor()
    const height = 'document.querySelector(".logo-now img").getBoundingClientRect().height'
    await page.waitForFunction('document.querySelector(".logo-now img").naturalWidth > 0')
    assert.equal(await page.evaluate(height), 48)

    const [open] = await Promise.all([page.waitForEvent('popup'), follow('Open a public page')])
    await open.waitForLoadState()
    assert.equal(await open.locator('.logo img').getAttribute('alt'), 'Nordmoor')
    const accent = await open.evaluate(
      'getComputedStyle(document.documentElement).getPropertyValue("--accent")',
    )
    assert.match(String(accent), /^#[0-9a-f]{6}$/)
    await open.close()
  })

  test('the HTML for a shop is copied in the chosen language', async () => {
    await page.goto(`${stand.origin}/console/products/${passport}`)
    await page.getByText('In a shop', { exact: true }).click()
    await page.getByLabel('Language of the link').selectOption({ label: 'Français' })
    await page.locator('#shop').getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(/snippet=fr/)
    await page.locator('#shop').getByRole('button', { name: 'Copy' }).click()
    await page.locator('#shop').getByRole('button', { name: 'Copied' }).waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    assert.match(copied, new RegExp(`^<a class="product-passport" href="[^"]+/p/${passport}" lang="fr">`))
    assert.match(copied, /<\/script>$/)
  })

  for (const [width, scheme] of [
    [1280, 'light'],
    [320, 'dark'],
  ] as const) {
    test(`every page at ${width} pixels, ${scheme}: axe finds no fault, nothing overflows, under 100 kB`, async () => {
      const other = await signIn({ width, height: 800 }, scheme)
      let bytes = 0
      other.on('response', async answer => {
        bytes += (await answer.body().catch(() => Buffer.alloc(0))).length
      })
      const [id] = await webhookIds()
      const at = `/console/webhooks/${id}`
      for (const path of [
        '/console',
        '/console/developer',
        '/console/keys',
        '/console/webhooks',
        '/console/webhooks/new',
        at,
        `${at}/edit`,
        `${at}/rotate`,
        `${at}/remove`,
        '/console/settings/brand',
        '/console/settings/brand?accent=%23fe0&accent_shown=',
        `/console/products/${passport}?snippet=el`,
      ]) {
        bytes = 0
        await other.goto(stand.origin + path)
        assert.deepEqual(await findViolations(other), [], path)
        assert.equal(await other.evaluate(WIDTH), width, path)
        assert.ok(bytes > 0 && bytes <= PAGE_BYTES_MAX, `${path}: ${bytes} bytes`)
      }
      await other.context().close()
    })
  }

  const webhookIds = async () => {
    await page.goto(`${stand.origin}/console/webhooks`)
    const hrefs = 'Array.from(document.querySelectorAll("h2 a"), one => one.pathname.split("/").at(-1))'
    return (await page.evaluate(hrefs)) as string[]
  }
})
