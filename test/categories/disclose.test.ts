import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { allCategories, type CompleteCategory, findCategory } from '../../src/categories/catalogue.ts'
import { disclose } from '../../src/categories/disclose.ts'
import { AUDIENCES, type Audience, type Field } from '../../src/categories/field.ts'
import { IS_FULL } from '../full.ts'
import { type Body, validData } from './arbitrary.ts'
import { freeze, T_SHIRT } from './examples.ts'

function category(id: string): CompleteCategory {
  const found = findCategory(id)
  assert.ok(found)
  return found
}

const CANARY = 'CANARY-7c1f'

/** The data with a canary in every place hidden from this audience, and in all free-form keys. */
function plant(fields: readonly Field[], data: Body, audience: Audience): Body {
  const planted: Body = { ...data, freeNote: CANARY, [`key ${CANARY}`]: { inner: [CANARY] } }
  for (const field of fields) {
    const hidden = field.audience !== undefined && !field.audience.includes(audience)
    if (hidden) planted[field.name] = { deep: [CANARY] }
    else if (field.type === 'object' && data[field.name] !== undefined) {
      planted[field.name] = plant(field.fields ?? [], data[field.name] as Body, audience)
    } else if (field.type === 'list' && field.of?.[0]?.name !== '' && Array.isArray(data[field.name])) {
      planted[field.name] = (data[field.name] as Body[]).map(entry => plant(field.of ?? [], entry, audience))
    }
  }
  return planted
}

const wholeOf = (data: Body) => ({ ...data })

for (const one of allCategories()) {
  describe(`disclose of ${one.id}`, () => {
    for (const audience of AUDIENCES) {
      it(`shows ${audience} no field of another audience`, () => {
        fc.assert(
          fc.property(validData(one), data => {
            const seen = disclose(one, freeze(plant(one.fields, data, audience)), audience)
            assert.ok(!JSON.stringify(seen).includes(CANARY))
          }),
          { numRuns: IS_FULL ? 100 : 40 },
        )
      })
    }

    it('shows an authority every field that is not for others alone, unchanged', () => {
      fc.assert(
        fc.property(validData(one), data => {
          const isSeen = ({ audience = AUDIENCES }: Field) => audience.includes('authority')
          const seen = new Set(one.fields.filter(isSeen).map(field => field.name))
          const other = one.fields.filter(field => !isSeen(field)).map(field => field.name)
          const expected = Object.fromEntries(Object.entries(wholeOf(data)).filter(([key]) => seen.has(key)))
          const withheld = other.some(name => Object.hasOwn(data, name))
          assert.deepEqual(disclose(one, freeze(data), 'authority'), { data: expected, withheld })
        }),
        { numRuns: IS_FULL ? 100 : 40 },
      )
    })

    it('never shows a value of a shape other than the table says', () => {
      const hostile = fc.dictionary(fc.constantFrom(...one.fields.map(field => field.name)), fc.jsonValue())
      fc.assert(
        fc.property(hostile, data => {
          for (const field of one.fields) {
            const shown = disclose(one, data, 'authority').data[field.name]
            if (shown !== undefined && field.type !== 'object' && field.type !== 'list' && !field.localized) {
              assert.ok(typeof shown !== 'object', field.name)
            }
          }
        }),
        { numRuns: IS_FULL ? 100 : 40 },
      )
    })
  })
}

describe('disclose', () => {
  it('removes protected members of objects and entries, and reports that something is withheld', () => {
    const { data, withheld } = disclose(category('textile'), T_SHIRT, 'public')
    const { eori: _, ...operator } = T_SHIRT.economicOperator as Body
    assert.deepEqual(data.economicOperator, operator)
    assert.deepEqual(data.supplyChainStages, [
      { stage: 'spinning', country: 'TR' },
      { stage: 'knitting', country: 'PT' },
      { stage: 'assembly', country: 'PT' },
    ])
    assert.equal(withheld, true)
    const interested = disclose(category('textile'), T_SHIRT, 'legitimate_interest')
    assert.deepEqual(interested.data.supplyChainStages, T_SHIRT.supplyChainStages)
    assert.ok(!('eori' in (interested.data.economicOperator as Body)))
  })

  it('reports entries that it removes for their own audience, if others see more', () => {
    const { economicOperator: _, supplyChainStages: __, ...rest } = T_SHIRT
    const documents = [undefined, 'restricted', 'authority'].map((access, i) => ({
      title: { en: `Document ${i}` },
      url: `https://brand.example/${i}.pdf`,
      ...(access === undefined ? {} : { access }),
    }))
    const show = (of: typeof documents, audience: Audience) => {
      const { data, withheld } = disclose(category('textile'), { ...rest, documents: of }, audience)
      return [(data.documents as Body[] | undefined)?.length ?? 0, withheld]
    }
    const few = documents.slice(0, 2)
    assert.deepEqual(
      AUDIENCES.map(audience => [audience, ...show(documents, audience), ...show(few, audience)]),
      [
        ['public', 1, true, 1, true],
        ['legitimate_interest', 2, true, 2, false],
        ['authority', 3, false, 2, false],
      ],
    )
    assert.deepEqual(show(documents.slice(1), 'public'), [0, true])
    assert.deepEqual(show(documents.slice(0, 1), 'public'), [1, false])
  })

  it('does not report free-form keys as withheld', () => {
    const { economicOperator: _, supplyChainStages: __, ...rest } = T_SHIRT
    const { data, withheld } = disclose(category('textile'), { ...rest, season: 'SS26' }, 'public')
    assert.deepEqual(data, rest)
    assert.equal(withheld, false)
  })

  it('leaves out objects that become empty', () => {
    const data = {
      economicOperator: { eori: 'DE1' },
      supplyChainStages: [{ facilityName: 'x' }],
      complianceDocuments: [],
    }
    assert.deepEqual(disclose(category('textile'), data, 'public'), {
      data: { complianceDocuments: [] },
      withheld: true,
    })
  })

  it('reads only own properties', () => {
    const inherited = Object.create({ productName: 'x' }) as Body
    assert.deepEqual(disclose(category('textile'), inherited, 'authority').data, {})
  })
})
