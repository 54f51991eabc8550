/** Tests exports of shops with several rows for a product: the handle as SKU, and rows of variants. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bring, check, counts, formIn, plain, run } from './import-form.ts'
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

const HEADER = ['Handle', 'Title', 'Body (HTML)', 'Option1 Name', 'Option1 Value', 'Variant Grams']
const handleRows = (handle: string) => [
  [handle, 'Tee', 'Soft', 'Size', 'S', '180'],
  [handle, '', '', '', 'M', '190'],
  [handle, '', '', '', 'L', '200'],
  [`${handle}-2`, 'Hoodie', 'Warm', 'Size', 'M', '500'],
]
const VARIANT = /it is a variant or a picture of the product in row 2\. Variants are not imported/

for (const [name, extra] of [
  ['no column for the SKU', undefined],
  ['a column for the SKU without values', ['Variant SKU', '', '', '', '']],
  ['a later column without values', ['SKU', '', ' ', '', '']],
] as const) {
  test(`${name}: Shopify's handle serves as SKU, and variants are named`, async () => {
    const handle = `tee-${extra?.[0]?.toLowerCase().replace(' ', '-') ?? 'none'}`
    const rows = [HEADER, ...handleRows(handle)].map((row, n) => [...row, ...(extra ? [extra[n] ?? ''] : [])])
    const at = await bring(stand, editor, lines(rows))
    const form = formIn(await editor.get(at))
    assert.deepEqual([form['c.0'], form['c.6'] ?? ''], ['sku', ''])
    const checked = await check(stand, editor, at, SAME)
    assert.deepEqual(counts(checked), [2, 0, 0, 2])
    assert.match(plain(checked.text), VARIANT)
    assert.doesNotMatch(plain(checked.text), /is about the same product|The cell is empty/)
    await run(stand, editor, at)
    assert.equal((await findData(stand, account, handle)).weightGrams, 180)
    assert.equal((await findData(stand, account, `${handle}-2`)).productName, 'Hoodie')
  })
}

test('variants with SKUs of their own are named, and change products that exist', async () => {
  const header = [...HEADER, 'Variant SKU']
  const rows = handleRows('shirt').map((row, n) => [...row, `V-${n}`])
  const at = await bring(stand, editor, lines([header, ...rows]))
  const checked = await check(stand, editor, at, SAME)
  assert.equal(formIn(await editor.get(`${at}?columns=yes`))['c.0'], '')
  assert.deepEqual(counts(checked), [2, 0, 0, 2])
  assert.match(plain(checked.text), VARIANT)
  const german = await editor.get(at, { headers: { 'accept-language': 'de' } })
  assert.match(plain(german.text), /eine Variante oder ein Bild des Produkts in Zeile 2/)
  await run(stand, editor, at)

  const named = rows.map((row, n) => (n === 1 ? row.with(1, 'Tee M') : row))
  const second = await bring(stand, editor, lines([header, ...named]))
  assert.deepEqual(counts(await check(stand, editor, second, SAME)), [1, 0, 2, 1])
  await run(stand, editor, second)
  const third = await bring(stand, editor, lines([header, ...rows.map(row => row.with(5, '210'))]))
  assert.deepEqual(counts(await check(stand, editor, third, SAME)), [0, 3, 0, 1])
})

test('a column without values takes no field from one that has values', async () => {
  const rows = [
    ['Artikelnummer', 'SKU', 'EAN', 'GTIN', 'Name'],
    ['', 'C-1', '', '4006381331005', 'Tasse'],
  ]
  const form = formIn(await editor.get(await bring(stand, editor, lines(rows))))
  assert.deepEqual(
    [0, 1, 2, 3].map(place => form[`c.${place}`]),
    ['', 'sku', '', 'gtin'],
  )
})
