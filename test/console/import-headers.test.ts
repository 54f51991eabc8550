/** Tests files with rows above the header, blank rows, and cells that spreadsheet programs have damaged. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { writeXlsx } from '../../src/transfer/spreadsheets/files/write-xlsx.ts'
import { joined } from '../transfer/spreadsheets.ts'
import { bring, check, counts, formIn, plain, run, upload } from './import-form.ts'
import { findData, lines, newEditor, SAME } from './import-values.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

let stand: Stand
let editor: Browser
let account: number
before(async () => {
  stand = await startStand()
  ;({ account, editor } = await newEditor(stand))
})
after(() => stand.close())

const HEADER = ['Artikelnummer', 'Bezeichnung', 'Gewicht (g)']
const chosenRow = (text: string) => /<select id="header".*?<option value="(\d+)" selected/s.exec(text)?.[1]

describe('rows above the header', () => {
  const above = {
    'a title in one cell': [['Produktliste 2026'], HEADER],
    'a title with commas': [['Produkte, Stand 1. Mai, Einkauf'], [''], HEADER],
    'a title as wide as the table': [['Liste', '', ''], ['Stand', '2026-05-01', ''], HEADER],
    'groups of columns': [['Artikel', '', 'Maße'], HEADER],
  }
  for (const [name, top] of Object.entries(above)) {
    for (const kind of ['csv', 'xlsx'] as const) {
      test(`${name}, ${kind}: the header is found and shown`, async () => {
        const sku = `T-${name}-${kind}`
        const rows = [...top, [sku, 'Tasse', '320']]
        const file =
          kind === 'csv'
            ? Buffer.from(lines(rows, ';'))
            : await joined(writeXlsx([{ name: 'A', rows, widths: [20, 20, 20] }]))
        const at = await bring(stand, editor, file, { name: `a.${kind}` })
        const page = await editor.get(at)
        assert.equal(chosenRow(page.text), String(top.length))
        assert.match(page.text, /Row with the column titles/)
        const checked = await check(stand, editor, at, SAME)
        assert.deepEqual(counts(checked), [1, 0, 0, 0])
        await run(stand, editor, at)
        assert.equal((await findData(stand, account, sku)).weightGrams, 320)
      })
    }
  }

  test('unknown titles are asked about, and a person may choose another row', async () => {
    const rows = [
      ['Export', '', ''],
      ['C1', 'C2', 'C3'],
      ['U-1', 'Tasse', '320'],
      ['U-2', 'Becher', '280'],
    ]
    const at = await bring(stand, editor, lines(rows))
    assert.equal(chosenRow((await editor.get(at)).text), '2')
    const answer = await editor.post(`${at}/sheet`, { form: { header: '1' } })
    assert.equal(answer.status, 303)
    const again = await editor.get(at)
    assert.equal(chosenRow(again.text), '1')
    assert.match(plain(again.text), /3 rows/)
    for (const header of ['2', '999999', 'x', ''])
      assert.equal((await editor.post(`${at}/sheet`, { form: { header } })).status, 303)
    const form = { ...SAME, 'c.0': 'sku', 'c.1': 'productName', 'c.2': '' }
    assert.deepEqual(counts(await check(stand, editor, at, form)), [2, 0, 0, 0])
  })

  test('a header in the first row is not asked about', async () => {
    const at = await bring(
      stand,
      editor,
      lines([
        ['sku', 'name'],
        ['S-1', 'Tasse'],
      ]),
    )
    assert.doesNotMatch((await editor.get(at)).text, /id="header"/)
  })
})

test('rows of blanks are no rows, and a table of blanks has none', async () => {
  const file = 'sku,name\n  ,  ,  \nB-1,Tasse\n\u00a0,\t\n"  ",""\nB-2,Becher\n , '
  const at = await bring(stand, editor, file)
  assert.match(plain((await editor.get(at)).text), /2 rows/)
  assert.deepEqual(counts(await check(stand, editor, at, SAME)), [2, 0, 0, 0])
  assert.equal((await upload(stand, editor, Buffer.from('sku,name\n , \n'))).status, 422)
})

describe('what spreadsheet programs do to cells', () => {
  test('`="0123"` is read as 0123', async () => {
    const file = 'sku,ean,name\n="00123","=""4006381331005""",Tasse\n'
    const at = await bring(stand, editor, file)
    assert.deepEqual(counts(await check(stand, editor, at, SAME)), [1, 0, 0, 0])
    await run(stand, editor, at)
    assert.equal((await findData(stand, account, '00123')).gtin, '4006381331005')
  })

  test('a damaged cell is named with its way out, and nothing of its row is stored', async () => {
    const rows = [
      ['sku', 'ean', 'name', 'customs', 'weightGrams'],
      ['9.52E+12', '', 'Tasse', '', '320'],
      ['9.52E+12', '', 'Tasse', '', '320'],
      ['D-2', '4,00638E+12', 'Tasse', '', '320'],
      ['D-3', '', '#REF!', '', '320'],
      ['D-4', '', 'Tasse', '', '#NV'],
      ['D-5', '', '=VLOOKUP(A2;B:C;2)', '', '320'],
      ['D-6', '', 'Tasse', '', '########'],
      ['D-7', '', '=A1', '', '320'],
      ['D-8', '', 'Bowl #1 = best', '', '3.2E+02'],
      ['D-9', '', '#NAME', '=) Tasse', '320'],
    ]
    const at = await bring(stand, editor, lines(rows))
    const form = formIn(await editor.get(at))
    assert.equal(form['c.1'], 'gtin')
    const checked = await check(stand, editor, at, { ...SAME, 'c.3': '' })
    assert.deepEqual(counts(checked), [1, 0, 0, 9])
    const errors = plain((await editor.get(`${at}/errors?format=csv`)).text)
    const wanted = {
      'A sku: The spreadsheet program has shortened a long number, .* formatted as text. In the cell: “9.52E\\+12”': 2,
      'B ean: The spreadsheet program has shortened .* In the cell: “4,00638E\\+12”': 1,
      'C name: The cell has an error of the spreadsheet program .* In the cell: “#(?:REF!|NAME)”': 2,
      'E weightGrams: The cell has an error of the spreadsheet program .* “#NV”': 1,
      'C name: The cell has a formula instead of its result': 2,
      'E weightGrams: The column was too narrow': 1,
    }
    for (const [sentence, times] of Object.entries(wanted))
      assert.equal(errors.match(new RegExp(sentence, 'g'))?.length, times, `${sentence}\n${errors}`)
  })

  test('a number of more than 15 digits in a workbook is named', async () => {
    const rows = [
      ['sku', 'name'],
      [123456789012345680, 'Tasse'],
      [4006381331005, 'Becher'],
    ]
    const file = await joined(writeXlsx([{ name: 'A', rows, widths: [20, 20] }]))
    const at = await bring(stand, editor, file, { name: 'a.xlsx' })
    const checked = await check(stand, editor, at, SAME)
    assert.deepEqual(counts(checked), [1, 0, 0, 1])
    assert.match(plain(checked.text), /keep 15 digits of a number/)
  })
})
