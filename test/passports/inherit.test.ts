/** Tests the pure rule by which units get corrections. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { PassportData } from '../../src/passports/core/check-data.ts'
import {
  applyCorrections,
  type Correction,
  type Inherited,
  listChangedFields,
} from '../../src/passports/core/inherit.ts'
import { IS_FULL } from '../full.ts'

const RUNS = IS_FULL ? 10_000 : 2_000
const FIELDS = ['a', 'b', 'c', 'd', 'constructor']

const field = fc.constantFrom(...FIELDS)
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.nat({ max: 2 }),
  fc.constantFrom({ en: 'x' }, { en: 'y' }, [1]),
)
const data: fc.Arbitrary<PassportData> = fc
  .uniqueArray(fc.tuple(field, value), { selector: ([name]) => name })
  .map(entries => Object.fromEntries(entries))

/**
 * Corrections of one passport: each starts from the end of the previous one, except for changes in between.
 */
const corrections: fc.Arbitrary<Correction[]> = fc
  .array(
    fc.record({
      before: data,
      after: data,
      batchFields: fc.subarray(FIELDS),
      isRefresh: fc.boolean(),
      schemaVersion: fc.integer({ min: 1, max: 2 }),
      follows: fc.boolean(),
    }),
    { maxLength: 5 },
  )
  .map(list =>
    list.map(({ follows, ...one }, index) => {
      const before = follows ? (list[index - 1]?.after ?? one.before) : one.before
      return { ...one, before, fields: listChangedFields(before, one.after), inheritedVersion: index + 1 }
    }),
  )

const inherited: fc.Arbitrary<Inherited> = fc.record({
  data,
  ownFields: fc.subarray(FIELDS),
  inheritedVersion: fc.nat({ max: 3 }),
})
const since = fc.record({ batch: corrections, model: corrections })

const holds = (property: fc.IRawProperty<unknown>) => fc.assert(property, { numRuns: RUNS })
const has = (of: PassportData, name: string) => (Object.hasOwn(of, name) ? of[name] : undefined)

describe(`applyCorrections, ${RUNS} times`, () => {
  test('changes only corrected fields, and lists all that it changed', () => {
    holds(
      fc.property(inherited, since, (unit, corrections) => {
        const result = applyCorrections(unit, corrections)
        const named = new Set([...corrections.batch, ...corrections.model].flatMap(one => one.fields))
        assert.deepEqual(listChangedFields(unit.data, result.data), result.changed)
        for (const name of [...result.changed, ...result.skipped]) assert.ok(named.has(name))
        for (const name of FIELDS.filter(one => !result.changed.includes(one)))
          assert.deepEqual(has(result.data, name), has(unit.data, name))
      }),
    )
  })

  test('does not change its arguments', () => {
    holds(
      fc.property(inherited, since, (unit, corrections) => {
        const before = JSON.stringify({ unit, corrections })
        applyCorrections(unit, corrections)
        assert.equal(JSON.stringify({ unit, corrections }), before)
      }),
    )
  })

  test('each field has its old value or that of a correction', () => {
    holds(
      fc.property(inherited, since, (unit, corrections) => {
        const result = applyCorrections(unit, corrections)
        for (const name of result.changed) {
          const given = [...corrections.batch, ...corrections.model].filter(one => one.fields.includes(name))
          const differences = given.map(one => listChangedFields(one.after, result.data))
          assert.ok(differences.some(names => !names.includes(name)))
        }
      }),
    )
  })

  test('applying a correction twice changes nothing more', () => {
    holds(
      fc.property(inherited, corrections, fc.boolean(), (unit, list, isOfBatch) => {
        const [one] = list.filter(({ fields }) => fields.length > 0)
        const corrections = {
          batch: one !== undefined && isOfBatch ? [one] : [],
          model: one !== undefined && !isOfBatch ? [one] : [],
        }
        const once = applyCorrections(unit, corrections)
        const twice = applyCorrections({ ...once, inheritedVersion: unit.inheritedVersion }, corrections)
        assert.deepEqual(
          { data: twice.data, ownFields: twice.ownFields, changed: twice.changed },
          { data: once.data, ownFields: once.ownFields, changed: [] },
        )
        assert.deepEqual(twice.skipped, once.skipped)
      }),
    )
  })

  test('corrections of the model that a unit already has change nothing', () => {
    holds(
      fc.property(inherited, corrections, (unit, model) => {
        const once = applyCorrections(unit, { batch: [], model })
        const twice = applyCorrections({ ...once, inheritedVersion: model.length }, { batch: [], model })
        assert.deepEqual(twice.data, once.data)
        assert.deepEqual({ changed: twice.changed, skipped: twice.skipped }, { changed: [], skipped: [] })
      }),
    )
  })

  test('the order of corrections of different fields does not matter', () => {
    holds(
      fc.property(inherited, corrections, corrections, (unit, left, right) => {
        const only = (list: Correction[], names: string[]) =>
          list.map(one => ({ ...one, fields: one.fields.filter(name => names.includes(name)) }))
        const [ab, cd] = [only(left, ['a', 'b']), only(right, ['c', 'd', 'constructor'])]
        for (const side of ['batch', 'model'] as const) {
          const corrections = (list: Correction[]) => ({ batch: [], model: [], [side]: list })
          assert.deepEqual(
            plain(applyCorrections(unit, corrections([...ab, ...cd]))),
            plain(applyCorrections(unit, corrections([...cd, ...ab]))),
          )
        }
      }),
    )
  })

  test('corrections of the model do not change fields that the batch has set', () => {
    holds(
      fc.property(inherited, corrections, (unit, model) => {
        const { changed, skipped } = applyCorrections(unit, { batch: [], model })
        for (const name of unit.ownFields) assert.ok(!changed.includes(name) && !skipped.includes(name))
      }),
    )
  })

  test('the last correction in a chain wins', () => {
    holds(
      fc.property(fc.array(data, { minLength: 2, maxLength: 6 }), fc.nat(), (states, start) => {
        const [first, ...rest] = states
        assert.ok(first)
        const model = rest.map((after, index) => {
          const before = states[index] ?? first
          return {
            before,
            after,
            fields: listChangedFields(before, after),
            batchFields: [],
            inheritedVersion: index + 1,
            isRefresh: false,
            schemaVersion: 1,
          }
        })
        const begin = start % states.length
        const unit = { data: states[begin] ?? first, ownFields: [], inheritedVersion: begin }
        const result = applyCorrections(unit, { batch: [], model })
        assert.deepEqual(listChangedFields(result.data, states.at(-1) ?? first), [])
        assert.deepEqual(result.skipped, [])
      }),
    )
  })
})

/** As JSON that does not depend on the order of keys. */
const plain = (result: ReturnType<typeof applyCorrections>) => ({
  ...result,
  data: Object.entries(result.data).sort(([a], [b]) => (a < b ? -1 : 1)),
})
