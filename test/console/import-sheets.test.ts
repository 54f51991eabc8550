/** Tests twenty spreadsheets: no cell is stored otherwise than meant, and what is stored was shown before. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { writeXlsx } from '../../src/transfer/spreadsheets/files/write-xlsx.ts'
import { joined } from '../transfer/spreadsheets.ts'
import { bring, check, counts, formIn, plain, run, sendColumns } from './import-form.ts'
import { SAMPLE_SHEETS, type SampleSheet } from './import-sheets.ts'
import { findData, newEditor, SAME } from './import-values.ts'
import { type Answer, type Browser, type Stand, startStand } from './stand.ts'

let stand: Stand
before(async () => {
  stand = await startStand()
})
after(() => stand.close())

async function bringSample(editor: Browser, { content, encoding, category }: SampleSheet): Promise<string> {
  const isText = typeof content === 'string'
  const file = isText
    ? Buffer.from(content, encoding ?? 'utf8')
    : await joined(writeXlsx([{ name: 'A', rows: content, widths: [20, 20, 20, 20, 20] }]))
  const name = isText ? 'sheet.csv' : 'sheet.xlsx'
  return bring(stand, editor, file, { name, category: category ?? 'textile' })
}

/** The check's table of new products: label, row and text of each value. */
function listShown({ text }: Answer): { row: string; label: string; value: string }[] {
  const [table = ''] = /<h2 id="new">.*?<\/table>/s.exec(text) ?? []
  return Array.from(table.matchAll(/<tr><th scope="row">(.*?)<\/th>(.*?)<\/tr>/gs)).flatMap(
    ([, label = '', cells = '']) =>
      Array.from(
        cells.matchAll(/<td data-head="Row ([\d,]+)">(.*?)<\/td>/gs),
        ([, row = '', value = '']) => ({
          row,
          label: plain(label),
          value: plain(value).replaceAll(/<[^>]+>/g, ''),
        }),
      ),
  )
}

/** Each number and text of the data, as the page writes them. */
function listTexts(value: unknown): string[] {
  if (Array.isArray(value) && value.every(one => typeof one === 'string')) return [value.join(', ')]
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(listTexts)
  return typeof value === 'boolean' ? [value ? 'yes' : 'no'] : [String(value)]
}

/** Values of lists are shown by their labels. */
const LABELS = new Map([['Manufacturer', 'manufacturer']])

test('there are twenty', () => assert.equal(SAMPLE_SHEETS.length, 20))

for (const sample of SAMPLE_SHEETS) {
  const { source, asked = {}, chosen = {}, stored, refused = {} } = sample
  test(`${source}: each row is stored as meant and shown before, or named`, async () => {
    const { account, editor } = await newEditor(stand)
    const at = await bringSample(editor, sample)
    const form = formIn(await editor.get(at))
    const same = Object.fromEntries(Object.entries(SAME).filter(([key]) => key in form))
    for (const field of Object.keys(asked)) {
      // A column without a field has no unit yet.
      assert.equal(form[field] ?? '', '', `${field} is not asked for`)
      if (field === 'mark' || field.startsWith('u.')) {
        const { [field]: _, ...others } = asked
        assert.equal((await sendColumns(editor, at, { ...same, ...chosen, ...others })).status, 422, field)
      }
    }
    const checked = await check(stand, editor, at, { ...same, ...chosen, ...asked })
    const [skus, rows] = [Object.keys(stored), Object.keys(refused)]
    assert.deepEqual(counts(checked), [skus.length, 0, 0, rows.length], plain(checked.text).slice(-2_500))
    const errors = plain((await editor.get(`${at}/errors?format=csv`)).text)
    for (const [row, sentence] of Object.entries(refused)) {
      const [said = ''] = new RegExp(`\\(${row}\\)[^\\n]*`).exec(errors) ?? []
      assert.match(said, sentence, `row ${row}: ${errors}`)
    }
    const shown = listShown(checked)
    const shownRows = new Set(shown.map(({ row }) => row))
    assert.equal(shownRows.size, Math.min(3, skus.length))
    await run(stand, editor, at)
    for (const [sku, values] of Object.entries(stored)) {
      const data = await findData(stand, account, sku)
      for (const [field, value] of Object.entries(values))
        assert.deepEqual(data[field], value, `${sku} ${field}`)
    }
    const all = await Promise.all(skus.map(async sku => listTexts(await findData(stand, account, sku))))
    for (const row of shownRows) {
      const values = shown
        .filter(one => one.row === row && one.value !== 'nothing')
        .map(({ value }) => LABELS.get(value) ?? value)
      const matches = all.some(texts => texts.toSorted().join('\n') === values.toSorted().join('\n'))
      assert.ok(matches, `row ${row} was shown as ${values.join(' | ')}\nstored: ${JSON.stringify(all)}`)
    }
  })
}
