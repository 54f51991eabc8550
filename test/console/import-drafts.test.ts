/** Tests that rows which only lack required values become drafts at one click, and each only once. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getOperatorActor } from '../../src/accounts/account/actors.ts'
import { storeReadinessSettings } from '../../src/accounts/account/readiness-settings.ts'
import { MAX_DRAFTS } from '../../src/passports/drafts/store-drafts.ts'
import {
  resumeImports,
  stopImports,
  waitForImports,
} from '../../src/transfer/spreadsheets/import/run-import.ts'
import { createImport } from '../../src/transfer/spreadsheets/import/spreadsheet-import.ts'
import { endPools, getTestShard } from '../database.ts'
import { readAll } from '../transfer/spreadsheets.ts'
import { bring, check, counts, download, plain, run } from './import-form.ts'
import { lines, newEditor, SAME } from './import-values.ts'
import { type Browser, PUBLIC_URL, type Stand, startStand } from './stand.ts'

let stand: Stand
before(async () => {
  stand = await startStand()
})
after(() => stand.close())

const TITLES = ['sku', 'name', 'brandName', 'weightGrams']
const { 'k.brandName': _, ...REST } = SAME

/** Two good rows, two that lack a brand or a name, one that lacks a brand and has a wrong weight. */
const MIXED = lines([
  TITLES,
  ['D-1', 'Jacke', 'Nord', '600'],
  ['D-2', 'Hose', '', '500'],
  ['D-3', '', 'Nord', '400'],
  ['D-4', 'Hemd', '', 'schwer'],
  ['D-5', 'Mütze', 'Nord', '80'],
])

type StoredDraft = { data: Record<string, unknown>; note: string | null }

const readDrafts = (account: number) =>
  stand.sql<StoredDraft[]>`select data, note from draft where account_id = ${account} order by note, id`

async function checkSheet(editor: Browser, content: string, more: Record<string, string> = {}) {
  const at = await bring(stand, editor, content)
  return { at, page: await check(stand, editor, at, { ...REST, ...more }) }
}

/** The section of rows that lack required values. */
const lacking = (text: string) =>
  plain(/<h2 id="lacking">.*?<\/section>/s.exec(text)?.[0] ?? '').replaceAll(/<[^>]+>/g, ' ')

test('the check says what rows lack; one click imports the others and keeps these as drafts, one leaves them out', async () => {
  const { account, editor } = await newEditor(stand)
  const { at, page } = await checkSheet(editor, MIXED)
  assert.deepEqual(counts(page), [2, 0, 0, 3])
  assert.match(lacking(page.text), /2 rows lack required values and have no other error/)
  assert.match(lacking(page.text), /C: brandName\s+one row/)
  assert.match(lacking(page.text), /B: name\s+one row/)
  assert.match(page.text, /<button>Import 2 products<\/button>/)
  assert.match(page.text, /name="drafts" value="yes">Import 2 products, and keep 2 rows as drafts</)

  const done = await run(stand, editor, at, { drafts: 'yes' })
  assert.deepEqual(counts(done), [2, 0, 0, 2, 1])
  assert.match(done.text, /<dt>Kept as drafts<\/dt><dd>2<\/dd>/)
  assert.match(done.text, /href="\/console\/drafts">To the drafts</)
  const drafts = await readDrafts(account)
  assert.deepEqual(
    drafts.map(({ data, note }) => [data.sku, data.productName, data.brandName, data.weightGrams, note]),
    [
      ['D-2', 'Hose', undefined, 500, 'Produkte.csv (3)'],
      ['D-3', undefined, 'Nord', 400, 'Produkte.csv (4)'],
    ],
  )
  assert.deepEqual(drafts[0]?.data.countryOfManufacture, 'PT', 'values for every row are in drafts')
  const bad = await readAll(await download(stand, editor, `${at}/errors?format=csv`))
  assert.deepEqual(
    bad.rows.map(cells => cells[0]),
    ['D-4'],
    'the error file has only rows that are neither products nor drafts',
  )
  const list = await editor.get('/console/drafts')
  assert.match(list.text, /Hose/)
  assert.match(list.text, /2 drafts/)
  const owner = await stand.signedIn(account, 'owner')
  const log = plain((await owner.get('/console/settings/audit')).text)
  assert.match(log, /Created: 2, Kept as drafts: 2, Rows with errors: 1/)
})

test('without that click the rows stay rows with errors', async () => {
  const { account, editor } = await newEditor(stand)
  const { at } = await checkSheet(editor, MIXED)
  const done = await run(stand, editor, at)
  assert.deepEqual(counts(done), [2, 0, 0, 3])
  assert.equal((await readDrafts(account)).length, 0)
})

test('the same spreadsheet again makes no second draft; a draft that was changed is left alone', async () => {
  const { account, editor } = await newEditor(stand)
  const content = lines([
    TITLES,
    ['R-1', 'Hose', '', '500'],
    ['', 'Ohne Nummer', '', '70'],
    ['R-2', 'Rock', '', '90'],
  ])
  const first = await checkSheet(editor, content)
  assert.match(first.page.text, /<button name="drafts" value="yes">Keep 3 rows as drafts</)
  assert.doesNotMatch(first.page.text, /no row would change anything/)
  const [one, other] = await Promise.all(
    [1, 2].map(() => editor.post(`${first.at}/run`, { form: { drafts: 'yes' } })),
  )
  assert.deepEqual([one?.status, other?.status], [303, 303], 'a second click is no error')
  await waitForImports(stand.sql)
  assert.equal((await readDrafts(account)).length, 3)

  const again = await checkSheet(editor, content)
  assert.match(lacking(again.page.text), /3 more rows are drafts already/)
  assert.doesNotMatch(again.page.text, /name="drafts"/)

  await stand.sql`
    update draft set data = data || '{"brandName": "Nord"}' where account_id = ${account} and data ->> 'sku' = 'R-1'`
  await stand.sql`
    update draft set data = data || '{"weightGrams": 91}' where account_id = ${account} and data ->> 'sku' = 'R-2'`
  const fresh = `${content}${lines([['R-3', 'Schal', '', '40']])}`
  const { at, page } = await checkSheet(editor, fresh)
  assert.match(lacking(page.text), /One row lacks required values.*2 more rows are drafts already/s)
  const done = await run(stand, editor, at, { drafts: 'yes' })
  assert.deepEqual(counts(done), [0, 0, 2, 1, 1])
  assert.match(done.text, /an import changes no drafts/)
  assert.deepEqual(
    (await readDrafts(account)).map(({ data }) => [data.sku, data.brandName, data.weightGrams]).sort(),
    [
      ['R-1', 'Nord', 500],
      ['R-2', undefined, 91],
      ['R-3', undefined, 40],
      [undefined, undefined, 70],
    ].sort(),
  )
})

test('two imports of one spreadsheet at once make each draft once', async () => {
  const { account, editor } = await newEditor(stand)
  const content = lines([TITLES, ...Array.from({ length: 60 }, (_, n) => [`T-${n}`, 'Hose', '', '500'])])
  const sheets = [await checkSheet(editor, content), await checkSheet(editor, content)]
  await Promise.all(sheets.map(({ at }) => editor.post(`${at}/run`, { form: { drafts: 'yes' } })))
  await waitForImports(stand.sql)
  const results = await Promise.all(sheets.map(async ({ at }) => counts(await editor.get(at))))
  assert.deepEqual(
    results.map(([, , unchanged = 0, drafted = 0]) => unchanged + drafted),
    [60, 60],
  )
  assert.equal((await readDrafts(account)).length, 60)
})

test('the limit of drafts is said before, and holds', async () => {
  const { account, editor } = await newEditor(stand)
  const fill = (n: number) => stand.sql`
    insert into draft (account_id, id, category, data, created_at, created_by, updated_at)
    select ${account}, gen_random_uuid(), 'textile', '{}', now(), 0, now() from generate_series(1, ${n}::int)`
  await fill(MAX_DRAFTS - 1)
  const content = lines([TITLES, ['L-1', 'Hose', '', '500'], ['L-2', 'Rock', '', '90']])
  const { at, page } = await checkSheet(editor, content)
  assert.match(lacking(page.text), /can have 1,000 drafts, and this one has room for 1\./)
  assert.match(page.text, /name="drafts" value="yes">Keep one row as a draft</)
  const done = await run(stand, editor, at, { drafts: 'yes' })
  assert.deepEqual(counts(done), [0, 0, 0, 1, 1])
  assert.match(plain(done.text), /an account can have 1,000 drafts\. Publish or discard some/)
  const full = await checkSheet(editor, content)
  assert.match(lacking(full.page.text), /This account has 1,000 drafts, which is the most/)
  assert.doesNotMatch(full.page.text, /name="drafts"/)
})

test('neither changes of products nor rows of variants become drafts; what the gate asks for does', async () => {
  const { account, editor } = await newEditor(stand)
  const made = await checkSheet(editor, lines([TITLES, ['V-1', 'Jacke', 'Nord', '600']]))
  await run(stand, editor, made.at)
  const change = await checkSheet(
    editor,
    lines([
      ['sku', 'name', 'brandName'],
      ['V-1', 'Jacke', ''],
    ]),
    { clears: 'remove' },
  )
  assert.deepEqual(counts(change.page), [0, 0, 0, 1])
  assert.equal(lacking(change.page.text), '', 'an existing product is changed, or not')
  const shop = lines([
    ['Handle', 'Title', 'Variant SKU', 'Vendor', 'Variant Grams'],
    ['tee', 'Tee', 'V-2', 'Nord', '180'],
    ['tee', '', 'V-3', 'Nord', '190'],
  ])
  const variants = await checkSheet(editor, shop)
  assert.deepEqual(counts(variants.page), [1, 0, 0, 1])
  assert.equal(lacking(variants.page.text), '')

  const ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
  const gate = { acts: ['eu.textile.labelling'], on: 'everything' } as const
  await storeReadinessSettings(ctx, { acts: [], parameters: {}, gate })
  const { page } = await checkSheet(editor, lines([TITLES, ['V-9', 'Jacke', 'Nord', '600']]))
  assert.match(
    lacking(page.text),
    /One row lacks required values.*Non-textile parts of animal origin\s+one row – /s,
  )
})

test('a process that continues a stopped import makes no draft twice', async () => {
  const { account } = await newEditor(stand)
  const ctx = {
    ...stand.ctx,
    sql: stand.sql,
    accountId: account,
    actorId: await getOperatorActor(stand.ctx, account),
  }
  const content = lines([TITLES, ...Array.from({ length: 900 }, (_, n) => [`K-${n}`, 'Hose', '', '500'])])
  const id = await createImport(ctx, { fileName: 'a.csv', bytes: Buffer.from(content), category: 'textile' })
  await stand.sql`
    update sheet_import set state = 'running', settings = (settings::jsonb || '{"asDrafts": true}')::json where id = ${id}`
  const [before] = await stand.sql`select settings from sheet_import where id = ${id}`
  // As the server writes them: it compares texts.
  await stand.sql`
    update sheet_import set settings = ${JSON.stringify(before?.settings)}::text::json where id = ${id}`
  const rules = { publicUrl: PUBLIC_URL, policy: stand.outbound.policy }
  const gone = await stand.openPools({ max: 2 })
  stand.clock.advance(60_000)
  assert.equal(await resumeImports(getTestShard(gone), stand.clock, rules), 1)
  await stopImports(getTestShard(gone))
  await endPools(gone)
  stand.clock.advance(60_000)
  assert.equal(await resumeImports(stand.sql, stand.clock, rules), 1)
  await waitForImports(stand.sql)
  const [done] = await stand.sql`select state, drafted, unchanged, failed from sheet_import where id = ${id}`
  assert.deepEqual({ ...done }, { state: 'done', drafted: 900, unchanged: 0, failed: 0 })
  assert.equal((await readDrafts(account)).length, 900)
})
