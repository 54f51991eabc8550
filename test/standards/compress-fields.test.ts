/** The compressed form is written without data elements, and says what theirs would. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { allCategories, type CompleteCategory } from '../../src/categories/catalogue.ts'
import { discloseAll } from '../../src/categories/disclose.ts'
import type { DataObject } from '../../src/kernel/values/data-object.ts'
import { compressElements } from '../../src/standards/en18223/compress.ts'
import { compressFields } from '../../src/standards/en18223/compress-fields.ts'
import { buildElements } from '../../src/standards/en18223/elements.ts'
import { validData } from '../categories/arbitrary.ts'
import { IS_FULL } from '../full.ts'

const OPTIONS = { nsUrl: 'https://example.com/ns', primaryLanguage: 'de-AT', ownHost: 'example.com' }

/** The same members in the same order. */
function assertSame({ fields }: CompleteCategory, data: DataObject): void {
  const expected = compressElements(buildElements(fields, data, OPTIONS))
  assert.equal(JSON.stringify(compressFields(fields, data, OPTIONS)), JSON.stringify(expected))
}

describe('fields in the compressed form', () => {
  for (const category of allCategories()) {
    test(`${category.id}: valid data is written as its elements are`, () => {
      fc.assert(
        fc.property(validData(category), data => assertSame(category, data)),
        { numRuns: IS_FULL ? 3_000 : 100 },
      )
    })

    test(`${category.id}: so is what is disclosed of values of other types`, () => {
      const names = [...category.fields.map(({ name }) => name), 'url', 'title', 'type', 'en', '__proto__']
      const { tree } = fc.letrec(tie => ({
        tree: fc.oneof(
          { maxDepth: 5 },
          fc.constantFrom(null, undefined, 7, false, '', 'text'),
          fc.array(tie('tree'), { maxLength: 3 }),
          fc.dictionary(fc.constantFrom(...names), tie('tree')),
        ),
      }))
      fc.assert(
        fc.property(fc.dictionary(fc.constantFrom(...names), tree), data =>
          assertSame(category, discloseAll(category, data)),
        ),
        { numRuns: IS_FULL ? 5_000 : 500 },
      )
    })
  }
})
