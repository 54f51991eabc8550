/**
 * Tests kill -9 of the server during an import: the next server finishes it, each row once, and the error
 * file is complete.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { countRepetitions } from '../full.ts'
import { readAll } from '../transfer/spreadsheets.ts'
import { buildRow, COLUMNS, createFullKey, type ImportClient, signUp } from './import-client.ts'
import { folderWithStore } from './prepared-store.ts'
import { endAll, type Served, type Settings, serve } from './processes.ts'

/** New rows. The file has the same number of rows that change existing products. */
const NEW = countRepetitions(import.meta.url, { few: 1_500, near: 3_000, full: 20_000 })
const BAD_EVERY = 100
const A_PAGE = 100

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
let client: ImportClient
let key: string

before(async () => {
  folder = await folderWithStore()
  settings = { cwd: folder.path, env: { DATA_DIR: folder.path, PORT: '0' } }
  server = await serve(settings)
  client = await signUp(() => server)
  key = await createFullKey(settings)
})

after(async () => {
  await endAll()
  await folder.remove()
})

test('the next server finishes a killed import: each product once, and the error file complete', async () => {
  const first = await client.check(
    COLUMNS,
    Array.from({ length: NEW }, (_, n) => buildRow(n, 500)),
  )
  await client.post(`${first}/run`, new URLSearchParams())
  assert.deepEqual(await client.readCounts(first), [NEW, 0, 0, 0])

  const bad = (n: number) => n % BAD_EVERY === 7
  const all = Array.from({ length: 2 * NEW }, (_, n) => buildRow(n, bad(n) ? 'heavy' : 510))
  const failed = all.length / BAD_EVERY
  const at = await client.check(COLUMNS, all)
  const expected = [NEW - failed / 2, NEW - failed / 2, 0, failed]
  assert.deepEqual(await client.readCounts(at), expected)
  await client.post(`${at}/run`, new URLSearchParams({ confirm: 'yes' }))
  const atKill = await client.waitForProgress(at, done => done > 0)
  assert.ok(atKill < all.length, 'there is something left to do')
  await server.stop('SIGKILL')

  server = await serve(settings)
  const begun = await client.waitForProgress(at, () => true)
  assert.ok(begun >= atKill && begun < all.length, `${begun} of ${all.length} rows at restart`)
  assert.deepEqual(await client.readCounts(at), expected)
  assert.deepEqual(
    await versions(),
    new Map([
      ['changed, version 1', failed / 2],
      ['changed, version 2', NEW - failed / 2],
      ['new, version 1', NEW - failed / 2],
    ]),
  )
  for (const format of ['csv', 'xlsx']) {
    const answer = await client.get(`${at}/errors?format=${format}`)
    const { header, rows } = await readAll(Buffer.from(await answer.arrayBuffer()))
    assert.deepEqual(header, [...COLUMNS, 'what_is_wrong'])
    assert.deepEqual(
      rows.map(cells => cells[1]),
      all.filter((_, n) => bad(n)).map(cells => cells[1]),
    )
    assert.ok(rows.every(cells => /^\(\d+\) Q weightGrams: /.test(String(cells.at(-1)))))
  }
  const log = await (await client.get('/console/settings/audit')).text()
  assert.equal(log.match(/Started to import a spreadsheet/g)?.length, 2)
  assert.equal(log.match(/Imported a spreadsheet/g)?.length, 2)
})

type Listed = {
  data: { version_no: number; sku: string }[]
  meta: { has_more: boolean; next_cursor?: string }
}

/** Counts products by version. Fails if one is listed twice. */
async function versions(): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const skus = new Set<string>()
  for (let cursor = ''; ; ) {
    const answer = await fetch(`${server.url}/api/v1/products?limit=${A_PAGE}${cursor}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const json = (await answer.json()) as Listed
    assert.ok(answer.ok, JSON.stringify(json))
    for (const { version_no, sku } of json.data) {
      assert.ok(!skus.has(sku), `${sku} is there twice`)
      skus.add(sku)
      const name = `${Number(sku.slice(2)) < NEW ? 'changed' : 'new'}, version ${version_no}`
      found.set(name, (found.get(name) ?? 0) + 1)
    }
    if (!json.meta.has_more) return found
    cursor = `&cursor=${json.meta.next_cursor}`
  }
}
