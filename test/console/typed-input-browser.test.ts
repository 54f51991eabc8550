/** Tests that no form of the console loses what people type, in Chromium, and that a double click sends once. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { CORES, type TestAccount } from '../harness.ts'
import { findViolations, openBrowser, WITHOUT_CHROMIUM } from '../site/chromium.ts'
import { HANG_MS, waitUntil } from '../waiting.ts'
import { startWholeStand, type WholeStand } from './whole-stand.ts'

let browser: Browser
let stand: WholeStand
let brand: TestAccount
let page: Page
let product: string
let who: { email: string; password: string }
const asked: string[] = []

describe('what people type', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    browser = await openBrowser()
    stand = await startWholeStand()
    brand = await stand.harness.account({ plan: 'enterprise' })
    const { passport } = await createPassport(brand.ctx, {
      category: 'textile',
      data: CORES.textile,
      strict: false,
    })
    product = idFromUuid(passport.id)
    who = await stand.person(brand, 'owner')
    page = await (await browser.newContext({ locale: 'en-IE' })).newPage()
    page.setDefaultTimeout(HANG_MS)
    page.on('dialog', dialog => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await page.goto(`${stand.origin}/console/sign-in`)
    await page.fill('#email', who.email)
    await page.fill('#password', who.password)
    await page.press('#password', 'Enter')
    await page.waitForURL(url => !url.pathname.includes('sign-in'))
  })
  after(async () => {
    await browser?.close()
    await stand?.close()
  })

  const drafts = () => page.evaluate('Object.keys(localStorage).length')
  const offer = () => page.getByText('You have unsaved changes from')
  const leave = async () => {
    asked.length = 0
    await page.getByRole('link', { name: 'Scans' }).first().click()
    await page.waitForURL(/scans/)
    return [...asked]
  }
  const open = (path: string) => page.goto(`${stand.origin}/console/${path}`)
  const forms = (): [path: string, field: string][] => [
    [`products/${product}/recall`, 'hazard.en'],
    [`products/${product}/units/new`, 'names'],
    ['settings/offers/new', 'title'],
    ['settings/brand', 'name'],
    ['settings/brand/story', 'text'],
    ['settings/access-links', 'label'],
    ['webhooks/new', 'description'],
    ['keys', 'name'],
    ['settings/people', 'email'],
  ]

  test('each form asks before it is left, and offers what was typed', async () => {
    for (const [path, field] of forms()) {
      await open(path)
      assert.deepEqual(await leave(), [], `${path}: nothing typed, nothing asked`)
      await open(path)
      await page.locator(`[name="${field}"]`).first().fill('typed@left.example')
      assert.deepEqual(await leave(), ['beforeunload'], path)
      await open(path)
      await offer().waitFor()
      await page.getByRole('button', { name: 'Restore them' }).click()
      await waitUntil(
        `${path} is restored`,
        async () => (await page.locator(`[name="${field}"]`).first().inputValue()) === 'typed@left.example',
      )
      assert.deepEqual(await findViolations(page), [], path)
      assert.equal((await leave()).length, 1, `${path}: restored, but not saved`)
      await open(path)
      await page.getByRole('button', { name: 'Discard them' }).click()
      assert.equal(await drafts(), 0, path)
    }
  })

  test('a form that is saved keeps nothing, and one that is refused keeps all', async () => {
    await open('settings/access-links')
    await page.locator('[name="label"]').fill('Workshop')
    await page.getByRole('button', { name: 'Create the link' }).click()
    await page.getByRole('alert').waitFor()
    assert.equal(await drafts(), 1)
    assert.equal((await leave()).length, 1, 'refused, and left')
    await open('settings/access-links')
    await page.getByRole('button', { name: 'Restore them' }).click()
    await page.locator('[name="audience"]').selectOption('authority')
    await page.locator('[name="opens"]').selectOption('all')
    await page.getByRole('button', { name: 'Create the link' }).click()
    await page.getByText('Append ?access').first().waitFor()
    assert.equal(await drafts(), 0)

    await open(`products/${product}/recall`)
    await page.locator('[name="hazard.en"]').fill('The seam can open.')
    await page.locator('[name="action.en"]').fill('Stop using it.')
    await page.locator('button[value="check"]').click()
    await page.locator('button[value="publish"]').waitFor()
    assert.equal((await leave()).length, 1, 'the last question is a step, not the end')
    await open(`products/${product}/recall`)
    await page.getByRole('button', { name: 'Restore them' }).click()
    await page.locator('button[value="check"]').click()
    await page.locator('button[value="publish"]').click()
    await page.waitForURL(/done=set/)
    assert.equal(await drafts(), 0)
    assert.deepEqual(await leave(), [])
  })

  test('what was saved is not offered again, wherever the form led', async () => {
    await open('keys')
    await page.locator('[name="name"]').fill('Shop')
    await page.locator('[name="scope"]').selectOption('read')
    await page.locator('[name="ends"]').selectOption('never')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.waitForURL(/keys\/shown/)
    await open('keys')
    assert.equal(await drafts(), 0)
    assert.equal(await offer().count(), 0)
    assert.equal(await page.evaluate('document.cookie'), '')
  })

  test('a form that met an ended session is offered after signing in again', async () => {
    await open('settings/offers/new')
    await page.locator('[name="title"]').first().fill('Repair at home')
    await page.context().clearCookies()
    await page.locator('[name="title"]').first().press('Enter')
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await page.goto(`${stand.origin}/console/sign-in?next=/console/settings/offers/new`)
    await page.fill('#email', who.email)
    await page.fill('#password', who.password)
    await page.press('#password', 'Enter')
    await offer().waitFor()
    await page.getByRole('button', { name: 'Discard them' }).click()
  })

  test('a double click issues the units, and reports no error', async () => {
    await open(`products/${product}/units/new`)
    await page.locator('[name="names"]').fill('D-1\nD-2')
    await page.getByRole('button', { name: 'Create' }).dblclick()
    await page.getByText('2 units created.').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.equal(await drafts(), 0)
  })
})
