/**
 * Tests what the check says of rows that are imported all the same: the warnings of the API, HTML in texts
 * and the offer to turn it into plain text; and what it says of units that it does not know.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { waitForImports } from '../../src/transfer/spreadsheets/import/run-import.ts'
import { bring, check, counts, plain, run, sendColumns } from './import-form.ts'
import { findData, lines, newEditor, SAME } from './import-values.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

let stand: Stand
before(async () => {
  stand = await startStand()
})
after(() => stand.close())

const text = (html: string) =>
  plain(html)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
const getSection = (html: string, id: string) =>
  new RegExp(`<h2 id="${id}">.*?</section>`, 's').exec(html)?.[0] ?? ''

async function checkRows(
  editor: Browser,
  rows: readonly (readonly string[])[],
  more: Record<string, string> = {},
) {
  const at = await bring(stand, editor, lines(rows))
  return { at, page: await check(stand, editor, at, { ...SAME, ...more }) }
}

test('warnings of the API are grouped by kind and column, with the first rows, and refuse nothing', async () => {
  const { editor } = await newEditor(stand)
  const rows = Array.from({ length: 300 }, (_, n) => [
    `W-${n}`,
    n % 2 === 0 ? 'Hose' : '\u200b',
    n === 7 ? '2111532859047' : '',
  ])
  const { at, page } = await checkRows(editor, [['sku', 'productName', 'gtin'], ...rows])
  assert.deepEqual(counts(page), [300, 0, 0, 0])
  const said = text(getSection(page.text, 'warnings'))
  assert.match(
    said,
    /B: productName : Has no visible character\. Write something\..*150 rows: 3, 5, 7, 9, 11 …/,
  )
  assert.match(said, /C: gtin : The GS1 prefix .* is for use inside a shop.*one row: 9/)
  assert.doesNotMatch(page.text, /id="bad"/)
  assert.deepEqual(counts(await run(stand, editor, at)), [300, 0, 0, 0])
})

test('a tag that no language has is named', async () => {
  const { editor } = await newEditor(stand)
  const { page } = await checkRows(editor, [
    ['sku', 'productName', 'languages', 'careInstructions'],
    ['T-1', 'Hose', 'de, zz', 'Waschen'],
  ])
  assert.match(text(getSection(page.text, 'warnings')), /languages : Is not the code of a language \(“zz”\)/)
})

test('a complete row of a product that is a draft gets a warning', async () => {
  const { editor } = await newEditor(stand)
  const titles = ['sku', 'productName']
  const draft = await checkRows(editor, [titles, ['N-1', '']])
  await run(stand, editor, draft.at, { drafts: 'yes' })
  const { page } = await checkRows(editor, [titles, ['N-1', 'Hose'], ['N-2', 'Rock']])
  assert.match(text(getSection(page.text, 'warnings')), /A draft of this product exists.*one row: 2/)
})

const MARKED = [
  ['sku', 'productName', 'careInstructions'],
  ['H-1', '<b>Hose</b>', '<p>Waschen &amp; trocknen</p><ul><li>30 °C</li></ul>'],
  ['H-2', 'Rock < 3 kg', 'Waschen'],
  ['H-3', 'Schal', '<p>Nur <script>alert(1)</script>Handwäsche</p>'],
]

test('HTML is shown as it would be as plain text; one click turns it, and one keeps it', async () => {
  const { account, editor } = await newEditor(stand)
  const { at, page } = await checkRows(editor, MARKED)
  const offer = getSection(page.text, 'markup')
  assert.match(text(offer), /2 rows have HTML in their texts/)
  assert.ok(plain(offer).includes('<p>Waschen &amp; trocknen</p>'), offer)
  assert.ok(plain(offer).includes('>Waschen & trocknen\n\n• 30 °C<'), offer)
  assert.match(text(getSection(page.text, 'warnings')), /Contains HTML/)

  const turn = async (value: 'yes' | 'no') => {
    assert.equal((await editor.post(`${at}/plain`, { form: { plain: value } })).status, 303)
    await waitForImports(stand.sql)
    return editor.get(at)
  }
  const turned = await turn('yes')
  assert.match(
    text(getSection(turned.text, 'markup')),
    /The HTML in the texts of 2 rows is turned into plain text/,
  )
  assert.doesNotMatch(text(getSection(turned.text, 'warnings')), /Contains HTML/)
  assert.match(text(getSection((await turn('no')).text, 'markup')), /2 rows have HTML/)
  await turn('yes')
  await run(stand, editor, at)
  const [one, two, three] = await Promise.all(['H-1', 'H-2', 'H-3'].map(sku => findData(stand, account, sku)))
  assert.equal(one?.productName, 'Hose')
  assert.deepEqual(one?.careInstructions, { de: 'Waschen & trocknen\n\n• 30 °C' })
  assert.equal(two?.productName, 'Rock < 3 kg')
  assert.deepEqual(three?.careInstructions, { de: 'Nur Handwäsche' })
})

test('a unit that a column cannot have is named with those that it can have', async () => {
  const { editor } = await newEditor(stand)
  const { page } = await checkRows(editor, [
    ['sku', 'productName', 'weightGrams'],
    ['U-1', 'Hose', '2 stone'],
    ['U-2', 'Rock', '12 cm'],
    ['U-3', 'Schal', '1.5 kgs'],
  ])
  assert.deepEqual(counts(page), [1, 0, 0, 2])
  const said = text(getSection(page.text, 'bad'))
  assert.match(
    said,
    /C: weightGrams The number has the unit “stone”, which this column cannot have\. Known units: g, kg, mg, t, oz, lb\. In the cell: “2 stone”\./,
  )
  assert.match(said, /The number has the unit “cm”, which this column cannot have/)
})

test('so it is for a unit in a column of its own, and for a value of every row', async () => {
  const { editor } = await newEditor(stand)
  const rows = [
    ['sku', 'productName', 'weight', 'weight-unit'],
    ['B-1', 'Hose', '2', 'stone'],
  ]
  const { page } = await checkRows(editor, rows)
  assert.match(
    text(getSection(page.text, 'bad')),
    /The number has the unit “stone”, which this column cannot have/,
  )
  const at = await bring(
    stand,
    editor,
    lines([
      ['sku', 'productName'],
      ['B-2', 'Hose'],
    ]),
  )
  const refused = await sendColumns(editor, at, {
    ...SAME,
    'more.0.field': 'weightGrams',
    'more.0.value': '2 stone',
  })
  assert.equal(refused.status, 422)
  assert.match(text(refused.text), /The number has the unit “stone”, which this column cannot have/)
})
