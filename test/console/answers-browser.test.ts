/** Tests the address of an answer in Chromium without JavaScript: reload, back, two tabs, another person, a new process. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page, Request } from 'playwright-core'
import { createApp } from '../../src/cli/server/app.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { openMailer } from '../../src/kernel/http-out/smtp.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { CORES, type TestAccount } from '../harness.ts'
import { findViolations, openBrowser, WITHOUT_CHROMIUM } from '../site/chromium.ts'
import { HANG_MS } from '../waiting.ts'
import { freePort, startWholeStand, type WholeStand } from './whole-stand.ts'

let browser: Browser
let stand: WholeStand
let brand: TestAccount
let edit: string
let posts: string[]

const WITHOUT_SCRIPT = { locale: 'en-IE', javaScriptEnabled: false, viewport: { width: 1280, height: 900 } }

describe('the address of an answer', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    browser = await openBrowser()
    stand = await startWholeStand()
    brand = await stand.harness.account({ plan: 'enterprise' })
    const { passport } = await createPassport(brand.ctx, {
      category: 'textile',
      data: CORES.textile,
      strict: false,
    })
    const units = [{ serial: 'S1' }, { serial: 'S2' }]
    const issued = { parentUuid: passport.id, level: 'item', units, bulk: true, strict: false } as const
    await issueUnits(brand.ctx, issued)
    edit = `${stand.origin}/console/products/${idFromUuid(passport.id)}/edit`
  })
  after(async () => {
    await browser?.close()
    await stand?.close()
  })

  const signIn = async (settings: object = WITHOUT_SCRIPT): Promise<Page> => {
    const who = await stand.person(brand, 'owner')
    const page = await (await browser.newContext(settings)).newPage()
    page.setDefaultTimeout(HANG_MS)
    posts = []
    page.on('request', (request: Request) => {
      if (request.method() === 'POST') posts.push(new URL(request.url()).pathname)
    })
    await page.goto(`${stand.origin}/console/sign-in`)
    await page.fill('#email', who.email)
    await page.fill('#password', who.password)
    await page.press('#password', 'Enter')
    await page.waitForURL(url => !url.pathname.includes('sign-in'))
    posts.length = 0
    return page
  }
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
  const name = (page: Page) => page.locator('[name="d.productName"]')

  test('a form that fails is shown again by reload, in the same tab, and sends nothing', async () => {
    const page = await signIn()
    await page.goto(edit)
    await name(page).fill('')
    await page.fill('#note', 'Why not')
    await save(page)
    await page.getByRole('alert').waitFor()
    const at = page.url()
    assert.ok(at.startsWith(`${edit}?answer=`), at)
    await page.reload()
    assert.equal(page.url(), at)
    assert.equal(await page.locator('#note').inputValue(), 'Why not')
    assert.equal(posts.length, 1)

    await page.goBack()
    assert.equal(page.url(), edit)
    await page.goForward()
    assert.equal(await page.locator('#note').inputValue(), 'Why not')
    assert.equal(posts.length, 1)
    await page.context().close()
  })

  test('the review of a change survives reload and a copied address, and is saved once', async () => {
    const page = await signIn()
    await page.goto(edit)
    await name(page).fill('A tighter shirt')
    await save(page)
    const choice = page.locator('[name="change_type"][value="change"]')
    await choice.waitFor()
    const review = page.url()
    assert.ok(review.startsWith(`${edit}?answer=`), review)
    const copy = await page.context().newPage()
    await copy.goto(review)
    await copy.locator('[name="change_type"]').first().waitFor()
    await page.reload()
    await save(page)
    await page.getByRole('alert').waitFor()
    await choice.check()
    await save(page)
    await page.waitForURL(/done=saved/)
    assert.equal(posts.filter(path => path.includes('products')).length, 3)
    await page.goBack()
    assert.equal(page.url(), edit, 'what was saved is not offered as unsaved')
    assert.equal(await name(page).inputValue(), 'A tighter shirt')
    await page.context().close()
  })

  test('two tabs keep their own answers; a colleague gets the form', async () => {
    const page = await signIn()
    const other = await page.context().newPage()
    for (const [tab, typed] of [
      [page, 'First'],
      [other, 'Second'],
    ] as const) {
      await tab.goto(edit)
      await name(tab).fill('')
      await tab.fill('#note', typed)
      await save(tab)
      await tab.getByRole('alert').waitFor()
    }
    await page.reload()
    await other.reload()
    assert.equal(await page.locator('#note').inputValue(), 'First')
    assert.equal(await other.locator('#note').inputValue(), 'Second')
    const colleague = await signIn()
    await colleague.goto(page.url())
    assert.equal(colleague.url(), edit)
    assert.equal(await colleague.locator('#note').inputValue(), '')
    for (const one of [page, colleague]) await one.context().close()
  })

  test('another process shows it', async () => {
    const { setup } = stand.harness
    const sql = await stand.harness.openPools({ max: 2, name: 'second process' })
    const port = await freePort()
    const publicUrl = stand.origin
    const mail = openMailer(undefined, setup.log, [])
    const app = createApp({ ...setup, sql, mail, addresses: { publicUrl, apiUrl: `${publicUrl}/api/v1` } })
    try {
      await app.listen({ port, host: 'localhost' })
      const page = await signIn()
      await page.goto(edit)
      await name(page).fill('')
      await save(page)
      await page.getByRole('alert').waitFor()
      await page.goto(page.url().replace(stand.origin, `http://localhost:${port}`))
      await page.getByRole('alert').waitFor()
      await page.context().close()
    } finally {
      await app.close()
      await sql.end()
    }
  })

  test('with a script, what was typed is still guarded on the answer, and forgotten once it is saved', async () => {
    const page = await signIn({ locale: 'en-IE' })
    const asked: string[] = []
    page.on('dialog', dialog => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await page.goto(`${stand.origin}/console/settings/offers/new`)
    await page.locator('[name="title"]').first().fill('Repair at home')
    await page.locator('[name="title"]').first().press('Enter')
    await page.getByRole('alert').waitFor()
    assert.deepEqual(await findViolations(page), [])
    await page.reload()
    assert.deepEqual(asked, ['beforeunload'])
    assert.equal(await page.locator('[name="title"]').first().inputValue(), 'Repair at home')
    await page.getByRole('link', { name: 'Scans' }).first().click()
    await page.waitForURL(/scans/)
    assert.equal(asked.length, 2)
    await page.context().close()
  })
})
