import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { allCategories } from '../../src/categories/catalogue.ts'
import type { DataObject } from '../../src/kernel/values/data-object.ts'
import { RULE_LEVELS } from '../../src/readiness/act.ts'
import { getFactBits } from '../../src/readiness/fact-bits.ts'
import { reportAct } from '../../src/readiness/report.ts'
import { loadRules } from '../../src/readiness/rules.ts'
import { buildSubject } from '../../src/readiness/subject.ts'
import { validData } from '../categories/arbitrary.ts'
import { IS_FULL } from '../full.ts'
import { emptySource, meetFact, recordMembers } from './sources.ts'

const rules = loadRules()
const DAYS = ['2026-11-22', '2030-01-01']

for (const category of allCategories()) {
  const acts = rules.acts.get(category.id) ?? []
  const bits = getFactBits(rules).get(category.id)
  assert.ok(bits)

  /** The outcome by data and place must equal that by the bits. */
  const requireSameReports = (data: DataObject, hasGtin: boolean, isUnderBatch: boolean) => {
    const sealed = bits.encode({ data, hasGtin, hasLot: isUnderBatch })
    for (const level of RULE_LEVELS) {
      if (isUnderBatch && level !== 'item') continue
      const record = recordMembers({
        id: true,
        gtin: hasGtin || null,
        lot: level === 'batch' || isUnderBatch || null,
        serial: level === 'item' || null,
        parent: level !== 'model' || null,
      })
      for (const hasChildren of [false, true]) {
        const fromData = buildSubject({ data, record, measured: new Set() }, level, hasChildren)
        const fromBits = bits.decode(sealed, { level, hasChildren })
        for (const act of acts)
          for (const day of DAYS)
            assert.deepEqual(reportAct(act, fromBits, {}, day), reportAct(act, fromData, {}, day))
      }
    }
  }

  describe(`facts of ${category.id} as bits`, () => {
    test('give the report that the data gives', () => {
      const declared = fc.subarray(acts.flatMap(act => act.rules.map(({ id }) => id)))
      fc.assert(
        fc.property(
          validData(category),
          declared,
          fc.boolean(),
          fc.boolean(),
          (data, ids, hasGtin, isUnderBatch) => {
            const notApplicable = ids.map(rule => ({ rule, reason: 'none of it' }))
            requireSameReports({ ...data, notApplicable }, hasGtin, isUnderBatch)
          },
        ),
        { numRuns: IS_FULL ? 150 : 60 },
      )
    })

    test('change with each fact that the rules ask for', () => {
      const empty = bits.encode({ data: {}, hasGtin: false, hasLot: false })
      for (const fact of acts.flatMap(act => act.rules.flatMap(rule => rule.met.flat()))) {
        if (!fact.field || !category.fields.some(({ name }) => name === fact.field)) continue
        const source = emptySource()
        meetFact(category, source, fact.text)
        const met = bits.encode({ data: source.data, hasGtin: false, hasLot: false })
        assert.notDeepEqual(met, empty, fact.text)
        const subject = bits.decode(met, { level: 'model', hasChildren: false })
        assert.equal(subject.read(fact), true, fact.text)
        requireSameReports(source.data, false, false)
      }
    })
  })
}

test('bits have another version in each category and for other facts', () => {
  const versions = Array.from(getFactBits(rules).values(), ({ version }) => version)
  assert.equal(new Set(versions).size, allCategories().length)
  const fewer = new Map(Array.from(rules.acts, ([category, acts]) => [category, acts.slice(1)]))
  for (const [category, { version }] of getFactBits({ ...rules, acts: fewer }))
    assert.notEqual(version, getFactBits(rules).get(category)?.version)
  assert.deepEqual(
    Array.from(getFactBits(loadRules()).values(), ({ version }) => version),
    versions,
  )
})
