/** Tests that pages of the console say in which language a text of a product is, where it is not the page's. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Browser as Chromium, Page } from 'playwright-core'
import { getOperatorActor } from '../../src/accounts/account/actors.ts'
import { findCategory } from '../../src/categories/catalogue.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createRecord } from '../../src/passports/core/store-records.ts'
import { createDraft } from '../../src/passports/drafts/store-drafts.ts'
import { OFFER_STORE } from '../../src/passports/offers/store-offers.ts'
import { setRecall } from '../../src/passports/recalls/set-recall.ts'
import { updateStory } from '../../src/passports/story/update-story.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { type Body, validData } from '../categories/arbitrary.ts'
import { newProduct } from '../harness.ts'
import { findMarkedTexts, openBrowser, WITHOUT_CHROMIUM } from '../site/chromium.ts'
import { type Mark, markTexts } from '../site/marked-texts.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

/** Brands and what identifies a product have no language. Names of products and fibres are mentioned in sentences, too. */
const WITHOUT_LANGUAGE = ['brandName', 'sku', 'productName', 'fiberComposition.fiber']
const CATEGORIES = ['textile', 'battery', 'furniture'] as const

let stand: Stand
let browser: Chromium
let page: Page
let owner: Browser

describe('texts of products on pages of the console', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    stand = await startStand()
    const account = await stand.account({ plan: 'enterprise' })
    owner = await stand.signedIn(account, 'owner')
    browser = await openBrowser()
    page = await browser.newPage()
    ctx = {
      ...stand.ctx,
      sql: stand.sql,
      accountId: account,
      actorId: await getOperatorActor(stand.ctx, account),
    }
  })
  after(async () => {
    await browser?.close()
    await stand?.close()
  })
  let ctx: Parameters<typeof createPassport>[0]

  /** The languages in which the marks stand, by the marks. */
  async function visit(path: string): Promise<Map<string, Set<string>>> {
    const { status, text } = await owner.get(path, { headers: { 'accept-language': 'de' } })
    assert.equal(status, 200, path)
    await page.setContent(text)
    const found = new Map<string, Set<string>>()
    for (const { mark, lang } of await findMarkedTexts(page))
      found.set(mark, (found.get(mark) ?? new Set()).add(lang))
    return found
  }

  /** Returns how many texts were found. */
  async function assertLanguages(path: string, texts: readonly Mark[], primary: string): Promise<number> {
    const found = await visit(path)
    for (const { mark, path: at, language = primary } of texts) {
      if (!WITHOUT_LANGUAGE.includes(at) && found.has(mark))
        assert.deepEqual([...(found.get(mark) ?? [])], [language], `${at} at ${path}`)
    }
    return found.size
  }

  for (const id of CATEGORIES) {
    test(`${id}: data, forms, versions, differences and drafts`, async () => {
      const category = findCategory(id)
      assert.ok(category)
      const foreign = validData(category).filter(({ languages }) => (languages as string[])[0] !== 'de')
      const samples = fc.sample(foreign, { numRuns: 12, seed: 32 })
      const [data = {}] = samples.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)
      const { marked, texts } = markTexts(category.fields, withoutFiles(data))
      const [primary = ''] = marked.languages as string[]
      const { passport } = await createPassport(ctx, {
        ...newProduct(marked, id),
        data: marked,
        strict: false,
      })
      const { created } = await issueUnits(ctx, {
        parentUuid: passport.id,
        level: 'item',
        units: [{ serial: 'S-1' }],
        bulk: false,
        strict: false,
      })
      const model = `/console/products/${idFromUuid(passport.id)}`
      const item = `/console/products/${idFromUuid(created[0]?.passport.id ?? '')}`
      const draft = await createDraft(ctx, { category: id, data: marked, note: undefined })
      let seen = 0
      for (const path of [
        ...['', '/edit', '/versions/1', '/media', '/readiness', '/labels', '/recall'].map(one => model + one),
        ...['', '/edit', '/media'].map(one => item + one),
        ...['', '/edit', '/media'].map(one => `/console/drafts/${idFromUuid(draft.id)}${one}`),
      ])
        seen += await assertLanguages(path, texts, primary)
      assert.ok(seen > 60, `${seen} texts`)
      const name = texts.find(({ path }) => path === 'productName')?.mark ?? ''
      await page.setContent((await owner.get(model, { headers: { 'accept-language': 'de' } })).text)
      const heading = "document.querySelector('h1 [lang]')"
      assert.deepEqual(await page.evaluate(`[${heading}.textContent, ${heading}.lang]`), [name, primary])
    })
  }

  test('recalls, offers and the block of the brand', async () => {
    const { passport } = await createPassport(ctx, { ...newProduct(), strict: false })
    const texts = (n: number) => ({ en: `mark${n}x`, el: `mark${n + 1}x` })
    await setRecall(ctx, {
      uuid: passport.id,
      notice: { hazard: texts(0), action: texts(2), url: undefined, contact: undefined, from: undefined },
      expects: () => true,
    })
    const offer = await createRecord(ctx, OFFER_STORE, {
      kind: 'repair',
      title: texts(4),
      text: texts(6),
      url: 'https://shop.example/',
      countries: ['DE'],
    })
    const links = [{ url: 'https://brand.example/', label: texts(8) }]
    await updateStory(ctx, { text: texts(10), links })
    const marks: Mark[] = Array.from({ length: 12 }, (_, n) => ({
      path: `${n}`,
      mark: `mark${n}x`,
      language: n % 2 === 0 ? 'en' : 'el',
    }))
    for (const [path, least] of [
      [`/console/products/${idFromUuid(passport.id)}/recall`, 4],
      ['/console/settings/offers', 1],
      [`/console/settings/offers/${idFromUuid(offer.id)}/edit`, 4],
      [`/console/settings/offers/${idFromUuid(offer.id)}/delete`, 1],
      ['/console/settings/brand/story', 4],
    ] as const)
      assert.ok((await assertLanguages(path, marks, '')) >= least, path)
  })
})

/** The data without pictures and documents that Carnet would have to store. */
const withoutFiles = (data: Body): Body => {
  const withAddress = { ...data, pictures: [], documents: [] }
  return JSON.parse(JSON.stringify(withAddress, (name, value) => (name === 'media' ? undefined : value)))
}
