/**
 * Runs axe on the public page in all categories, languages, audiences and colour schemes, for all levels,
 * versions and states: by default on a sample, with `npm run test:full` on everything.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { updateBrand } from '../../src/accounts/brand/update-brand.ts'
import { AUDIENCES, type Audience } from '../../src/categories/field.ts'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { createRecord } from '../../src/passports/core/store-records.ts'
import { OFFER_STORE } from '../../src/passports/offers/store-offers.ts'
import { updateStory } from '../../src/passports/story/update-story.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { IS_FULL } from '../full.ts'
import { ADDRESSES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { makePdf, makePng } from '../media/sample-files.ts'
import { findSmallTargets, findViolations, openBrowser, WIDTH, WITHOUT_CHROMIUM } from './chromium.ts'
import { FULL } from './passport-views.ts'

const CATEGORIES = ['textile', 'battery', 'furniture'] as const
const SCHEMES = ['light', 'dark'] as const

let harness: Harness
let account: TestAccount
let browser: Browser
let origin: string
const readers = new Map<Audience, Page>()

/**
 * A model, a batch and an item of each category, with a second version and an accent that both colour schemes
 * must adjust.
 */
async function makeFamily(category: (typeof CATEGORIES)[number]) {
  const { economicOperator: _, ...full } = FULL[category]
  const body = newProduct({ ...full, gtin: nextGtin() }, category)
  const model = (await createPassport(account.ctx, { ...body, strict: false })).passport.id
  const issue = async (parentUuid: string, level: 'batch' | 'item', unit: object) => {
    const { created } = await issueUnits(account.ctx, {
      parentUuid,
      level,
      units: [unit],
      bulk: false,
      strict: true,
    })
    return created[0]?.passport.id ?? ''
  }
  const batch = await issue(model, 'batch', { lot: 'L-7' })
  const item = await issue(batch, 'item', { serial: 'S-1', data: { productName: 'Its own name' } })
  const data = { productName: 'A corrected name' }
  const corrected = await harness.ask('PATCH', `/api/v1/products/${idFromUuid(model)}`, {
    key: account.key,
    body: { data, change_type: 'correction' },
  })
  assert.equal(corrected.status, 200, corrected.text)
  return { model: idFromUuid(model), batch: idFromUuid(batch), item: idFromUuid(item) }
}

async function readerOf(audience: Audience): Promise<Page> {
  const { token } =
    audience === 'public'
      ? { token: undefined }
      : await createAccessLink(account.ctx, {
          passportId: undefined,
          audience,
          label: 'Marktüberwachung',
          expiresAt: new Date(harness.clock.now().getTime() + 3_600_000),
          addresses: ADDRESSES,
        })
  const extraHTTPHeaders: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` }
  const viewport = { width: 320, height: 700 }
  const context = await browser.newContext({ bypassCSP: true, extraHTTPHeaders, viewport })
  return context.newPage()
}

async function upload(type: string, text: Buffer): Promise<string> {
  const headers = { 'content-type': type }
  const { json } = await harness.ask('POST', '/api/v1/media', { key: account.key, text, headers })
  return json.data.id
}

type Visit = { path: string; audience: Audience; schemes: readonly (typeof SCHEMES)[number][] }

async function assertAccessible({ path, audience, schemes }: Visit): Promise<void> {
  const page = readers.get(audience)
  assert.ok(page)
  const answer = await page.goto(origin + path)
  assert.equal(answer?.status(), 200, path)
  for (const [s, colorScheme] of schemes.entries()) {
    await page.emulateMedia({ colorScheme })
    const violations = await findViolations(page, s === 0 ? 'all' : 'colours')
    assert.deepEqual(violations, [], `${path} for ${audience}, ${colorScheme}`)
  }
  assert.equal(await page.evaluate(WIDTH), 320, `${path} for ${audience} at 320 px`)
  assert.deepEqual(await findSmallTargets(page), [], `${path} for ${audience}`)
}

describe('axe finds no fault, nothing overflows and fingers hit all at 320 px', {
  skip: WITHOUT_CHROMIUM,
}, () => {
  before(async () => {
    harness = await startHarness()
    account = await harness.account({ plan: 'enterprise' })
    await updateBrand(account.ctx, { name: 'Nordlicht', accent: '#888888' })
    origin = await harness.app.listen({ port: 0, host: '127.0.0.1' })
    browser = await openBrowser()
    for (const audience of AUDIENCES) readers.set(audience, await readerOf(audience))
  })
  after(async () => {
    await browser?.close()
    await harness?.close()
  })

  for (const [c, category] of CATEGORIES.entries()) {
    test(`${category}: models in every language, for every audience`, async () => {
      const { model } = await makeFamily(category)
      for (const [l, { code }] of LANGUAGES.entries()) {
        for (const [a, audience] of AUDIENCES.entries()) {
          // The sample has each language once, and all audiences of each category.
          const isSampled = l % CATEGORIES.length === c && Math.floor(l / 3) % AUDIENCES.length === a
          if (!IS_FULL && !isSampled) continue
          const schemes = IS_FULL ? SCHEMES : SCHEMES.filter((_, s) => Math.floor(l / 3) % 2 === s)
          await assertAccessible({ path: `/p/${model}?lang=${code}`, audience, schemes })
        }
      }
    })

    test(`${category}: batches, items and earlier versions`, async () => {
      const { model, batch, item } = await makeFamily(category)
      const spread = LANGUAGES.filter((_, l) => l % CATEGORIES.length === c)
      const languages = IS_FULL ? spread.map(({ code }) => code) : (['hu'] as const)
      for (const [l, language] of languages.entries()) {
        for (const [i, address] of [batch, item, `${model}?version=1`].entries()) {
          const audience = AUDIENCES[(c + i + l) % AUDIENCES.length] ?? 'public'
          const join = address.includes('?') ? '&' : '?'
          await assertAccessible({ path: `/p/${address}${join}lang=${language}`, audience, schemes: SCHEMES })
        }
      }
    })
  }

  test('recalled items, with their notice and that of their model', async () => {
    const { model, item } = await makeFamily('battery')
    const notice = {
      hazard: { en: `It ${'overheats '.repeat(20)}` },
      action: { en: 'Stop.\nhttps://brand.example' },
      url: `https://brand.example/${'recall'.repeat(20)}`,
      contact: 'service@brand.example',
    }
    for (const id of [model, item]) {
      const sent = { key: account.key, body: notice }
      const { status, text } = await harness.ask('PUT', `/api/v1/products/${id}/recall`, sent)
      assert.equal(status, 201, text)
    }
    for (const [a, language] of (['de', 'el', 'fi'] as const).entries()) {
      const audience = AUDIENCES[a] ?? 'public'
      await assertAccessible({ path: `/p/${item}?lang=${language}`, audience, schemes: SCHEMES })
    }
  })

  test('pages with pictures, documents, offers, a map, the brand’s own block and a recall, for every audience', async () => {
    const media = await upload('image/png', await makePng({ width: 320, height: 240 }))
    const pdf = await upload('application/pdf', await makePdf())
    const pictures = ['In front', 'Behind'].map(text => ({
      media,
      alt: { en: text },
      caption: { en: `${text}, in blue` },
    }))
    const documents = (['public', 'restricted', 'authority'] as const).map(access => ({
      title: { en: `For ${access}` },
      type: 'manual',
      language: 'en',
      media: pdf,
      access,
    }))
    const offer = { kind: 'repair', title: { en: 'Workshop' }, url: 'https://shop.example/' } as const
    for (const countries of [['DE'], ['FR', 'IT']])
      await createRecord(account.ctx, OFFER_STORE, { ...offer, countries })
    const label = { en: 'Our mills' }
    const links = [{ url: 'https://brand.example/', label }]
    await updateStory(account.ctx, {
      text: { en: 'Knitted in Porto.' },
      picture: { media, alt: label },
      links,
    })
    const notice = { hazard: { en: 'The zip can break.' }, action: { en: 'Bring it back.' } }
    for (const [i, [category, language]] of [
      ['textile', 'fi'] as const,
      ['battery', 'el'] as const,
      ['furniture', 'mt'] as const,
    ].entries()) {
      const supplyChainStages = ['TR', 'PT', 'DE'].map(country => ({ stage: 'spinning', country }))
      const { gtin: _, economicOperator: __, ...full } = FULL[category]
      const data = { ...full, pictures, documents, ...(category === 'textile' && { supplyChainStages }) }
      const body = { ...newProduct(data, category), strict: false }
      const id = idFromUuid((await createPassport(account.ctx, body)).passport.id)
      const changed = { data: { complianceDocuments: [{ type: 'declaration_of_conformity', media: pdf }] } }
      const { key } = account
      const { status } = await harness.ask('PATCH', `/api/v1/products/${id}`, { key, body: changed })
      assert.equal(status, 200)
      if (i === 0) await harness.ask('PUT', `/api/v1/products/${id}/recall`, { key, body: notice })
      const country = i === 1 ? '&country=DE' : ''
      for (const audience of IS_FULL ? AUDIENCES : [AUDIENCES[i] ?? 'public'])
        await assertAccessible({ path: `/p/${id}?lang=${language}${country}`, audience, schemes: SCHEMES })
    }
  })

  test('an archived passport, the vocabulary, a 404 page', async () => {
    const { model } = await makeFamily('textile')
    await harness.ask('POST', `/api/v1/products/${model}/archive`, { key: account.key })
    await assertAccessible({ path: `/p/${model}?lang=pl`, audience: 'public', schemes: SCHEMES })
    await assertAccessible({ path: '/ns/dpp', audience: 'public', schemes: SCHEMES })
    const page = readers.get('public')
    await page?.goto(`${origin}/p/nothing?lang=fr`)
    assert.deepEqual(page && (await findViolations(page)), [])
  })
})
