/**
 * The forms of random passports hold the same values, leaf by leaf: of each category, on each level, for each
 * audience, in several languages. What a form cannot hold stands in docs/standards.md, and nothing else.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { allCategories } from '../../src/categories/catalogue.ts'
import { AUDIENCES } from '../../src/categories/field.ts'
import type { PublicPassportRow } from '../../src/passports/read/find.ts'
import { buildEnDocument } from '../../src/standards/en18223/document.ts'
import { type Body, validData } from '../categories/arbitrary.ts'
import { IS_FULL } from '../full.ts'
import { markTexts, renderInAllLanguages } from '../site/marked-texts.ts'
import { read } from '../site/passport-views.ts'
import { place, rowAt } from '../site/random-places.ts'
import { buildDatedReading, PUBLISHER, readAllForms } from './all-forms.ts'
import { FORMS, type Form, findPageLimit, LIMITS, readLimits } from './form-limits.ts'

const PASSPORTS = IS_FULL ? 3_000 : 60

const PLANT = { facilityId: '9521234001003', name: 'Malhas do Norte' }

/** Most random plants have what credentials require, some in the country of manufacture. */
const addPlant = (data: Body, isAtHome: boolean): Body => ({
  ...data,
  manufacturingFacility: {
    ...PLANT,
    ...(data.manufacturingFacility as object | undefined),
    ...(isAtHome ? { country: data.countryOfManufacture } : {}),
  },
})

const changes = fc.record({
  plant: fc.boolean(),
  isAtHome: fc.boolean(),
  isOdd: fc.boolean(),
  isEmpty: fc.nat(2).map(n => n === 0),
})
type Changes = typeof changes extends fc.Arbitrary<infer T> ? T : never

/** U+FFFF is a character that JSON holds and XML does not. */
function change(data: Body, { plant, isAtHome, isOdd, isEmpty }: Changes): Body {
  const changed = {
    ...data,
    ...(isOdd ? { productName: `${data.productName}\uffff` } : {}),
    ...(isEmpty && data.dimensions !== undefined ? { dimensions: {} } : {}),
  }
  return plant ? addPlant(changed, isAtHome) : changed
}

const limits = readLimits()
const listed = FORMS.flatMap(form =>
  [...limits].flatMap(([name, forms]) => (forms.includes(form) ? [`${form}: ${name}`] : [])),
)
/** Limits without which a form would have differed from its passport. */
const happened = new Set<string>()
const compared = new Map<Form, number>()

async function compareForms(row: PublicPassportRow, audience: (typeof AUDIENCES)[number]): Promise<void> {
  const { reading, forms, full } = await readAllForms(row, audience)
  assert.deepEqual(full, forms['EN 18223'], 'both forms of EN 18223')
  for (const [form, actual] of Object.entries(forms) as [Form, unknown][]) {
    const names = [...limits].flatMap(([name, of]) => (of.includes(form) ? [name] : []))
    const apply = (left?: string) =>
      names
        .filter(name => name !== left)
        .reduce((data, name) => LIMITS[name]?.(data, reading) ?? data, reading.data)
    assert.deepEqual(actual, apply(), form)
    compared.set(form, (compared.get(form) ?? 0) + 1)
    for (const name of names) if (!isDeepStrictEqual(actual, apply(name))) happened.add(`${form}: ${name}`)
  }
}

describe('the forms of random passports hold the same values', () => {
  for (const category of allCategories()) {
    it(`of ${category.id}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          validData(category),
          place,
          fc.constantFrom(...AUDIENCES),
          fc.constantFrom('contract' as const, 'law' as const),
          changes,
          async (data, where, audience, audience_profile, changed) => {
            const row = rowAt(category.id as 'textile', change(data, changed), where, {
              schema_version: category.schemaVersion,
              audience_profile,
            })
            await compareForms(row, audience)
          },
        ),
        { numRuns: PASSPORTS },
      )
    })
  }

  it('and differ in each way that docs/standards.md lists', () => {
    const all = PASSPORTS * allCategories().length
    for (const form of FORMS) assert.ok((compared.get(form) ?? 0) > all / 4, form)
    assert.deepEqual([...happened].sort(), listed.toSorted())
  })
})

describe('the pages of random passports', () => {
  const listed = [...limits].flatMap(([name, forms]) => (forms.includes('page') ? [name] : []))

  for (const category of allCategories()) {
    it(`of ${category.id} hold each text that the documents hold`, () => {
      const missing = new Set<string>()
      fc.assert(
        fc.property(validData(category), place, fc.constantFrom(...AUDIENCES), (data, where, audience) => {
          const { marked, texts } = markTexts(category.fields, data)
          const row = rowAt(category.id as 'textile', marked, where, {
            schema_version: category.schemaVersion,
          })
          const view = read(row, audience)
          const document = JSON.stringify(buildEnDocument(buildDatedReading(row, audience), PUBLISHER))
          const pages = renderInAllLanguages(view, texts)
          for (const { path, mark } of texts) {
            assert.ok(!pages.includes(mark) || document.includes(mark), `${path} is in documents, too`)
            if (document.includes(mark) && !pages.includes(mark)) missing.add(findPageLimit(path) ?? path)
          }
        }),
        { numRuns: PASSPORTS },
      )
      assert.deepEqual([...missing].sort(), listed.toSorted())
    })
  }
})
