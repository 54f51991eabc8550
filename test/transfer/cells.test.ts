/** Tests how single cells are read: units, percentages as programs write them, GTINs, and error messages. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findCategory } from '../../src/categories/catalogue.ts'
import { AppError, type Path } from '../../src/kernel/errors/errors.ts'
import { collectTraits } from '../../src/transfer/spreadsheets/columns/column-traits.ts'
import { findColumn } from '../../src/transfer/spreadsheets/columns/columns.ts'
import { buildRowErrors } from '../../src/transfer/spreadsheets/columns/row-errors.ts'
import { parseRow, type RowOptions } from '../../src/transfer/spreadsheets/columns/row-to-passport.ts'
import type { Cell } from '../../src/transfer/spreadsheets/files/cell.ts'

const textile = findCategory('textile')
const battery = findCategory('battery')
const furniture = findCategory('furniture')
assert.ok(textile && battery && furniture)

const reading = (names: readonly string[], category = textile): RowOptions => ({
  columns: names.map(name => findColumn(category, name)),
  mark: 'point',
  clears: false,
  units: new Map(names.map((name, place) => [`@${name}`, place])),
})
const value = (name: string, cell: Cell, category = textile): unknown => {
  let at: unknown = parseRow([cell], reading([name], category)).data
  while (typeof at === 'object' && at !== null && !Array.isArray(at)) at = Object.values(at)[0]
  return at
}

describe('a number in another unit', () => {
  const read: [string, Cell, number, typeof textile?][] = [
    ['weightGrams|kg', '0.62', 620],
    ['weightGrams|kg', 0.57, 570],
    ['weightGrams|kg', '1.005', 1005],
    ['weightGrams|kg', '1e-2', 10],
    ['weightGrams|lb', '2', 907.18474],
    ['weightGrams|oz', 1, 28.349523125],
    ['weightKg|g', '3200', 3.2, battery],
    ['energyWh|kWh', '4.8', 4800, battery],
    ['ratedCapacity|mAh', '2600', 2.6, battery],
    ['dimensions.width|mm', 1200, 120, furniture],
    ['dimensions.width|in', '10', 25.4, furniture],
    ['warrantyMonths|years', '2', 24, furniture],
    ['stateOfHealth|fraction', 0.985, 98.5, battery],
    ['stateOfHealth|fraction', '0.07', 7, battery],
    // A unit in the cell overrides the column's unit.
    ['weightGrams|kg', '620 g', 620],
    ['weightGrams', '0,62 kg', 620],
    ['weightKg', '12 lb', 5.44310844, battery],
    ['stateOfHealth|fraction', '98,5 %', 98.5, battery],
    ['stateOfHealth', '98.5', 98.5, battery],
  ]
  for (const [name, cell, wanted, category] of read)
    test(`${name}: ${cell} is read as ${wanted}`, () => assert.equal(value(name, cell, category), wanted))

  test('stays text if its unit is unknown or of another kind', () => {
    for (const cell of ['75 kWh', '12 cm', '3 parsecs', 'heavy', '5 kg 3']) {
      assert.equal(value('weightGrams|kg', cell), cell)
    }
  })

  test('takes its unit from another column, row by row', () => {
    const names = ['weightGrams|@weight-unit', 'weight-unit']
    const weigh = (...cells: Cell[]) =>
      parseRow(cells, { ...reading(names), columns: [findColumn(textile, names[0] ?? ''), undefined] }).data
        .weightGrams
    assert.equal(weigh('0.62', 'KILOGRAM'), 620)
    assert.equal(weigh(620, 'GRAM'), 620)
    assert.equal(weigh('0.62', 'GRM'), 0.62)
    assert.equal(weigh('0.62', ''), '0.62')
    assert.equal(weigh('0.62', 'STONE'), '0.62 STONE')
    assert.equal(weigh('620 g', ''), 620)
  })
})

describe('percentages as a program writes them', () => {
  const cotton = [
    { fiber: 'cotton', percentage: 95 },
    { fiber: 'elastane', percentage: 5 },
  ]
  for (const cell of [
    '[{"fibre":"cotton","pct":95.0},{"fibre":"elastane","pct":5.0}]',
    '[{"material": "cotton", "percentage": "95 %"}, {"material": "elastane", "percentage": "5"}]',
    '[{"fiber":"cotton","share":95,"origin":"IN"},{"fiber":"elastane","share":5}]',
    '{"cotton": 95, "elastane": 5}',
  ]) {
    test(cell, () => assert.deepEqual(value('fiberComposition', cell), cotton))
  }

  test('anything else stays text, which is rejected', () => {
    for (const cell of [
      '[{"a":"cotton","b":95}]',
      '[{"fibre":"cotton","fiber":"wool","pct":95}]',
      '[{"fibre":"cotton"}]',
      '[]',
      '[{"fibre":"cotton","pct":95}',
      '{"cotton":{"share":95}}',
    ]) {
      assert.equal(value('fiberComposition', cell), cell)
    }
  })

  test('reads languages as a program lists them', () => {
    assert.deepEqual(value('languages', '["de", "en"]'), ['de', 'en'])
  })
})

test('a GTIN stored as a number in a spreadsheet gets its leading zeros back', () => {
  for (const [cell, wanted] of [
    [' 4 006381-333931 ', '4006381333931'],
    ["'4006381333931", '4006381333931'],
    [4006381333931, '4006381333931'],
    ['4006381333931.0', '4006381333931'],
    [36000291452, '036000291452'],
    [1234565, '01234565'],
    ['4,00638E+12', '4,00638E+12'],
  ] as const) {
    assert.equal(value('gtin', cell), wanted)
  }
})

describe('error messages for a cell', () => {
  const at = (path: Path, code: 'required' | 'type') =>
    new AppError('validation', '', [{ path: ['data', ...path], code, message: '' }])

  test('name the missing field itself, never a sibling that has a column', () => {
    const own = reading(['sku', 'economicOperator.legalName', 'fiberComposition[1].fiber'])
    const cells = ['A', 'Testmarke GmbH', null]
    const [role] = buildRowErrors(at(['economicOperator', 'role'], 'required'), cells, own)
    assert.deepEqual(
      [role?.column, role?.field, role?.code, role?.found],
      [null, 'economicOperator.role', 'no_column', undefined],
    )
    const [fibres] = buildRowErrors(at(['fiberComposition'], 'required'), cells, own)
    assert.deepEqual([fibres?.column, fibres?.code], [2, 'required'])
  })

  test('do not show the apostrophe before a formula', () => {
    const [fault] = buildRowErrors(at(['weightGrams'], 'type'), ["'-5 kg"], reading(['weightGrams']))
    assert.equal(fault?.found, '-5 kg')
  })
})

test('detects columns of fractions, of other numbers, and of cells with units', () => {
  const { add, traits } = collectTraits()
  add([0.5, '0,985', '1', 0, '0.62 kg', null, 'x'])
  add([1, '1,0', '99', '0', '620 g', '', null])
  assert.deepEqual(traits(), {
    fractions: [0, 1],
    others: [2, 4, 6],
    withUnits: [4],
    addresses: [],
    points: [4],
    commas: [1],
    ambiguous: [],
    filled: [0, 1, 2, 3, 4, 6],
  })
})
