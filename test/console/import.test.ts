/** Tests spreadsheets by forms: templates, columns, the check, the import, rejected rows, and the export. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { getOperatorActor } from '../../src/accounts/account/actors.ts'
import { formatCsvLine } from '../../src/transfer/spreadsheets/files/write-csv.ts'
import { writeXlsx } from '../../src/transfer/spreadsheets/files/write-xlsx.ts'
import {
  resumeImports,
  stopImports,
  takeImportFailures,
  waitForImports,
} from '../../src/transfer/spreadsheets/import/run-import.ts'
import { createImport } from '../../src/transfer/spreadsheets/import/spreadsheet-import.ts'
import { endPools, getTestShard } from '../database.ts'
import { joined, readAll } from '../transfer/spreadsheets.ts'
import { waitForLocks } from '../waiting.ts'
import { bring as bringBy, counts, download as downloadBy, formIn, upload as send } from './import-form.ts'
import { type Answer, type Browser, OWN, PUBLIC_URL, type Stand, startStand } from './stand.ts'

let stand: Stand
let account: number
let editor: Browser
let viewer: Browser
let stranger: Browser

before(async () => {
  stand = await startStand()
  account = await stand.account({ plan: 'enterprise' })
  editor = await stand.signedIn(account, 'editor')
  viewer = await stand.signedIn(account, 'viewer')
  stranger = await stand.signedIn(await stand.account({ name: 'Anderswo' }), 'owner')
})
after(() => stand.close())

const upload = (browser: Browser, bytes: Buffer, ask = {}) => send(stand, browser, bytes, ask)

const HEAD = [
  'Produktname',
  'Artikelnummer',
  'Marke',
  'Sprachen',
  'Wirtschaftsakteur Rolle',
  'Firmenname',
  'Wirtschaftsakteur Anschrift',
  'economicOperator.country',
  'Kontakt-E-Mail',
  'Faserzusammensetzung',
  'Herstellungsland',
  'Pflegehinweise (de)',
  'Reparierbar',
  'Ersatzteile erhältlich',
  'Recyclinghinweise (de)',
  'Entsorgungshinweise (de)',
  'Gewicht (g)',
]
const cells = (n: number, more: { weight?: string; fibres?: string; sku?: string } = {}) => [
  `Jacke ${n}`,
  more.sku ?? `J-${n}`,
  'Testmarke',
  'de',
  'Hersteller',
  'Testmarke GmbH',
  'Werkstraße 1\nOldenburg',
  'Deutschland',
  'pass@testmarke.example',
  more.fibres ?? '60 % Wolle; 40 % Polyester',
  'PT',
  'Bei 30 °C',
  'ja',
  'nein',
  'Sammelstelle',
  'Nicht in den Hausmüll',
  more.weight ?? '512,5',
]
const sheet = (rows: readonly (readonly string[])[]) =>
  Buffer.from(`\ufeff${[HEAD, ...rows].map(row => formatCsvLine(row, ';')).join('')}`)

async function bring(
  bytes: Buffer,
  { by = editor, ...ask }: { name?: string; category?: string; by?: Browser } = {},
): Promise<string> {
  return bringBy(stand, by, bytes, ask)
}

async function check(at: string, more: Record<string, string> = {}, by = editor): Promise<Answer> {
  const answer = await by.post(`${at}/columns`, { form: { ...formIn(await by.get(at)), ...more } })
  assert.equal(answer.status, 303, answer.text)
  await waitForImports(stand.sql)
  assert.deepEqual(takeImportFailures(stand.sql), [])
  return by.get(at)
}

async function run(at: string, by = editor): Promise<Answer> {
  assert.equal((await by.post(`${at}/run`, { form: { confirm: 'yes' } })).status, 303)
  await waitForImports(stand.sql)
  assert.deepEqual(takeImportFailures(stand.sql), [])
  return by.get(at)
}

const rules = () => ({ publicUrl: PUBLIC_URL, policy: stand.outbound.policy })

const download = (browser: Browser, path: string) => downloadBy(stand, browser, path)

describe('a thousand rows, twenty of them invalid', () => {
  const rows = Array.from({ length: 1_000 }, (_, n) => {
    if (n % 50 !== 7) return cells(n)
    return n < 500 ? cells(n, { fibres: '60 % Wolle; 30 % Polyester' }) : cells(n, { weight: 'schwer' })
  })
  let at: string

  test('columns are mapped automatically and shown with their first values', async () => {
    at = await bring(sheet(rows))
    const page = await editor.get(at)
    assert.match(page.text, /1,000 rows/)
    const form = formIn(page)
    assert.equal(form['c.0'], 'productName')
    assert.equal(form['c.9'], 'fiberComposition')
    assert.equal(form['c.11'], 'careInstructions.de')
    assert.equal(form.mark, 'comma')
    assert.ok(HEAD.every((_, place) => form[`c.${place}`] !== ''))
    assert.match(page.text, /Jacke 0 · Jacke 1/)
    const called = async (headers = {}) =>
      [
        ...(await editor.get(at, { headers })).text.matchAll(
          /<span class="called">(.*?)<\/span><input[^>]* value="(.*?)"/g,
        ),
      ]
        .slice(4, 12)
        .map(([, label, path]) => `${label} = ${path}`)
    assert.deepEqual((await called()).slice(0, 2), [
      'Economic operator: Role = economicOperator.role',
      'Economic operator: Legal name = economicOperator.legalName',
    ])
    const german = await called({ 'accept-language': 'de' })
    assert.equal(german[0], 'Wirtschaftsakteur: Rolle = economicOperator.role')
    assert.match(german[7] ?? '', /^Pflegehinweise \(de\) = careInstructions\.de/)
    assert.ok(page.text.length < 100_000)
  })

  test('a field used twice, an unknown one, and a missing SKU are reported at the columns', async () => {
    const form = formIn(await editor.get(at))
    const wrong = { 'c.3': 'nonsense', 'c.1': '', 'c.0': 'sku' }
    for (const [change, sentence] of [
      [{ 'c.3': wrong['c.3'] }, /There is no field nonsense/],
      [{ 'c.1': '' }, /No column is mapped to Article number \(SKU\), which/],
      [{ 'c.0': 'sku' }, /Two columns are mapped to Article number \(SKU\)\./],
    ] as const) {
      const answer = await editor.post(`${at}/columns`, { form: { ...form, ...change } })
      assert.equal(answer.status, 422)
      assert.match(answer.text, sentence)
    }
  })

  test('the check shows what would happen and writes nothing', async () => {
    const page = await check(at)
    assert.deepEqual(counts(page), [980, 0, 0, 20])
    assert.match(
      page.text,
      /<td class="number" data-head="Row">9<\/td><td>J: Faserzusammensetzung<\/td><td>Adds up to 90/,
    )
    assert.match((await editor.get('/console/products')).text, /There are no products yet/)
  })

  test('the import writes the valid rows', async () => {
    assert.deepEqual(counts(await run(at)), [980, 0, 0, 20])
    assert.match((await editor.get('/console/products')).text, /980 products/)
    const again = await editor.post(`${at}/run`)
    assert.equal(again.status, 303)
    await waitForImports(stand.sql)
    assert.match((await editor.get('/console/products')).text, /980 products/)
  })

  test('the audit log has one entry for the start with the rows, and one for the end with the outcome', async () => {
    const { text } = await editor.get('/console/settings/audit')
    const entries = (page: string) => [...page.matchAll(/Produkte\.csv \([^)]*\)/g)].map(([found]) => found)
    assert.match(text, /Imported a spreadsheet.*Started to import a spreadsheet/s)
    const created = 'Created: 980, Rows with errors: 20'
    assert.deepEqual(entries(text), [`Produkte.csv (${created})`, 'Produkte.csv (1,000 rows)'])
    const german = await editor.get('/console/settings/audit', { headers: { 'accept-language': 'de' } })
    const angelegt = 'Angelegt: 980, Zeilen mit Fehlern: 20'
    assert.deepEqual(entries(german.text), [`Produkte.csv (${angelegt})`, 'Produkte.csv (1.000 Zeilen)'])
    assert.match(german.text, /Hat den Import einer Tabelle begonnen/)
  })

  for (const format of ['xlsx', 'csv']) {
    test(`the failed rows as ${format}, corrected and uploaded again, complete the import`, async () => {
      const { header, rows: bad } = await readAll(await download(editor, `${at}/errors?format=${format}`))
      assert.deepEqual(header, [...HEAD, 'what_is_wrong'])
      assert.equal(bad.length, 20)
      assert.match(
        String(bad[0]?.[17]),
        /^\(9\) J Faserzusammensetzung: Adds up to 90.* In the cell: “60 % Wolle; 30 % Polyester”\./,
      )
      const mended = bad.map(row => row.with(9, '100 % Wolle').with(16, '3,5'))
      const next = await bring(Buffer.from([header, ...mended].map(row => formatCsvLine(row, ';')).join('')))
      assert.deepEqual(counts(await check(next)), format === 'xlsx' ? [20, 0, 0, 0] : [0, 0, 20, 0])
      if (format === 'xlsx') await run(next)
      assert.match((await editor.get('/console/products')).text, /1,000 products/)
    })
  }

  test('an unchanged export changes nothing when uploaded, and a changed cell changes its product', async () => {
    for (const format of ['xlsx', 'csv', 'csv2']) {
      const bytes = await download(viewer, `/console/export/file?category=textile&format=${format}`)
      assert.deepEqual(counts(await check(await bring(bytes))), [0, 0, 1_000, 0])
    }
    const { header, rows: all } = await readAll(
      await download(editor, '/console/export/file?category=textile&q=J-77'),
    )
    const place = header.indexOf('weightGrams')
    const changed = all.map(row => row.with(place, 1).slice(0, place + 1))
    const lines = [header.slice(0, place + 1), ...changed].map(row => formatCsvLine(row)).join('')
    const next = await bring(Buffer.from(lines))
    await check(next)
    assert.deepEqual(counts(await run(next)), [0, all.length, 0, 0])
    assert.deepEqual(counts(await check(await bring(Buffer.from(lines)))), [0, 0, all.length, 0])
  })
})

test('an export of small percentages can be uploaded without a question, also after a spreadsheet of fractions', async () => {
  const owner = await stand.signedIn(await stand.account(), 'owner')
  const small = [
    [...HEAD, 'recycledContentPercentage'],
    [...cells(1, { weight: '0,5' }), '0,25'],
  ]
  const bytes = Buffer.from(small.map(row => formatCsvLine(row, ';')).join(''))
  const unit = `u.${HEAD.length}`
  const percent = await bring(bytes, { by: owner })
  const asked = await owner.post(`${percent}/columns`, { form: formIn(await owner.get(percent)) })
  assert.equal(asked.status, 422)
  await check(percent, { [unit]: '%' }, owner)
  await run(percent, owner)
  // Another file has fractions under the same title, and the console remembers that.
  const fraction = await bring(bytes, { by: owner })
  assert.deepEqual(counts(await check(fraction, { [unit]: 'fraction' }, owner)), [0, 1, 0, 0])
  for (const format of ['xlsx', 'csv', 'csv2']) {
    const file = await download(owner, `/console/export/file?category=textile&format=${format}`)
    assert.deepEqual(counts(await check(await bring(file, { by: owner }), {}, owner)), [0, 0, 1, 0], format)
  }
})

describe('on German pages', () => {
  const GERMAN = { headers: { 'accept-language': 'de' } }
  const wrong = [
    cells(30_000, { weight: 'schwer' }),
    cells(30_001, { fibres: '60 % Wolle; 30,5 % Polyester' }),
    cells(30_002, { weight: '-1' }),
    cells(30_000),
    cells(30_003).with(7, 'Utopia'),
    cells(30_004).with(4, 'Hersteler').with(0, ''),
  ]
  let at: string

  test('errors at the columns are German', async () => {
    at = await bring(sheet(wrong))
    const form = formIn(await editor.get(at, GERMAN))
    const ask = async (change: object) =>
      (
        await editor.post(`${at}/columns`, {
          form: { ...form, ...change },
          headers: { ...OWN, 'accept-language': 'de' },
        })
      ).text
    assert.match(await ask({ 'c.0': 'sku' }), /Zwei Spalten sind Artikelnummer/)
    assert.match(
      await ask({ 'c.1': '' }),
      /Keiner Spalte ist Artikelnummer[^,]* zugeordnet, woran eine Zeile ihr Produkt erkennt/,
    )
    assert.match(await ask({ 'c.1': 'nonsense' }), /Ein Feld nonsense gibt es nicht/)
    await ask({})
    await waitForImports(stand.sql)
  })

  test('each row names the column, the problem, the value and what to write', async () => {
    const { text } = await editor.get(at, GERMAN)
    for (const [row, column, sentence] of [
      [
        2,
        'Q: Gewicht (g)',
        'Erwartet wird eine Zahl (nur Ziffern und ein Dezimalzeichen), gefunden wurde ein Text. In der Zelle: „schwer“.',
      ],
      [
        3,
        'J: Faserzusammensetzung',
        'Ergibt zusammen 90,5; bitte so ändern, dass die Anteile genau 100 ergeben. In der Zelle: „60 % Wolle; 30,5 % Polyester“.',
      ],
      [4, 'Q: Gewicht (g)', 'Ist -1; bitte mindestens'],
      [
        5,
        'B: Artikelnummer',
        'In Zeile 2 steht dasselbe Produkt. Behalten Sie eine von beiden. In der Zelle: „J-30000“.',
      ],
      [
        6,
        'H: economicOperator.country',
        'Ist kein Land; bitte den Namen oder zwei Großbuchstaben nach ISO 3166-1, etwa DE. In der Zelle: „Utopia“.',
      ],
      [
        7,
        'A: Produktname',
        'Die Zelle ist leer, und ein neues Produkt braucht einen Wert. Füllen Sie sie aus.',
      ],
      [7, 'E: Wirtschaftsakteur Rolle', 'Ist keine der möglichen Angaben;'],
    ] as const) {
      assert.ok(
        text.includes(`<td class="number" data-head="Zeile">${row}</td><td>${column}</td><td>${sentence}`),
        `${row}: ${sentence}`,
      )
    }
  })

  test('the file of failed rows is in the language of the check, whoever downloads it', async () => {
    const { rows } = await readAll(await download(editor, `${at}/errors?format=csv`))
    assert.match(String(rows[0]?.[17]), /^\(2\) Q Gewicht \(g\): Erwartet wird eine Zahl/)
    assert.doesNotMatch(rows.map(row => row[17]).join(), /\b(must|missing|the)\b/)
  })
})

describe('limits of a spreadsheet', () => {
  test('the account remembers the chosen columns', async () => {
    const lines = Buffer.from('Nr;Wort\r\nJ-1;Neue Jacke\r\n')
    const first = await bring(lines)
    assert.equal(formIn(await editor.get(first))['c.0'], '')
    const page = await check(first, { 'c.0': 'sku', 'c.1': 'productName' })
    assert.deepEqual(counts(page), [0, 1, 0, 0])
    const form = formIn(await editor.get(await bring(lines)))
    assert.deepEqual([form['c.0'], form['c.1']], ['sku', 'productName'])
  })

  test('one product in two rows: the second is rejected, however far apart they are', async () => {
    const many = Array.from({ length: 600 }, (_, n) => cells(n, { sku: n === 599 ? 'D-0' : `D-${n}` }))
    const page = await check(await bring(sheet(many)))
    assert.deepEqual(counts(page), [599, 0, 0, 1])
    assert.match(page.text, /Row 2 is about the same product/)
  })

  test('one sheet of a workbook is chosen with the columns, and remembered', async () => {
    async function* each(all: readonly (readonly string[])[]) {
      yield* all
    }
    const book = async (first: string) => {
      const sheets = [
        { name: first, rows: each([['Notiz'], ['Nur ein Deckblatt']]) },
        { name: 'Jacken', rows: each([HEAD, cells(40_000), cells(40_001)]) },
        { name: 'Kopf', rows: each([HEAD]) },
      ]
      return joined(writeXlsx(sheets))
    }
    const kept = async () => {
      const [row] = await stand.sql<{ bytes: number | null; sheet: string | null }[]>`
        select length(book) as bytes, sheet from sheet_import order by id desc limit 1`
      return row
    }
    const bytes = await book('Deckblatt <b>')
    const at = await bring(bytes, { name: 'Mappe.xlsx' })
    const page = await editor.get(at)
    assert.match(page.text, /<option value="Deckblatt &#60;b&#62;" selected>/)
    assert.equal(formIn(page)['c.0'], '')
    assert.deepEqual(await kept(), { bytes: bytes.length, sheet: 'Deckblatt <b>' })

    const stays = await editor.post(`${at}/sheet`, { form: { sheet: 'Kopf' } })
    assert.equal(stays.status, 422)
    assert.match(stays.text, /no rows below it/)
    assert.match(stays.text, /Nur ein Deckblatt/)
    assert.equal((await viewer.post(`${at}/sheet`, { form: { sheet: 'Jacken' } })).status, 403)
    assert.equal((await stranger.post(`${at}/sheet`, { form: { sheet: 'Jacken' } })).status, 404)

    assert.equal((await editor.post(`${at}/sheet`, { form: { sheet: 'Jacken' } })).status, 303)
    const chosen = await editor.get(at)
    assert.match(chosen.text, /<option value="Jacken" selected>/)
    assert.equal(formIn(chosen)['c.0'], 'productName')
    assert.deepEqual(counts(await check(at)), [2, 0, 0, 0])
    assert.deepEqual(counts(await run(at)), [2, 0, 0, 0])
    assert.deepEqual(await kept(), { bytes: null, sheet: 'Jacken' })
    assert.equal((await editor.post(`${at}/sheet`, { form: { sheet: 'Kopf' } })).status, 303)
    assert.deepEqual(counts(await editor.get(at)), [2, 0, 0, 0])

    const next = await editor.get(await bring(await book('Vorwort'), { name: 'Mappe.xlsx' }))
    assert.match(next.text, /<option value="Jacken" selected>/)
    assert.equal(formIn(next)['c.0'], 'productName')
  })

  test('a formula is refused; a text that looks like one is stored and exported as text', async () => {
    const evil = '=HYPERLINK("http://evil.example","x")'
    const at = await bring(sheet([cells(0, { sku: evil }), cells(1, { sku: `'${evil}` })]))
    assert.match((await check(at)).text, /The cell has a formula instead of its result/)
    assert.deepEqual(counts(await run(at)), [1, 0, 0, 1])
    const csv = (await download(editor, '/console/export/file?category=textile&format=csv')).toString()
    assert.ok(csv.includes(`"'=HYPERLINK(`))
    assert.doesNotMatch(csv, /(^|,)"?=/m)
  })

  test('rejects files that are not spreadsheets on the page, and stores nothing', async () => {
    const before = await stand.sql`select id from sheet_import order by id`
    for (const [bytes, status, sentence] of [
      [Buffer.alloc(0), 422, /The file is empty/],
      [Buffer.from('sku,productName\n'), 422, /no rows below it/],
      [Buffer.from('sku\n' + 'A\n'.repeat(100_001)), 422, /more than 100,000 rows/],
      [Buffer.from(`${'a,'.repeat(10_000)}b\nA\n`), 422, /more than 1,000 columns/],
      [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]), 422, /neither an XLSX file nor a text file/],
      [Buffer.alloc(40 * 1024 * 1024, 'a'), 413, /larger than 25 MB/],
      [Buffer.alloc(25 * 1024 * 1024 + 1, 'a'), 413, /larger than 25 MB/],
    ] as const) {
      // After a large file, the next one of the same account waits for seconds.
      const by = bytes.length < 1_000_000 ? editor : await stand.signedIn(await stand.account(), 'editor')
      const answer = await upload(by, bytes)
      assert.equal(answer.status, status)
      assert.match(answer.text, sentence)
    }
    assert.equal((await upload(editor, sheet([cells(1)]), { category: 'nothing' })).status, 422)
    assert.equal((await editor.post('/console/import', { form: {} })).status, 422)
    assert.deepEqual(await stand.sql`select id from sheet_import order by id`, before)
  })

  test('a viewer, another account and another site can neither upload nor see anything', async () => {
    const at = await bring(sheet([cells(5_000)]))
    const before = await stand.sql`select id, state from sheet_import order by id`
    assert.equal((await upload(viewer, sheet([cells(1)]))).status, 403)
    assert.equal(
      (await upload(editor, sheet([cells(1)]), { headers: { origin: 'https://evil.example' } })).status,
      403,
    )
    assert.equal((await upload(stand.browser(), sheet([cells(1)]))).status, 403)
    for (const path of ['', '/errors']) assert.equal((await stranger.get(at + path)).status, 404)
    for (const path of ['/columns', '/run', '/stop', '/discard']) {
      assert.equal((await stranger.post(at + path)).status, 404)
      assert.equal((await viewer.post(at + path)).status, 403)
    }
    assert.deepEqual(await stand.sql`select id, state from sheet_import order by id`, before)
    assert.doesNotMatch((await viewer.get('/console/import')).text, /type="file"/)
    assert.equal((await viewer.get('/console/export')).status, 200)
  })

  test('templates have every field, and can be uploaded without adding a row', async () => {
    for (const format of ['xlsx', 'csv', 'csv2']) {
      const path = `/console/import/template?category=battery&languages=de,en&format=${format}`
      const { header, rows } = await readAll(await download(viewer, path))
      for (const name of ['sku', 'endOfLife.recyclingInstructions.de', 'recycledContent[1].material']) {
        assert.ok(header.includes(name), name)
      }
      assert.deepEqual(rows, [])
    }
  })

  test('an import can be stopped and discarded', async () => {
    const at = await bring(sheet([cells(6_000)]))
    await stand.sql`update sheet_import set state = 'running' where id = (select id from sheet_import order by id desc limit 1)`
    const entries = () => stand.sql`select subject from audit_entry where action = 'import_stopped'`
    const page = await editor.get(at)
    assert.equal(page.headers.refresh, '2')
    assert.match(page.text, /<progress/)
    await editor.post(`${at}/stop`)
    await editor.post(`${at}/stop`)
    assert.match((await editor.get(at)).text, /Stopped after 0 of 1 row\./)
    assert.equal((await entries()).length, 1)
    assert.match((await editor.get('/console/settings/audit')).text, /Stopped the import of a spreadsheet/)
    await editor.post(`${at}/discard`)
    assert.equal((await editor.get(at)).status, 404)
  })
})

test('a check that is stopped and restarted within a step continues by itself without delay', async () => {
  const at = await bring(sheet(Array.from({ length: 600 }, (_, n) => cells(20_000 + n))))
  const form = formIn(await editor.get(at))
  const other = await stand.openPools({ max: 1 })
  const held = Promise.withResolvers<void>()
  const holding = Promise.withResolvers<void>()
  const lock = getTestShard(other).begin(async sql => {
    await sql`
      select from sheet_chunk where no = 1 and import_id = (select id from sheet_import order by id desc limit 1) for update`
    held.resolve()
    await holding.promise
  })
  await held.promise
  await editor.post(`${at}/columns`, { form })
  const state = async () => {
    const [row] = await stand.sql<{ state: string; next_chunk: number }[]>`
      select state, next_chunk from sheet_import order by id desc limit 1`
    return row
  }
  while ((await state())?.next_chunk !== 1) await pause(5)
  await editor.post(`${at}/stop`)
  assert.deepEqual(await state(), { state: 'open', next_chunk: 1 })
  await editor.post(`${at}/columns`, { form })
  assert.deepEqual(await state(), { state: 'checking', next_chunk: 0 })
  holding.resolve()
  await lock
  await waitForImports(stand.sql)
  await endPools(other)
  assert.deepEqual(takeImportFailures(stand.sql), [])
  assert.deepEqual(counts(await editor.get(at)), [600, 0, 0, 0])
})

test('a check that is restarted with other columns counts nothing of the earlier ones', async () => {
  const rows = Array.from({ length: 300 }, (_, n) => cells(30_000 + n, { weight: 'schwer' }))
  const at = await bring(sheet(rows))
  const form = formIn(await editor.get(at))
  await stand.sql.begin(async tx => {
    await tx`
      select from sheet_chunk where no = 0 and import_id = (select id from sheet_import order by id desc limit 1) for update`
    await editor.post(`${at}/columns`, { form })
    await waitForLocks(stand.sql, 1)
    await editor.post(`${at}/stop`)
    await editor.post(`${at}/columns`, { form: { ...form, 'c.16': '' } })
  })
  await waitForImports(stand.sql)
  assert.deepEqual(takeImportFailures(stand.sql), [])
  assert.deepEqual(counts(await editor.get(at)), [300, 0, 0, 0])
})

test('the check reports rows beyond the quota, over any number of steps', async () => {
  const own = await stand.account({ plan: 'enterprise', name: 'Eng' })
  await stand.sql`update account set model_quota = 490 where id = ${own}`
  const by = await stand.signedIn(own, 'editor')
  const rows = Array.from({ length: 600 }, (_, n) => cells(n, n % 60 === 0 ? { weight: 'schwer' } : {}))
  const at = await bring(sheet(rows), { by })
  const checked = await check(at, {}, by)
  assert.deepEqual(counts(checked), [490, 0, 0, 110])
  const bad = await by.get(`${at}/errors?format=csv`)
  assert.equal(bad.text.match(/quota of models/g)?.length, 100)
  assert.deepEqual(counts(await run(at, by)), [490, 0, 0, 110])
})

test('a spreadsheet has at most 100,000 rows', async () => {
  const own = await stand.account({ name: 'Voll' })
  const ctx = {
    ...stand.ctx,
    sql: stand.sql,
    accountId: own,
    actorId: await getOperatorActor(stand.ctx, own),
  }
  const create = (rows: number) =>
    createImport(ctx, {
      fileName: 'a.csv',
      bytes: Buffer.from(`sku\n${'A\n'.repeat(rows)}`),
      category: 'textile',
    })
  const id = await create(100_000)
  const [row] = await stand.sql`select row_count from sheet_import where id = ${id}`
  assert.equal(row?.row_count, 100_000)
  await assert.rejects(create(100_001), { reason: 'too_many_rows' })
})

test('the next process continues an import whose process died, and repeats nothing', async () => {
  const own = await stand.account({ plan: 'enterprise', name: 'Weiter' })
  const ctx = {
    ...stand.ctx,
    sql: stand.sql,
    accountId: own,
    actorId: await getOperatorActor(stand.ctx, own),
  }
  const rows = Array.from({ length: 1_000 }, (_, n) => cells(n))
  const id = await createImport(ctx, { fileName: 'a.csv', bytes: sheet(rows), category: 'textile' })
  await stand.sql`update sheet_import set state = 'running' where id = ${id}`
  const gone = await stand.openPools({ max: 2 })
  stand.clock.advance(60_000)
  assert.equal(await resumeImports(getTestShard(gone), stand.clock, rules()), 1)
  // Lets the import start and stops it after a step; the row looks as after a killed process.
  await stopImports(getTestShard(gone))
  await endPools(gone)
  const [half] = await stand.sql`select next_chunk, state, created from sheet_import where id = ${id}`
  assert.deepEqual([half?.state, half?.created], ['running', half?.next_chunk * 250])
  assert.ok(half?.next_chunk < 4)
  assert.equal(await resumeImports(stand.sql, stand.clock, rules()), 0)
  stand.clock.advance(60_000)
  assert.equal(await resumeImports(stand.sql, stand.clock, rules()), 1)
  await waitForImports(stand.sql)
  const [done] =
    await stand.sql`select state, created, updated, unchanged, failed from sheet_import where id = ${id}`
  assert.deepEqual({ ...done }, { state: 'done', created: 1_000, updated: 0, unchanged: 0, failed: 0 })
  const [models] = await stand.sql`select count(*)::int as n from passport where account_id = ${own}`
  assert.equal(models?.n, 1_000)
})
