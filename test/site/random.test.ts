/**
 * Tests pages and documents of random passports: strict parsers accept them, and they contain nothing
 * protected.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type CompleteCategory, findCategory } from '../../src/categories/catalogue.ts'
import { AUDIENCES, type Audience, type Field } from '../../src/categories/field.ts'
import { LANGUAGES, type Language } from '../../src/i18n/catalogue.ts'
import type { PublicPassportRow } from '../../src/passports/read/find.ts'
import { renderJsonLd } from '../../src/site/json-ld/document.ts'
import { type Body, validData } from '../categories/arbitrary.ts'
import { countRepetitions, IS_FULL } from '../full.ts'
import { read, renderPage } from './passport-views.ts'
import { place, rowAt } from './random-places.ts'
import { assertKnown, expand, NS, toQuads } from './strict-json-ld.ts'

const CATEGORIES = ['textile', 'battery', 'furniture'] as const
type CategoryId = (typeof CATEGORIES)[number]

const categoryOf = (id: CategoryId): CompleteCategory => {
  const category = findCategory(id)
  assert.ok(category)
  return category
}

const htmlOf = (row: PublicPassportRow, audience: Audience, language: Language) =>
  renderPage(read(row, audience), language, { qr: '' })

describe('random passports as JSON-LD', () => {
  for (const id of CATEGORIES) {
    test(`${id}: expands, converts to RDF, and the context has every term`, async () => {
      await fc.assert(
        fc.asyncProperty(
          validData(categoryOf(id)),
          place,
          fc.constantFrom(...AUDIENCES),
          async (data, where, audience) => {
            const document = JSON.parse(renderJsonLd(read(rowAt(id, data, where), audience), NS))
            assertKnown(await expand(document))
            assert.doesNotMatch(await toQuads(document), /xsd:decimal/)
          },
        ),
        { numRuns: countRepetitions(import.meta.url, { few: 40, near: 120, full: 1_000 }) },
      )
    })
  }
})

const WORD = 'CANARY'
const NUMBER = 97.123456789
const FOUND = /CANARY|97[.,]123456789/

/** The data with a canary in every place hidden from this audience, whether or not it had a value. */
function plant(fields: readonly Field[], data: Body, audience: Audience): Body {
  const planted: Body = { ...data }
  for (const field of fields) {
    const value = data[field.name]
    if (field.audience !== undefined && !field.audience.includes(audience))
      planted[field.name] = canary(field)
    else if (field.type === 'object' && isBody(value))
      planted[field.name] = plant(field.fields ?? [], value, audience)
    else if (field.type === 'list' && Array.isArray(value))
      planted[field.name] = value.map(entry =>
        isBody(entry) ? plant(field.of ?? [], entry, audience) : entry,
      )
  }
  return planted
}

const isBody = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function canary(field: Field): unknown {
  if (field.type === 'number') return NUMBER
  if (field.localized) return { en: WORD }
  if (field.format === 'url') return `https://docs.example/${WORD}`
  return WORD
}

const KEPT_OUT = ['public', 'legitimate_interest'] as const
const anyCategory = fc.oneof(...CATEGORIES.map(id => validData(categoryOf(id)).map(data => ({ id, data }))))

const anyLanguage = fc.constantFrom(...LANGUAGES.map(({ code }) => code))

test('random passports show no withheld value', () => {
  let seen = 0
  fc.assert(
    fc.property(
      anyCategory,
      place,
      anyLanguage,
      fc.constantFrom(...KEPT_OUT),
      (passport, where, language, audience) => {
        const { id, data } = passport
        const planted = plant(categoryOf(id).fields, data, audience)
        const row = rowAt(id, { ...planted, internalNote: WORD, [`${WORD}key`]: { inner: WORD } }, where)
        for (const output of [htmlOf(row, audience, language), renderJsonLd(read(row, audience), NS)]) {
          assert.doesNotMatch(output, FOUND)
        }
        if (FOUND.test(renderJsonLd(read(row, 'authority'), NS))) seen++
      },
    ),
    { numRuns: IS_FULL ? 10_000 : 500 },
  )
  // An authority must find the canaries, which proves that the search works.
  assert.ok(seen > 400, `${seen} were there to be found`)
})
