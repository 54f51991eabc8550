/** Tests uploaded files, valid and hostile: read as intended, or rejected with a sentence. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import writeXlsxFile from 'write-excel-file/node'
import { openSpreadsheet } from '../../src/transfer/spreadsheets/columns/read-spreadsheet.ts'
import { DECIMAL_MARKS, parseNumber } from '../../src/transfer/spreadsheets/files/cell.ts'
import { MAX_TOP_ROWS } from '../../src/transfer/spreadsheets/files/find-header.ts'
import {
  MAX_SPREADSHEET_BYTES,
  SpreadsheetError,
  type SpreadsheetErrorReason,
} from '../../src/transfer/spreadsheets/files/spreadsheet-error.ts'
import { readAll, xlsx } from './spreadsheets.ts'

const utf16 = (text: string, mark: boolean) => Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le')

async function refused(bytes: Buffer, fault: SpreadsheetErrorReason): Promise<void> {
  await assert.rejects(readAll(bytes), error => {
    assert.ok(error instanceof SpreadsheetError, String(error))
    assert.equal(error.reason, fault)
    return true
  })
}

describe('a workbook with several sheets', () => {
  const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const REL = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const cell = (text: string) => `<row r="1"><c r="A1" t="inlineStr"><is><t>${text}</t></is></c></row>`
  const sheets: readonly (readonly [name: string, state: string, data: string])[] = [
    ['Cover', '', '<row r="1"><c r="A1" s="1"/></row>'],
    ['Old', ' state="hidden"', cell('old')],
    ['Shirts &amp; more', '', cell('shirts')],
    ['Very old', ' state="veryHidden"', cell('very old')],
    ['Trousers', '', cell('trousers')],
  ]
  const tags = sheets.map(
    ([name, state], n) => `<sheet name="${name}" sheetId="${n + 1}"${state} r:id="rId${n + 1}"/>`,
  )
  const relations = sheets.map((_, n) => `<Relationship Id="rId${n + 1}" Target="worksheets/s${n + 1}.xml"/>`)
  const book = xlsx('', {
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${REL}"><sheets>${tags.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relations.join('')}</Relationships>`,
    ...Object.fromEntries(
      sheets.map(([, , data], n) => [
        `xl/worksheets/s${n + 1}.xml`,
        `<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData></worksheet>`,
      ]),
    ),
  })

  test('offers visible sheets that are not empty; reads the first unless another is named', async () => {
    const first = await openSpreadsheet(book)
    assert.deepEqual(first.sheets, ['Shirts & more', 'Trousers'])
    assert.deepEqual([first.sheet, first.header], ['Shirts & more', ['shirts']])
    const named = await openSpreadsheet(book, { sheet: 'Trousers' })
    assert.deepEqual([named.sheet, named.header], ['Trousers', ['trousers']])
    for (const name of ['Old', 'Cover', 'Nothing', '']) {
      assert.equal((await openSpreadsheet(book, { sheet: name })).sheet, 'Shirts & more')
    }
  })

  test('a damaged sheet is reported when it is read, and not before', async () => {
    const broken = xlsx(cell('whole'), {
      'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${REL}"><sheets><sheet name="A" r:id="rId1"/><sheet name="B" r:id="rId2"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="rId1" Target="worksheets/one.xml"/><Relationship Id="rId2" Target="worksheets/two.xml"/></Relationships>',
      'xl/worksheets/two.xml': `<worksheet><sheetData><row r="1"><c r="A1"><v>${'1'.repeat(5_000_000)}`,
    })
    assert.deepEqual((await openSpreadsheet(broken)).header, ['whole'])
    await assert.rejects(openSpreadsheet(broken, { sheet: 'B' }), SpreadsheetError)
  })
})

describe('CSV', () => {
  const content: readonly (readonly [string, Buffer])[] = [
    ['commas', Buffer.from('sku,name\nA-1,Jäger\n')],
    ['Excel: a mark, semicolons, CRLF', Buffer.from('\ufeffsku;name\r\nA-1;Jäger\r\n')],
    ['tabs', Buffer.from('sku\tname\nA-1\tJäger')],
    ['a line that names the separator', Buffer.from('sep=;\r\nsku;name\r\nA-1;Jäger')],
    ['Windows-1252', Buffer.from('sku;name\r\nA-1;J\u00e4ger', 'latin1')],
    ['UTF-16 with a mark', utf16('sku\tname\r\nA-1\tJäger', true)],
    ['UTF-16 without', utf16('sku\tname\r\nA-1\tJäger', false)],
    ['big-endian UTF-16', utf16('sku\tname\r\nA-1\tJäger', true).swap16()],
    ['lines that explain', Buffer.from('# sku: yours; really\n"# name, too"\nsku,name\nA-1,Jäger\n,\n\n')],
  ]
  for (const [name, bytes] of content) {
    test(name, async () => {
      const { header, rows } = await readAll(bytes)
      assert.deepEqual([header, rows], [['sku', 'name'], [['A-1', 'Jäger']]])
    })
  }

  test('reads quotes, line breaks within cells, and row numbers as spreadsheets count them', async () => {
    const { rows, numbers } = await readAll(Buffer.from('a,b\n"x ""y"", z","1\r\n2"\n\n,\n3,4\n'))
    assert.deepEqual(rows, [
      ['x "y", z', '1\r\n2'],
      ['3', '4'],
    ])
    assert.deepEqual(numbers, [2, 5])
  })

  test('reports the format of the file', async () => {
    const { encoding, separator, sheets } = await openSpreadsheet(Buffer.from('a;b\n\xe4;2', 'latin1'))
    assert.deepEqual([sheets, encoding, separator], [undefined, 'windows-1252', ';'])
  })

  const wrong: readonly (readonly [string, Buffer, SpreadsheetErrorReason])[] = [
    ['nothing', Buffer.alloc(0), 'empty'],
    ['blanks', Buffer.from(' \n\n '), 'empty'],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]), 'not_text'],
    ['an old Excel file', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), 'old_excel'],
    ['a page', Buffer.from('<!doctype html><table>'), 'markup'],
    ['JSON', Buffer.from('[{"sku":"A"}]'), 'markup'],
    ['two encodings', Buffer.concat([Buffer.from('\ufeffsku\nä'), Buffer.from([0xe4, 0x0a])]), 'encoding'],
    [
      '10,000 columns',
      Buffer.from(`${Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(',')}\n`),
      'too_many_columns',
    ],
    [
      'a line of commas',
      Buffer.concat([Buffer.from('sku,name\n'), Buffer.alloc(20_000_000, ',')]),
      'too_many_columns',
    ],
    [
      'commas behind a quotation mark in a cell',
      Buffer.concat([Buffer.from('sku,name\n"a"b'), Buffer.alloc(1_000_000, ',')]),
      'too_many_columns',
    ],
    [
      'millions of empty rows',
      Buffer.concat([Buffer.from('sku'), Buffer.alloc(2_000_000, '\n')]),
      'too_many_rows',
    ],
    ['100,200 rows', Buffer.from(`sku\n${'A\n'.repeat(100_200)}`), 'too_many_rows'],
    ['a quotation mark that never ends', Buffer.from(`sku,name\n"A,${'b,\n'.repeat(2_000_000)}`), 'too_long'],
    ['a cell without end', Buffer.from(`sku\n${'a'.repeat(40_000)}\n`), 'too_long'],
    ['26 MB', Buffer.alloc(MAX_SPREADSHEET_BYTES + 1, 'a'), 'too_large'],
  ]
  for (const [name, bytes, fault] of wrong) test(`${name}: ${fault}`, () => refused(bytes, fault))

  test('ignores empty trailing cells, as many as a spreadsheet can have', async () => {
    const { header, rows } = await readAll(
      Buffer.from(`sku,name${','.repeat(16_000)}\nA,B${','.repeat(16_000)}\n`),
    )
    assert.deepEqual([header.slice(0, 2), header.length, rows], [['sku', 'name'], 2, [['A', 'B']]])
  })

  test('other work runs while a long spreadsheet is read', async () => {
    let turns = 0
    let isReading = true
    const count = () => {
      turns++
      if (isReading) setImmediate(count)
    }
    setImmediate(count)
    // Opening reads the first rows to find the header.
    const text = `sku,name\n${'A,B\n'.repeat(MAX_TOP_ROWS)}${'\n'.repeat(900_000)}A,B\n`
    const { rows } = await openSpreadsheet(Buffer.from(text))
    const opened = turns
    let last = 0
    for await (const { no } of rows) last = no
    assert.equal(last, 900_002 + MAX_TOP_ROWS)
    isReading = false
    assert.ok(turns - opened > 3, `${turns - opened} turns`)
  })
})

describe('XLSX', () => {
  test('reads files of other programs: texts, numbers, booleans, dates', async () => {
    const day = new Date(Date.UTC(2026, 4, 17))
    const bytes = await writeXlsxFile([
      [{ value: 'sku' }, { value: 'weight' }, { value: 'ok' }, { value: 'day' }],
      [
        { value: ' A & <1>\n', type: String },
        { value: 1234.5, type: Number },
        { value: true, type: Boolean },
        { value: day, type: Date, format: 'dd.mm.yyyy' },
      ],
    ]).toBuffer()
    const { header, rows } = await readAll(Buffer.from(bytes))
    assert.deepEqual(header, ['sku', 'weight', 'ok', 'day'])
    assert.deepEqual(rows, [[' A & <1>\n', 1234.5, true, '2026-05-17']])
  })

  test('reads a percentage as the program shows it, as in CSV', async () => {
    const percent = { type: Number, format: '0.0%' }
    const bytes = await writeXlsxFile([
      [{ value: 'a' }, { value: 'b' }, { value: 'c' }, { value: 'd' }, { value: 'e' }],
      [
        { value: 0.985, ...percent },
        { value: 0.07, ...percent },
        { value: 0.98125, ...percent },
        { value: 12, type: Number, format: '0" %"' },
        { value: 1, type: Number, format: '0%' },
      ],
    ]).toBuffer()
    const { rows } = await readAll(Buffer.from(bytes))
    assert.deepEqual(rows, [['98.5 %', '7 %', '98.1250 %', 12, '100 %']])
    for (const mark of DECIMAL_MARKS) {
      const read: unknown = rows[0]?.map(cell =>
        typeof cell === 'string' ? parseNumber(cell, mark, '%') : cell,
      )
      assert.deepEqual(read, [98.5, 7, 98.125, 12, 100], mark)
    }
    assert.equal(parseNumber('98,5 %', 'comma', '%'), 98.5)
  })

  test('reads shared, rich and inline texts, formula results, errors, and omitted cells and rows', async () => {
    const bytes = xlsx(
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row r="2"/>' +
        '<row r="5"><c r="A5" t="str"><f>"=HYPERLINK(1)"</f><v>a&amp;b</v></c><c r="B5" t="e"><v>#N/A</v></c><c r="C5"><f>1+1</f><v>2</v></c><c r="D5"><f>NOW()</f></c></row>' +
        '<row><c t="inlineStr"><is><r><t>x</t></r><r><t xml:space="preserve"> y_x000D_</t></r></is></c></row>',
      {
        'xl/sharedStrings.xml':
          '<sst><si><t>sku</t></si><si><r><t>na</t></r><r><t>me</t></r><rPh sb="0" eb="1"><t>nope</t></rPh></si></sst>',
      },
    )
    const { header, rows, numbers } = await readAll(bytes)
    assert.deepEqual(header, ['sku', '', 'name'])
    assert.deepEqual(rows, [['a&b', '#N/A', 2], ['x y\r']])
    assert.deepEqual(numbers, [5, 6])
  })

  test('accepts XML names with a prefix', async () => {
    const sheet =
      '<x:worksheet xmlns:x="m"><x:sheetData><x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>sku</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>'
    assert.deepEqual((await readAll(xlsx('', { 'xl/worksheets/one.xml': sheet }))).header, ['sku'])
  })

  const zeros = new Uint8Array(450 * 1024 * 1024)
  const cell = (column: string) => `<row r="1"><c r="${column}1"><v>1</v></c></row>`
  const wrong: readonly (readonly [string, () => Buffer, SpreadsheetErrorReason])[] = [
    ['a bomb in the sheet', () => xlsx('', { 'xl/worksheets/one.xml': zeros }), 'too_much'],
    ['a row without end', () => xlsx(`<row r="1"><c t="str"><v>${'a'.repeat(6_000_000)}`), 'too_long'],
    [
      'a bomb of short rows',
      () => xlsx(`<row r="1"><c r="A1"><v>1</v></c></row>${'<q/>'.repeat(110_000_000)}`),
      'too_much',
    ],
    ['millions of empty rows', () => xlsx('<row/>'.repeat(2_000_000)), 'too_much'],
    [
      'a bomb in the texts',
      () =>
        xlsx(cell('A'), { 'xl/sharedStrings.xml': `<sst>${'<si><t>a</t></si>'.repeat(1_600_000)}</sst>` }),
      'too_much',
    ],
    [
      'a bomb in the styles',
      () => xlsx(cell('A'), { 'xl/styles.xml': zeros.subarray(0, 9_000_000) }),
      'too_much',
    ],
    ['10,000 columns', () => xlsx(cell('NTP')), 'too_many_columns'],
    ['a row of empty cells', () => xlsx(`<row r="1">${'<c/>'.repeat(900_000)}</row>`), 'too_many_columns'],
    ['another archive', () => xlsx('', { 'xl/workbook.xml': new Uint8Array(0) }), 'broken'],
    ['no workbook', () => Buffer.from('PK\x03\x04 and nothing more'), 'broken'],
    ['cut off', () => xlsx(cell('A')).subarray(0, 200), 'broken'],
    ['rows backwards', () => xlsx(`<row r="3"/><row r="2"/>`), 'broken'],
    ['no rows', () => xlsx(''), 'no_header'],
  ]
  for (const [name, make, fault] of wrong) test(`${name}: ${fault}`, () => refused(make(), fault))

  test('does not trust the sizes that an archive claims', async () => {
    const bytes = xlsx(cell('A'))
    const lying = Buffer.from(bytes)
    const central = lying.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]))
    lying.writeUInt32LE(0xfffffff0, central + 42)
    await refused(lying, 'broken')
  })
})
