/** Tables of products in use: those that come with Carnet, one of an operator, and spoilt ones. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { allCategories } from '../../src/categories/catalogue.ts'
import { AUDIENCES } from '../../src/categories/field.ts'
import { getInUseTable, loadInUseTables } from '../../src/categories/in-use/table.ts'
import { RuleFileError } from '../../src/kernel/config/rule-files.ts'

const METRIC = { name: 'hoursOfUse', slot: 0, unit: 'h', kind: 'counter', source: ['voluntary'] }
const TABLE = {
  format: 'carnet-in-use/1',
  category: 'made_up',
  version: '2026-11-27',
  audience: ['authority'],
  metrics: [METRIC],
  events: [{ kind: 'polished' }],
}

let folder: string
const load = (table: unknown) => {
  writeFileSync(join(folder, 'in-use', 'table.json'), JSON.stringify(table))
  return loadInUseTables(folder)
}

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'carnet-in-use-'))
  mkdirSync(join(folder, 'in-use'))
})

after(() => rmSync(folder, { recursive: true }))

describe('tables that come with Carnet', () => {
  test('every category has the common kinds of events', () => {
    for (const { id } of allCategories()) {
      const { events } = getInUseTable(id)
      for (const kind of ['put_into_service', 'repair', 'recycled', 'handed_over', 'correction'])
        assert.ok(events.has(kind), `${id} ${kind}`)
      assert.equal(events.get('recycled')?.ends, true)
      assert.equal(events.get('handed_over')?.isByServer, true)
    }
  })

  test('a battery has the metrics of the law at their slots', () => {
    const { metrics, metricByName, audience } = getInUseTable('battery')
    assert.deepEqual(audience, ['legitimate_interest'])
    assert.deepEqual(
      metrics.map(({ slot }) => slot),
      Array.from({ length: 31 }, (_, slot) => slot),
    )
    assert.equal(metricByName.get('stateOfCertifiedEnergy')?.slot, 9)
    assert.equal(metricByName.get('fullEquivalentCycles')?.kind, 'counter')
    assert.equal(metricByName.get('remainingUsableEnergy')?.unit, 'kWh')
  })

  test('the public of a battery sees its repairs and its end, and nothing else of its life', () => {
    const { events } = getInUseTable('battery')
    const open = [...events.values()].filter(({ audience }) => audience.includes('public'))
    assert.deepEqual(open.map(({ kind }) => kind).toSorted(), [
      'correction',
      'destroyed',
      'handed_over',
      'recycled',
      'repair',
      'taken_over',
    ])
    assert.equal([...events.values()].filter(({ isNegative }) => isNegative).length, 16)
  })

  test('furniture has no metrics, and shows its events to everyone', () => {
    const { metrics, events } = getInUseTable('furniture')
    assert.deepEqual(metrics, [])
    assert.deepEqual(events.get('repair')?.audience, AUDIENCES)
  })
})

describe('a table of an operator', () => {
  test('adds a category, with its audience for kinds that name none', () => {
    const table = load(TABLE).byCategory.get('made_up')
    assert.equal(table?.metricByName.get('hoursOfUse')?.unit, 'h')
    assert.deepEqual(table?.events.get('polished')?.audience, ['authority'])
    assert.ok(table?.events.has('repair'))
  })

  const cases: [string, object, RegExp][] = [
    ['of another format', { ...TABLE, format: 'carnet-in-use/2' }, /\/format must/],
    [
      'of a category that has one',
      { ...TABLE, category: 'battery' },
      /"battery" is already in .*battery\.json/,
    ],
    [
      'with one metric twice',
      { ...TABLE, metrics: [METRIC, { ...METRIC, slot: 1 }] },
      /"hoursOfUse" is there/,
    ],
    [
      'with one slot twice',
      { ...TABLE, metrics: [METRIC, { ...METRIC, name: 'b' }] },
      /the slot "0" is there/,
    ],
    ['with a slot beyond the last', { ...TABLE, metrics: [{ ...METRIC, slot: 64 }] }, /\/slot must be <= 63/],
    ['with empty bounds', { ...TABLE, metrics: [{ ...METRIC, min: 1, max: 0 }] }, /min above its max/],
    ['with a member that we do not know', { ...TABLE, more: 1 }, /must NOT have additional/],
    ['with one kind twice', { ...TABLE, events: [{ kind: 'a' }, { kind: 'a' }] }, /the kind "a" is there/],
    ['of an unknown state', { ...TABLE, events: [{ kind: 'a', state: 'lent' }] }, /\/state must be equal/],
  ]
  for (const [name, table, message] of cases) {
    test(`${name} is refused with its file`, () => {
      assert.throws(
        () => load(table),
        (error: Error) =>
          error instanceof RuleFileError && /table\.json/.test(error.message) && message.test(error.message),
      )
    })
  }
})
