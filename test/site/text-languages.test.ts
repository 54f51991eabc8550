/** Tests that each text of an account which is not in the language of its page says which language it is in. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { findCategory } from '../../src/categories/catalogue.ts'
import type { Language } from '../../src/i18n/catalogue.ts'
import { type Body, validData } from '../categories/arbitrary.ts'
import { findMarkedTexts, type MarkedText, openBrowser, WITHOUT_CHROMIUM } from './chromium.ts'
import { type Mark, markTexts } from './marked-texts.ts'
import { read, renderPage, rowOf } from './passport-views.ts'

/** Brands and what identifies a product have no language. */
const WITHOUT_LANGUAGE = ['brandName', 'sku']
const PAGES_OF_CATEGORY = 25

let browser: Browser
let page: Page

describe('texts of an account in another language than the page', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    browser = await openBrowser()
    page = await browser.newPage()
  })
  after(() => browser?.close())

  for (const id of ['textile', 'battery', 'furniture'] as const) {
    test(`${id}: each names its language, and may have its own direction`, async () => {
      const category = findCategory(id)
      assert.ok(category)
      let seen = 0
      const samples = fc.sample(
        fc.record({ data: validData(category), language: fc.constantFrom(...LANGUAGES) }),
        {
          numRuns: PAGES_OF_CATEGORY,
          seed: 32,
        },
      )
      for (const { data, language } of samples) {
        const { marked, texts } = markTexts(category.fields, data)
        await page.setContent(renderPage(read(rowOf(id, marked), 'authority'), language))
        for (const found of await findMarkedTexts(page)) {
          const text = texts.find(({ mark }) => mark === found.mark)
          if (text === undefined || WITHOUT_LANGUAGE.includes(text.path)) continue
          if (assertMarked(found, { text, language, marked })) seen++
        }
      }
      assert.ok(seen > PAGES_OF_CATEGORY * 10, `${seen} texts`)
    })
  }
})

const LANGUAGES = ['de', 'el', 'en'] as const satisfies readonly Language[]

/** Returns whether the text is in another language than the page. */
function assertMarked(
  { lang, dir }: MarkedText,
  { text, language, marked }: { text: Mark; language: Language; marked: Body },
): boolean {
  const own = text.language ?? (marked.languages as string[])[0] ?? ''
  const isForeign = own !== language && !own.startsWith(`${language}-`)
  assert.equal(lang, isForeign ? own : language, `${text.path} in ${own}`)
  if (isForeign) assert.equal(dir, 'auto', text.path)
  return isForeign
}
