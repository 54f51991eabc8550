/**
 * Tests that imports are safe: nothing changes without a preview, nothing is guessed, and one value can apply
 * to all rows.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readAll } from '../transfer/spreadsheets.ts'
import { bring, check, counts, download, formIn, plain, run, sendColumns, upload } from './import-form.ts'
import { findData, lines, newEditor, SAME } from './import-values.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

let stand: Stand
before(async () => {
  stand = await startStand()
})
after(() => stand.close())

describe('one value for every row', () => {
  let editor: Browser
  let account: number
  before(async () => ({ account, editor } = await newEditor(stand)))

  test('required fields without a column are offered; with them, names and numbers are enough for products', async () => {
    const at = await bring(
      stand,
      editor,
      lines([
        ['sku', 'name', 'weight'],
        ['S-1', 'Pullover', '0.62'],
        ['S-2', 'Mütze', '0.08'],
      ]),
    )
    const page = await editor.get(at)
    assert.match(page.text, /No column contains: Brand, Economic operator: Role/)
    assert.doesNotMatch(page.text, /need a column for/)
    const form = formIn(page)
    for (const name of Object.keys(SAME)) assert.ok(name in form, name)
    assert.equal(form['u.2'], '')

    const refused = await sendColumns(editor, at, { ...SAME, 'k.economicOperator.contactEmail': 'nobody' })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /href="#u\.2">C: weight: The spreadsheet does not say in which unit/)
    assert.match(refused.text, /Contact e-mail: Is not an e-mail address/)
    assert.equal(formIn(refused)['k.economicOperator.legalName'], 'Testmarke GmbH')

    const checked = await check(stand, editor, at, { ...SAME, 'u.2': 'kg' })
    assert.deepEqual(counts(checked), [2, 0, 0, 0])
    assert.deepEqual(counts(await run(stand, editor, at)), [2, 0, 0, 0])
    const { economicOperator, ...made } = await findData(stand, account, 'S-1')
    assert.deepEqual(economicOperator, {
      role: 'manufacturer',
      legalName: 'Testmarke GmbH',
      address: 'Werkstraße 1\n26121 Oldenburg',
      country: 'DE',
      contactEmail: 'pass@testmarke.example',
    })
    assert.deepEqual([made.productName, made.weightGrams, made.countryOfManufacture], ['Pullover', 620, 'PT'])
    assert.deepEqual(made.careInstructions, { de: 'Bei 30 °C waschen' })
    assert.deepEqual(made.fiberComposition, [
      { fiber: 'cotton', percentage: 60 },
      { fiber: 'flax', percentage: 40 },
    ])
  })

  test('it is remembered for the next spreadsheet, and existing products keep their values', async () => {
    const at = await bring(
      stand,
      editor,
      lines([
        ['sku', 'name'],
        ['S-1', 'Pullover'],
        ['S-3', 'Schal'],
      ]),
    )
    const form = formIn(await editor.get(at))
    assert.deepEqual(
      [form['k.brandName'], form['k.careInstructions'], form.k_language],
      ['Testmarke', 'Bei 30 °C waschen', 'de'],
    )
    const checked = await check(stand, editor, at, { 'k.brandName': 'Andere', same_company: 'yes' })
    assert.deepEqual(counts(checked), [1, 0, 1, 0])
    const all = await check(stand, editor, at, { 'k.brandName': 'Andere', constants_for: 'all' })
    assert.match(all.text, /<dt>Economic operator: Legal name<\/dt><dd>Testmarke GmbH<\/dd>/)
    assert.match(all.text, /All products of the spreadsheet; existing values are replaced/)
    assert.deepEqual(counts(all), [1, 1, 0, 0])
    assert.match(
      all.text,
      /<td>Brand<\/td><td data-head="Before">Testmarke<\/td><td data-head="After">Andere<\/td>/,
    )
  })

  test('any other field can be set for every row by its name; the SKU cannot', async () => {
    const at = await bring(
      stand,
      editor,
      lines([
        ['sku', 'name'],
        ['S-4', 'Hemd'],
      ]),
    )
    const wrong = await sendColumns(editor, at, {
      'more.0.field': 'sku',
      'more.0.value': 'X',
      'more.1.field': 'nonsense',
    })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /Article number \(SKU\) is different for each product/)
    assert.match(wrong.text, /There is no field nonsense/)
    await check(stand, editor, at, {
      'more.0.field': 'commodityCode',
      'more.0.value': '61091000',
      same_company: 'yes',
    })
    await run(stand, editor, at)
    assert.equal((await findData(stand, account, 'S-4')).commodityCode, '61091000')
  })

  test('the company of the newest product is shown, and used only after a click', async () => {
    await stand.sql`update sheet_mapping set constants = '{}' where account_id = ${account}`
    const at = await bring(
      stand,
      editor,
      lines([
        ['sku', 'name'],
        ['S-5', 'Hose'],
      ]),
    )
    const page = await editor.get(at)
    const form = formIn(page)
    assert.deepEqual(
      [form['k.economicOperator.legalName'], form['k.languages'], form['k.careInstructions']],
      ['', 'de', ''],
    )
    assert.match(page.text, /<dt>Economic operator: Role<\/dt><dd>Manufacturer<\/dd>/)
    assert.match(page.text, /<dt>Economic operator: Legal name<\/dt><dd>Testmarke GmbH<\/dd>/)
    assert.match(page.text, /<input type="checkbox" id="same_company" name="same_company" value="yes" aria-/)
    const chosen = ({ text }: { text: string }) =>
      /<section aria-labelledby="same">.*?<\/section>/s.exec(text)?.[0] ?? ''
    const { 'k.brandName': brand = '', ...others } = SAME
    const rest = Object.fromEntries(
      Object.entries(others).filter(([name]) => !name.includes('economicOperator')),
    )
    const without = await check(stand, editor, at, { ...rest, 'k.brandName': brand })
    assert.doesNotMatch(chosen(without), /Testmarke GmbH/)
    assert.deepEqual(counts(without), [0, 0, 0, 1])
    const other = await check(stand, editor, at, {
      ...rest,
      same_company: 'yes',
      'k.economicOperator.legalName': 'Andere AG',
    })
    assert.match(chosen(other), /Andere AG/)
    assert.doesNotMatch(chosen(other), /Testmarke GmbH/)
    assert.deepEqual(counts(other), [1, 0, 0, 0])
  })

  test('a spreadsheet with GTINs and no SKUs is matched by GTIN, and the page says so', async () => {
    const at = await bring(
      stand,
      editor,
      lines([
        ['ean', 'title'],
        ['4006381333931', 'Stift'],
      ]),
    )
    const page = await editor.get(at)
    assert.match(page.text, /The spreadsheet has a column for the GTIN and none for the SKU/)
    assert.equal(formIn(page).match_by, 'gtin')
    assert.deepEqual(counts(await check(stand, editor, at, SAME)), [1, 0, 0, 0])
    await run(stand, editor, at)
    assert.equal((await findData(stand, account, '4006381333931')).gtin, '4006381333931')
    const without = await bring(
      stand,
      editor,
      lines([
        ['ean', 'title'],
        ['4006381333948', 'Stift 2'],
      ]),
    )
    const refused = await check(stand, editor, without, { ...SAME, sku_from_gtin: '' })
    assert.match(refused.text, /<td>Article number \(SKU\)<\/td><td>The spreadsheet has no column for it/)
  })
})

describe('changes are shown before they are made', () => {
  let editor: Browser
  let account: number
  before(async () => {
    ;({ account, editor } = await newEditor(stand))
    const rows = Array.from({ length: 45 }, (_, n) => [`C-${n}`, `Socke ${n}`, '80'])
    const at = await bring(stand, editor, lines([['sku', 'name', 'weightGrams'], ...rows]))
    assert.deepEqual(counts(await check(stand, editor, at, SAME)), [45, 0, 0, 0])
    await run(stand, editor, at)
  })

  test('a column called name changes the name of the product, never of a substance', async () => {
    const at = await bring(
      stand,
      editor,
      lines([
        ['sku', 'name', 'weight'],
        ['C-1', 'Fisherman sweater', '0.62'],
      ]),
    )
    const checked = await check(stand, editor, at, { 'u.2': 'kg' })
    assert.deepEqual(counts(checked), [0, 1, 0, 0])
    assert.match(
      checked.text,
      /<td>Product name<\/td><td data-head="Before">Socke 1<\/td><td data-head="After">Fisherman sweater<\/td>/,
    )
    assert.match(
      checked.text,
      /<td>Weight \(g\)<\/td><td data-head="Before">80<\/td><td data-head="After">620<\/td>/,
    )
    assert.doesNotMatch(checked.text, /Substance/)
  })

  test('lists all changes page by page, and changes nothing until the box is ticked', async () => {
    const rows = Array.from({ length: 45 }, (_, n) => [`C-${n}`, '90'])
    const at = await bring(stand, editor, lines([['sku', 'weightGrams'], ...rows]))
    const checked = await check(stand, editor, at)
    assert.deepEqual(counts(checked), [0, 45, 0, 0])
    assert.match(checked.text, /Page 1 of 3/)
    const seen = new Set<string>()
    for (const page of [1, 2, 3]) {
      const { text } = await editor.get(`${at}?changes=${page}`)
      for (const [, name = ''] of text.matchAll(/<td rowspan="1">(Socke \d+|Fisherman sweater)/g))
        seen.add(name)
    }
    assert.equal(seen.size, 45)
    assert.match(checked.text, /<input type="checkbox" id="confirm"/)
    const refused = await run(stand, editor, at)
    assert.equal(refused.status, 422)
    assert.match(refused.text, /tick the box/)
    assert.equal((await findData(stand, account, 'C-2')).weightGrams, 80)
    assert.deepEqual(counts(await run(stand, editor, at, { confirm: 'yes' })), [0, 45, 0, 0])
    assert.equal((await findData(stand, account, 'C-2')).weightGrams, 90)
  })

  test('a product created after the check is not overwritten by a row checked as new', async () => {
    const sheet = lines([
      ['sku', 'name', 'weightGrams'],
      ['N-1', 'Neu', '10'],
    ])
    const at = await bring(stand, editor, sheet)
    assert.deepEqual(counts(await check(stand, editor, at, SAME)), [1, 0, 0, 0])
    const other = await bring(stand, editor, sheet.replace('Neu', 'Schneller'))
    await check(stand, editor, other, SAME)
    await run(stand, editor, other)
    const done = await run(stand, editor, at)
    assert.deepEqual(counts(done), [0, 0, 0, 1])
    assert.equal((await findData(stand, account, 'N-1')).productName, 'Schneller')
  })

  test('shows names that are mapped to others, and fibre names that are unknown', async () => {
    const rows = [
      ['M-1', 'Hemd', '50 % Leinen; 50 % cotton'],
      ['M-2', 'Hemd', '60 % woool; 40 % xyzzy'],
    ]
    const at = await bring(stand, editor, lines([['sku', 'name', 'Zusammensetzung'], ...rows]))
    const { text } = await check(stand, editor, at)
    assert.match(text, /3 names were recognised as other names, or are unknown/)
    assert.match(
      text,
      /<strong>Leinen<\/strong> <span class="quiet">Fibre composition: Fibre: recognised as flax/,
    )
    assert.match(text, /<strong>woool<\/strong> [^/]*If you meant wool, correct/)
    assert.match(
      text,
      /<strong>xyzzy<\/strong> [^/]*not a known name; it is published unchanged in every language/,
    )
    assert.doesNotMatch(text, /<strong>cotton/)
  })

  test('an import without any valid row cannot be run', async () => {
    const at = await bring(
      stand,
      editor,
      lines([
        ['sku', 'weightGrams'],
        ['C-1', 'heavy'],
      ]),
    )
    const checked = await check(stand, editor, at)
    assert.deepEqual(counts(checked), [0, 0, 0, 1])
    assert.equal((await run(stand, editor, at, { confirm: 'yes' })).status, 422)
    assert.match((await editor.get('/console/import')).text, /is checked/)
  })
})

describe('the file of errors', () => {
  test('a duplicate row stays rejected if it comes back uncorrected, and the products stay unchanged', async () => {
    const { account, editor } = await newEditor(stand)
    const rows = Array.from({ length: 12 }, (_, n) => [
      `SK-${n === 10 ? 9 : n}`,
      `Sock ${n}`,
      n === 3 ? 'heavy' : '80',
    ])
    const head = ['sku', 'name', 'weightGrams']
    const at = await bring(stand, editor, lines([head, ...rows]))
    assert.deepEqual(counts(await check(stand, editor, at, SAME)), [10, 0, 0, 2])
    await run(stand, editor, at)
    for (const format of ['csv', 'xlsx']) {
      const file = await download(stand, editor, `${at}/errors?format=${format}`)
      const errors = await readAll(file)
      assert.deepEqual(errors.header, [...head, 'what_is_wrong', 'repeats_product'])
      assert.deepEqual(
        errors.rows.map(row => row[4] ?? null),
        [null, 'SK-9'],
      )
      const again = await bring(stand, editor, file, { name: `errors.${format}` })
      const checked = await check(stand, editor, again)
      assert.deepEqual(counts(checked), [0, 0, 0, 2])
      assert.match(checked.text, /another row was about the same product/)
      // The next error file has the same mark.
      const next = await readAll(await download(stand, editor, `${again}/errors?format=${format}`))
      assert.deepEqual(next.header, errors.header)
      assert.deepEqual(
        next.rows.map(row => row[4] ?? null),
        [null, 'SK-9'],
      )
    }
    assert.equal((await findData(stand, account, 'SK-9')).productName, 'Sock 9')

    const mended = (sku: string, mark: string) =>
      lines([
        [...head, 'what_is_wrong', 'repeats_product'],
        [sku, 'Sock 10', '80', '', mark],
      ])
    const own = await bring(stand, editor, mended('SK-10', 'SK-9'))
    assert.deepEqual(counts(await check(stand, editor, own, { same_company: 'yes' })), [1, 0, 0, 0])
    const meant = await bring(stand, editor, mended('SK-9', ''))
    assert.deepEqual(counts(await check(stand, editor, meant)), [0, 1, 0, 0])
    assert.equal((await run(stand, editor, meant)).status, 422)
    // The mark also applies when matching by GTIN instead of SKU.
    const byGtin = lines([
      ['gtin', ...head, 'repeats_product'],
      ['4006381333931', 'SK-9', 'Sock 10', '80', 'SK-9'],
    ])
    const other = await bring(stand, editor, byGtin)
    assert.deepEqual(counts(await check(stand, editor, other, { match_by: 'gtin' })), [0, 0, 0, 1])
  })

  test('errors are grouped, filtered and paged; the quota of the plan takes one line', async () => {
    const { account, editor } = await newEditor(stand)
    await stand.sql`update account set model_quota = 30 where id = ${account}`
    const rows = Array.from({ length: 100 }, (_, n) => [
      `Q-${n}`,
      n % 20 === 19 ? '' : `Socke ${n}`,
      n % 2 === 0 ? 'heavy' : '80',
    ])
    const at = await bring(stand, editor, lines([['sku', 'name', 'weightGrams'], ...rows]))
    assert.match((await editor.get(at)).text, /room for 30 new products, and the spreadsheet has 100 rows/)
    const checked = await check(stand, editor, at, SAME)
    assert.deepEqual(counts(checked), [30, 0, 0, 70])
    assert.match(checked.text, /There is room for 30 of 45 new products\. 15 rows are left out/)
    assert.doesNotMatch(checked.text, /quota/)
    const groups = [...checked.text.matchAll(/<li><a class="alone" href="([^"]*)#bad">(\d+) rows<\/a>/g)]
    assert.deepEqual(
      groups.map(([, , n]) => n),
      ['50', '5'],
    )
    const [, names = ''] = groups[1] ?? []
    const filtered = await editor.get(plain(names))
    assert.equal([...filtered.text.matchAll(/<td class="number" data-head="Row">/g)].length, 5)
    const seen = new Set<string>()
    for (const page of [1, 2, 3]) {
      const { text } = await editor.get(`${at}?page=${page}`)
      assert.match(text, new RegExp(`Page ${page} of 3`))
      for (const [, no = ''] of text.matchAll(/<td class="number" data-head="Row">(\d+)</g)) seen.add(no)
    }
    assert.equal(seen.size, 55)
  })
})

test('of many large files at once, those that cannot wait are refused with the time to wait', async () => {
  const { editor } = await newEditor(stand)
  const files = Array.from({ length: 8 }, () => upload(stand, editor, Buffer.alloc(2_000_000)))
  const refused = (await Promise.all(files)).filter(({ status }) => status === 503)
  assert.ok(refused.length > 0)
  for (const { headers } of refused) assert.equal(headers['retry-after'], '6')
  assert.equal((await upload(stand, editor, Buffer.from('sku;name\nW-1;Mütze\n'))).status, 303)
})
