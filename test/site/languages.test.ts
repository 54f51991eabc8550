/** Tests that texts with any tag reach the readers who can read them, on every part of a page. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isLanguage } from '../../src/i18n/catalogue.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createRecord } from '../../src/passports/core/store-records.ts'
import { OFFER_STORE } from '../../src/passports/offers/store-offers.ts'
import { setRecall } from '../../src/passports/recalls/set-recall.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { expectedTag, READERS, TEXT_TAGS } from '../i18n/reader-languages.ts'

let t: Harness
let account: TestAccount
let networks = 0
before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
})
after(() => t.close())

/** A recalled product with an offer and a document. Its texts are `[part tag]` in each language. */
async function makeProduct(tags: readonly [string, ...string[]]): Promise<string> {
  const texts = (part: string) => Object.fromEntries(tags.map(tag => [tag, `[${part} ${tag}]`]))
  const body = newProduct({
    languages: tags,
    careInstructions: texts('care'),
    endOfLife: { recyclingInstructions: texts('recycling'), disposalInstructions: texts('disposal') },
    documents: [{ type: 'manual', url: 'https://shop.example/manual', title: texts('document') }],
  })
  const { passport } = await createPassport(account.ctx, { ...body, strict: false })
  const id = idFromUuid(passport.id)
  const notice = { hazard: texts('hazard'), action: texts('action') }
  await setRecall(account.ctx, {
    uuid: passport.id,
    notice: { ...notice, url: undefined, contact: undefined, from: undefined },
    expects: () => true,
  })
  await createRecord(account.ctx, OFFER_STORE, {
    kind: 'repair',
    title: texts('offer'),
    text: texts('sentence'),
    url: 'https://shop.example/',
    product_id: id,
    category: undefined,
    countries: undefined,
    position: undefined,
  })
  return id
}

const PARTS = ['care', 'recycling', 'disposal', 'document', 'hazard', 'action', 'offer', 'sentence']

/** The language of the page's labels, and the tags of the shown texts of each part. */
async function open(id: string, query: string, reader?: string) {
  // A network of its own, because of the limit of uncached pages.
  const from = `10.2.${networks >> 8}.${networks++ & 255}`
  const headers = { accept: 'text/html', ...(reader === undefined ? {} : { 'accept-language': reader }) }
  const { status, text } = await t.ask('GET', `/p/${id}${query}`, { headers, from })
  assert.equal(status, 200)
  const [, labels = ''] = /<html lang="([^"]+)"/.exec(text) ?? []
  const shown = PARTS.map(part => [
    part,
    [...new Set(Array.from(text.matchAll(new RegExp(`\\[${part} ([^\\]]+)\\]`, 'g')), ([, tag]) => tag))],
  ])
  return { labels, shown: Object.fromEntries(shown) }
}

const everyPart = (tag: string) => Object.fromEntries(PARTS.map(part => [part, [tag]]))

describe('a page with texts in another language than English', () => {
  for (const tag of TEXT_TAGS) {
    test(`gives ${tag} to those who can read it, English to others`, async () => {
      const id = await makeProduct(['en', tag])
      for (const reader of READERS) {
        const { labels, shown } = await open(id, '', reader)
        assert.deepEqual(shown, everyPart(expectedTag(reader, ['en', tag]) ?? 'en'), reader)
        const [base = ''] = reader.split('-')
        assert.equal(labels, isLanguage(base) ? base : 'en', reader)
      }
    })
  }
})

describe('a page with texts in all regions', () => {
  test('gives each reader the nearest, also by its own links', async () => {
    const id = await makeProduct(['en-US', 'de-DE', 'fr-FR', 'zh-Hant', 'pt-PT', 'pt-BR'])
    for (const [reader, tag] of [
      ...(['de', 'de-AT', 'de-CH'] as const).map(one => [one, 'de-DE'] as const),
      ['fr-BE', 'fr-FR'],
      ['zh-TW', 'zh-Hant'],
      ['zh-HK', 'zh-Hant'],
      ['pt', 'pt-BR'],
      ['pt-PT', 'pt-PT'],
      ['en-GB', 'en-US'],
      ['it', 'en-US'],
    ] as const) {
      assert.deepEqual((await open(id, '', reader)).shown, everyPart(tag), reader)
      assert.deepEqual((await open(id, `?lang=${reader}`, 'it')).shown, everyPart(tag), `?lang=${reader}`)
    }
    assert.deepEqual(await open(id, '?lang=de'), { labels: 'de', shown: everyPart('de-DE') })
  })
})

describe('a page in a language that no text has', () => {
  test("shows texts in the reader's other languages before the primary one", async () => {
    const id = await makeProduct(['de', 'en', 'fr'])
    for (const [query, reader, tag] of [
      ['', 'fi', 'de'],
      ['', 'fi, en;q=0.5', 'en'],
      ['', 'fi, en;q=0.3, fr;q=0.5', 'fr'],
      ['', 'fi, sv, en-GB', 'en'],
      ['?lang=fi', 'en', 'en'],
      ['?lang=fi', 'sv', 'de'],
    ] as const) {
      assert.deepEqual(await open(id, query, reader), { labels: 'fi', shown: everyPart(tag) }, reader)
    }
  })
})
