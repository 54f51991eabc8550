/**
 * Tests that exported spreadsheets are imported unchanged, for any passport of any category and both file
 * formats.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readSheet } from 'read-excel-file/node'
import { allCategories, type CompleteCategory, findCategory } from '../../src/categories/catalogue.ts'
import { toCanonicalName } from '../../src/categories/names/recognise-names.ts'
import { collectTraits } from '../../src/transfer/spreadsheets/columns/column-traits.ts'
import { findColumn, listColumns } from '../../src/transfer/spreadsheets/columns/columns.ts'
import { guessMapping } from '../../src/transfer/spreadsheets/columns/guess-mapping.ts'
import { buildRow, collectLayout } from '../../src/transfer/spreadsheets/columns/passport-to-row.ts'
import {
  buildChanges,
  findColumnIndex,
  parseRow,
  type RowOptions,
} from '../../src/transfer/spreadsheets/columns/row-to-passport.ts'
import { writeSpreadsheet } from '../../src/transfer/spreadsheets/export/export-models.ts'
import {
  type Cell,
  escapeFormula,
  guessDecimalMark,
  parseCellText,
  parseNumber,
} from '../../src/transfer/spreadsheets/files/cell.ts'
import { type Body, validData } from '../categories/arbitrary.ts'
import { IS_FULL } from '../full.ts'
import { joined, readAll } from './spreadsheets.ts'

const KINDS = ['csv', 'csv2', 'xlsx'] as const

async function* each<T>(rows: readonly T[]) {
  yield* rows
}

function fileOf(rows: readonly Cell[][], kind: (typeof KINDS)[number]): Promise<Buffer> {
  const separator = kind === 'csv2' ? ';' : ','
  const format = kind === 'xlsx' ? 'xlsx' : 'csv'
  return joined(writeSpreadsheet(each(rows), { format, separator, title: 'Products' }))
}

function sheetOf(category: CompleteCategory, all: readonly Body[]) {
  const breadth = collectLayout(category)
  for (const data of all) breadth.add(data)
  const columns = listColumns(category, breadth.layout())
  return { columns, rows: [columns.map(one => one.name), ...all.map(data => buildRow(data, columns))] }
}

const known = (category: CompleteCategory, data: Body): Body =>
  Object.fromEntries(
    Object.entries(data).filter(
      ([name, value]) =>
        category.fields.some(field => field.name === name) && !(Array.isArray(value) && value.length === 0),
    ),
  )

/** An object with only empty optional fields is read as absent; so is such an object inside it. */
const isNothing = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every(isNothing)

/** A file has no cell for an empty list inside an object. */
function withoutEmptyLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).filter(([, inner]) => !isEmptyList(inner))
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutEmptyLists(inner)]))
}

type Back = { header: readonly string[]; cells: readonly Cell[]; data: Body } & Pick<
  RowOptions,
  'mark' | 'clears'
>

/**
 * Import recognises fibre names: a known fibre gets its canonical name, unless the product already has a
 * spelling of it.
 */
function byKnownNames(data: Body): Body {
  if (!Array.isArray(data.fiberComposition)) return data
  const fiber = findCategory('textile')?.fields.find(({ name }) => name === 'fiberComposition')?.of?.[0]
  assert.ok(fiber)
  const fiberComposition = (data.fiberComposition as { fiber: string }[]).map(entry => ({
    ...entry,
    fiber: toCanonicalName('fiberComposition.fiber', fiber, entry.fiber),
  }))
  return { ...data, fiberComposition }
}

function comesBack(category: CompleteCategory, { header, cells, data, mark, clears }: Back): void {
  const reading: RowOptions = { columns: header.map(name => findColumn(category, name)), mark, clears }
  const row = parseRow(cells, reading)
  const wanted = Object.entries(known(category, data))
    .map(([name, value]) => [name, withoutEmptyLists(value)] as const)
    .filter(([, value]) => !isNothing(value))
  assert.deepEqual(row.data, byKnownNames(Object.fromEntries(wanted)))
  for (const [name, value] of Object.entries(buildChanges(row, data, reading))) {
    if (value !== null) assert.deepEqual(withoutEmptyLists(value), withoutEmptyLists(data[name]))
    else
      assert.ok(
        data[name] === undefined || isNothing(withoutEmptyLists(data[name])) || isEmptyList(data[name]),
      )
  }
}

for (const category of allCategories()) {
  describe(category.id, () => {
    for (const kind of KINDS) {
      test(`${kind}: exporting and importing gives the same data, and changes nothing`, async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(validData(category), { minLength: 1, maxLength: 4 }), async all => {
            const { columns, rows } = sheetOf(category, all)
            const { header, rows: back } = await readAll(await fileOf(rows, kind))
            assert.deepEqual(
              header,
              columns.map(one => one.name),
            )
            assert.equal(back.length, all.length)
            const { add, traits } = collectTraits()
            back.forEach(add)
            const titles = [...header, 'passport_url']
            assert.deepEqual(guessMapping(category, titles, new Map(), traits()), [...header, null])
            const mark = kind === 'csv2' ? 'comma' : 'point'
            for (const [n, data] of all.entries()) {
              for (const clears of [false, true])
                comesBack(category, { header, cells: back[n] ?? [], data, mark, clears })
            }
          }),
          { numRuns: IS_FULL ? 25 : 10 },
        )
      })
    }
  })
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

test('another program can read the XLSX that we write', async () => {
  const rows: Cell[][] = [
    ['sku', 'weight', 'ok'],
    ['ä<&>"\n_x0041_', 1.5e-7, true],
  ]
  assert.deepEqual(await readSheet(await fileOf(rows, 'xlsx')), rows)
})

describe('text that a spreadsheet program would read as a formula', () => {
  const texts = [
    '=1+1',
    '+49 441',
    '-5',
    '@SUM(A1)',
    '\tx',
    '\rx',
    "'=1",
    "''",
    "'s-Hertogenbosch",
    ' a ',
    '＝1',
    '',
  ]
  test('is escaped in the file, and read back unchanged', () => {
    for (const text of texts) {
      assert.doesNotMatch(escapeFormula(text), /^[=+\-@\t\r＝]/)
      if (text.trim() !== '') assert.equal(parseCellText(escapeFormula(text)), text)
    }
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", '=', '-', ' ', 'a', '\n', '\t') }), text => {
        if (text.trim() !== '') assert.equal(parseCellText(escapeFormula(text)), text)
      }),
    )
  })
  test('an apostrophe that people type is kept', () =>
    assert.equal(parseCellText("'s-Hertogenbosch"), "'s-Hertogenbosch"))
})

describe('cells as people type them', () => {
  test('numbers may have a decimal point or comma; anything else stays text', () => {
    const point = ['1,234.5', '12,5', '1 000', '12.5 kg', '1e3', 'abc', '1.2.3', '-3'].map(one =>
      parseNumber(one, 'point', 'kg'),
    )
    assert.deepEqual(point, [1234.5, 12.5, 1000, 12.5, 1000, 'abc', '1.2.3', -3])
    const comma = ['1.234,5', '12.5', '1.234', '12,5', '1’000', '0.125'].map(one => parseNumber(one, 'comma'))
    assert.deepEqual(comma, [1234.5, 12.5, 1234, 12.5, 1000, 0.125])
    assert.equal(parseNumber('0,125', 'point'), 0.125)
    assert.deepEqual(
      [['1,5', '2'], ['1.5'], ['1,234', '5'], ['1.234,5'], ['1,5', '1.5']].map(guessDecimalMark),
      ['comma', 'point', undefined, 'comma', undefined],
    )
  })

  const textile = findCategory('textile')
  assert.ok(textile)
  const reading = (...names: string[]): RowOptions => ({
    columns: names.map(name => findColumn(textile, name)),
    mark: 'comma',
    clears: false,
  })
  const row = (cells: Record<string, Cell>) =>
    parseRow(Object.values(cells), reading(...Object.keys(cells))).data

  test('words for values, countries, yes and no are recognised', () => {
    assert.deepEqual(
      row({
        'economicOperator.role': 'Hersteller',
        countryOfManufacture: 'Deutschland',
        'repair.repairable': 'ja',
        'repair.sparePartsAvailable': 'Nein',
        gtin: 4012345678901,
      }),
      {
        economicOperator: { role: 'manufacturer' },
        countryOfManufacture: 'DE',
        repair: { repairable: true, sparePartsAvailable: false },
        gtin: '4012345678901',
      },
    )
  })

  test('percentages may share one cell', () => {
    const shares = [
      { fiber: 'organic cotton', percentage: 59.5 },
      { fiber: 'polyester', percentage: 40.5 },
    ]
    for (const text of [
      'organic cotton 59,5 %; polyester 40,5 %',
      '59,5% organic cotton, 40,5 % polyester',
      'organic cotton: 59.5\npolyester: 40.5',
    ]) {
      assert.deepEqual(row({ fiberComposition: text }), { fiberComposition: shares })
    }
    assert.deepEqual(row({ fiberComposition: 'mostly cotton' }), { fiberComposition: 'mostly cotton' })
  })

  test('fields without a column stay; empty cells remove values only if requested', () => {
    const there = {
      economicOperator: { role: 'dealer', legalName: 'A', country: 'DE' },
      careInstructions: { en: 'a', de: 'b' },
      languages: ['de'],
      weightGrams: 3,
    }
    const names = ['economicOperator.country', 'careInstructions', 'careInstructions.en', 'weightGrams']
    const at = reading(...names)
    const said = parseRow(['FR', 'neu', null, ' '], at)
    assert.deepEqual(buildChanges(said, there, at), {
      economicOperator: { role: 'dealer', legalName: 'A', country: 'FR' },
      careInstructions: { en: 'a', de: 'neu' },
    })
    const clearing = { ...at, clears: true }
    assert.deepEqual(buildChanges(said, there, clearing), {
      economicOperator: { role: 'dealer', legalName: 'A', country: 'FR' },
      careInstructions: { de: 'neu' },
      weightGrams: null,
    })
  })

  test('gaps in lists are closed, and errors still name their column', () => {
    const names = [
      'sku',
      'fiberComposition[1].fiber',
      'fiberComposition[3].fiber',
      'fiberComposition[3].percentage',
    ]
    const at = reading(...names)
    const cells = ['A', null, 'wool', 100]
    assert.deepEqual(parseRow(cells, at).data.fiberComposition, [{ fiber: 'wool', percentage: 100 }])
    assert.equal(findColumnIndex(cells, at, ['fiberComposition', 0, 'percentage']), 3)
    assert.equal(findColumnIndex(cells, at, ['fiberComposition', 0, 'fiber']), 2)
    assert.equal(findColumnIndex(cells, at, ['brandName']), undefined)
  })
})
