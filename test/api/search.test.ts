/** Tests that searches find what people mean, whatever accents, case and letters they type. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { foldText } from '../../src/kernel/text/search-text.ts'
import { searchDrafts } from '../../src/passports/drafts/search-drafts.ts'
import { createDraft } from '../../src/passports/drafts/store-drafts.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

const FOUND: [name: string, ...words: string[]][] = [
  ['Café Šálek', 'cafe salek', 'CAFÉ', 'šálek', 'Cafe\u0301'],
  ['Straße 7', 'STRASSE', 'straße', 'strasse 7'],
  ['Łódź smørrebrød', 'lodz', 'smorrebrod', 'Łódź'],
  ['Ærø Œuvre', 'aero', 'oeuvre'],
  ['İstanbul ışık', 'istanbul', 'isik'],
  ['ΜΆΛΛΙΝΟ ΠΑΛΤΌΣ', 'μαλλινο', 'παλτος', 'παλτόσ'],
  ['Ёлка Й', 'елка', 'ёлка'],
  ['قَمِيص', 'قميص'],
  ['Ｔシャツ ガラス', 'tシャツ', 'ガラス'],
  ['한국어 셔츠', '셔츠'],
  ['Soft\u00adshell jac\u200bket', 'softshell', 'jacket'],
]
const NOT_FOUND: [name: string, word: string][] = [
  ['Ｔシャツ ガラス', 'カラス'],
  ['한국어 셔츠', '하'],
  ['Café Šálek', 'cafes'],
]

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account()
  for (const [i, [productName]] of FOUND.entries()) {
    const body = newProduct({ productName, sku: `S-${i}` })
    assert.equal((await t.ask('POST', '/api/v1/products', { key: account.key, body })).status, 201)
  }
})
after(() => t.close())

async function find(q: string): Promise<string[]> {
  const { status, json } = await t.ask('GET', `/api/v1/products?q=${encodeURIComponent(q)}`, account)
  assert.equal(status, 200)
  return json.data.map((one: { product_name: string }) => one.product_name)
}

async function checkAll(): Promise<void> {
  for (const [name, ...words] of FOUND)
    for (const word of words) assert.deepEqual(await find(word), [name], word)
  for (const [name, word] of NOT_FOUND) assert.ok(!(await find(word)).includes(name), word)
}

/** As versions before wrote it. */
const writeEarlierTexts = () => t.sql`
  update passport p set search = lower(normalize((c.data->>'productName') || E'\n' || (c.data->>'sku') || E'\n', nfc))
  from content c where c.id = p.content_id and p.account_id = ${account.id}`

describe('a search', () => {
  test('ignores accents, case and characters that nobody sees', checkAll)

  test('finds nothing by a mark alone, and still a percent sign', async () => {
    for (const word of ['\u0301', '%', '\u2060']) assert.deepEqual(await find(word), [], word)
  })

  test('finds what the previous version wrote by its own letters, and by all after the migration', async () => {
    await writeEarlierTexts()
    assert.deepEqual(await find('Café šálek'), ['Café Šálek'])
    assert.deepEqual(await find('cafe salek'), [])
    const sql = readFileSync(new URL('../../migrations/0065_folded_search.sql', import.meta.url), 'utf8')
    await t.sql.unsafe(sql)
    await checkAll()
  })

  test('of drafts folds in the same way', async () => {
    const draft = { category: 'textile', data: { productName: 'Café Šálek' }, note: null }
    await createDraft(account.ctx, draft as unknown as Parameters<typeof createDraft>[1])
    for (const q of ['cafe salek', 'CAFÉ'])
      assert.equal((await searchDrafts(account.ctx, { q, page: 1, limit: 10 })).total, 1, q)
    assert.equal((await searchDrafts(account.ctx, { q: 'cafes', page: 1, limit: 10 })).total, 0)
  })
})

test('folding is stable', () => {
  for (const [name, ...words] of FOUND)
    for (const text of [name, ...words]) assert.equal(foldText(foldText(text)), foldText(text))
})
