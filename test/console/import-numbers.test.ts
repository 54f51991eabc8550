/** Tests that numbers with two meanings are asked about, and that the check shows what would be stored. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { classifyNumber } from '../../src/transfer/spreadsheets/files/cell.ts'
import { bring, check, counts, formIn, plain, run, sendColumns } from './import-form.ts'
import { findData, lines, newEditor, SAME } from './import-values.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

let stand: Stand
before(async () => {
  stand = await startStand()
})
after(() => stand.close())

test('a number shows its decimal mark, or has two meanings', () => {
  const kinds = {
    point: ['1.5', '0.125', '1,234.5', '1,234,567', '1234.567', '98.5 %', '1.5e3', '12.50 kg', "1'234.5"],
    comma: ['1,5', '0,125', '1.234,5', '1.234.567', '1234,567', '-0,5', '1 234,5', '3,25kg'],
    either: ['1,800', '1.800', '12,345 kg', '-100.000', '999,999'],
    none: ['1800', '', 'abc', '1,2,3', '1.2.3', '1,234.567,8', '01.02.2026', ',', 'A-1,5', '9'.repeat(80)],
  }
  for (const [kind, all] of Object.entries(kinds))
    for (const one of all) assert.equal(classifyNumber(one) ?? 'none', kind, one)
})

describe('a weight of "1,800"', () => {
  let editor: Browser
  let account: number
  before(async () => ({ account, editor } = await newEditor(stand)))
  const bringWeights = (...weights: string[]) =>
    bring(
      stand,
      editor,
      lines([['sku', 'name', 'weight'], ...weights.map((one, n) => [`W-${n}`, 'Sofa', one])]),
    )

  test('the decimal mark must be chosen, with an example of both meanings', async () => {
    const at = await bringWeights('1,800', '2,250')
    const page = await editor.get(at)
    assert.equal(formIn(page).mark, '')
    assert.match(
      plain(page.text),
      /C: weight: “1,800” is 1800 with a decimal point, or 1\.8 with a decimal comma\./,
    )
    const refused = await sendColumns(editor, at, { ...SAME, 'u.2': 'kg' })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /href="#mark">Numbers are written: Some numbers of this spreadsheet/)
    assert.match(refused.text, /<select id="mark"[^>]* aria-invalid="true"/)
    const checked = await check(stand, editor, at, { ...SAME, 'u.2': 'kg', mark: 'comma' })
    assert.deepEqual(counts(checked), [2, 0, 0, 0])
    assert.match(checked.text, /First new products, as they would be stored/)
    assert.match(
      checked.text,
      /<th scope="row">Weight \(g\)<\/th><td data-head="Row 2">1800<\/td><td data-head="Row 3">2250<\/td>/,
    )
    assert.match(
      checked.text,
      /<th scope="row">Economic operator: Legal name<\/th><td data-head="Row 2">Testmarke GmbH<\/td>/,
    )
    await run(stand, editor, at)
    assert.equal((await findData(stand, account, 'W-0')).weightGrams, 1_800)
  })

  test('a column that shows its mark needs no answer, whatever other columns show', async () => {
    const at = await bring(
      stand,
      editor,
      lines([
        ['sku', 'name', 'weight', 'price'],
        ['M-1', 'Sofa', '1,800', '12.50'],
        ['M-2', 'Sofa', '2,5', '13.75'],
      ]),
    )
    const checked = await check(stand, editor, at, { ...SAME, 'u.2': 'kg' })
    assert.deepEqual(counts(checked), [2, 0, 0, 0])
    assert.match(checked.text, /<td data-head="Row 2">1800<\/td><td data-head="Row 3">2500<\/td>/)
  })

  test('another column does not answer for it, and one that is left out asks nothing', async () => {
    const rows = [
      ['sku', 'name', 'weight', 'price'],
      ['N-1', 'Sofa', '1,800', '12.50'],
    ]
    const at = await bring(stand, editor, lines(rows))
    assert.equal((await sendColumns(editor, at, { ...SAME, 'u.2': 'kg' })).status, 422)
    assert.equal((await sendColumns(editor, at, { ...SAME, 'c.2': '' })).status, 303)
  })

  test('the same holds for a value for every row', async () => {
    const at = await bring(
      stand,
      editor,
      lines([
        ['sku', 'name'],
        ['K-1', 'Sofa'],
      ]),
    )
    const refused = await sendColumns(editor, at, {
      ...SAME,
      'more.0.field': 'weightGrams',
      'more.0.value': '1,800',
    })
    assert.equal(refused.status, 422)
    assert.match(plain(refused.text), /1,800 can mean 1800 or 1\.8/)
  })

  test('decimals are shown as stored, and only the first three products', async () => {
    const weights = ['0.0625', '0.5', '0.75', '0.8']
    const rows = weights.map((one, n) => [`D-${n}`, 'Sofa', one])
    const at = await bring(stand, editor, lines([['sku', 'name', 'weight'], ...rows]))
    const checked = await check(stand, editor, at, { ...SAME, 'u.2': 'g' })
    assert.match(
      checked.text,
      />0\.0625<\/td><td data-head="Row 3">0\.5<\/td><td data-head="Row 4">0\.75<\/td><\/tr>/,
    )
  })
})
