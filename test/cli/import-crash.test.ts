/**
 * Tests kill -9 of the server during an import: the next server finishes it, each row once, and the error
 * file is complete.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { formatCsvLine } from '../../src/transfer/spreadsheets/write-csv.ts'
import { IS_FULL } from '../full.ts'
import { readAll } from '../transfer/spreadsheets.ts'
import { carnetJson, emptyFolder, endAll, type Served, type Settings, serve } from './processes.ts'

const PASSWORD = 'eleven herons over the lake'
/** New rows. The file has the same number of rows that change existing products. */
const NEW = IS_FULL ? 20_000 : 3_000
const BAD_EVERY = 100
const A_PAGE = 100
/** An import counts as abandoned after ten seconds. */
const FINISHED_WITHIN_MS = 90_000
/** A signed-in person has 300 requests per minute. */
const LOOK_EVERY_MS = 250

let folder: Awaited<ReturnType<typeof emptyFolder>>
let settings: Settings
let server: Served
let cookie = ''
let key: string

before(async () => {
  folder = await emptyFolder()
  settings = { cwd: folder.path, env: { DATA_DIR: folder.path, PORT: '0' } }
  server = await serve(settings)
  const { set_up_url } = JSON.parse(server.said.stdout) as { set_up_url: string }
  const token = new URL(set_up_url).searchParams.get('token') ?? ''
  const name = 'Crash'
  const email = 'owner@testmarke.example'
  const answer = await post(
    '/console/set-up',
    new URLSearchParams({ token, name, email, password: PASSWORD }),
  )
  assert.equal(answer.status, 303, await answer.text())
  cookie = String(answer.headers.getSetCookie()[0]).split(';')[0] ?? ''
  await carnetJson(['accounts', 'set-plan', '1', '--plan', 'enterprise'], settings)
  const wanted = ['keys', 'create', '--account', '1', '--scope', 'full']
  key = (await carnetJson<{ key: string }>(wanted, settings)).key
})

after(async () => {
  await endAll()
  await folder.remove()
})

const HEAD = [
  ...['productName', 'sku', 'brandName', 'languages', 'economicOperator.role', 'economicOperator.legalName'],
  ...['economicOperator.address', 'economicOperator.country', 'economicOperator.contactEmail'],
  ...['fiberComposition', 'countryOfManufacture', 'careInstructions.en', 'repair.repairable'],
  ...['repair.sparePartsAvailable', 'endOfLife.recyclingInstructions.en'],
  ...['endOfLife.disposalInstructions.en', 'weightGrams'],
]
const row = (n: number, weight: number | string) => [
  ...[`Jacket ${n}`, `J-${n}`, 'Testmarke', 'en', 'manufacturer', 'Testmarke GmbH', 'Werkstraße 1', 'DE'],
  ...['passport@testmarke.example', '100 % wool', 'PT', 'Wash at 30 °C.', 'true', 'false'],
  ...['Take it to a collection point.', 'Not in household waste.', String(weight)],
]
const sheet = (rows: readonly string[][]) => [HEAD, ...rows].map(cells => formatCsvLine(cells)).join('')

test('the next server finishes a killed import: each product once, and the error file complete', async () => {
  const first = await check(sheet(Array.from({ length: NEW }, (_, n) => row(n, 500))))
  await post(`${first}/run`, new URLSearchParams())
  assert.deepEqual(await counts(first), [NEW, 0, 0, 0])

  const bad = (n: number) => n % BAD_EVERY === 7
  const all = Array.from({ length: 2 * NEW }, (_, n) => row(n, bad(n) ? 'heavy' : 510))
  const failed = all.length / BAD_EVERY
  const at = await check(sheet(all))
  const expected = [NEW - failed / 2, NEW - failed / 2, 0, failed]
  assert.deepEqual(await counts(at), expected)
  await post(`${at}/run`, new URLSearchParams({ confirm: 'yes' }))
  const atKill = await progress(at, done => done > 0)
  assert.ok(atKill < all.length, 'there is something left to do')
  await server.stop('SIGKILL')

  server = await serve(settings)
  const begun = await progress(at, () => true)
  assert.ok(begun >= atKill && begun < all.length, `${begun} of ${all.length} rows at restart`)
  assert.deepEqual(await counts(at), expected)
  assert.deepEqual(
    await versions(),
    new Map([
      ['changed, version 1', failed / 2],
      ['changed, version 2', NEW - failed / 2],
      ['new, version 1', NEW - failed / 2],
    ]),
  )
  for (const format of ['csv', 'xlsx']) {
    const answer = await get(`${at}/errors?format=${format}`)
    const { header, rows } = await readAll(Buffer.from(await answer.arrayBuffer()))
    assert.deepEqual(header, [...HEAD, 'what_is_wrong'])
    assert.deepEqual(
      rows.map(cells => cells[1]),
      all.filter((_, n) => bad(n)).map(cells => cells[1]),
    )
    assert.ok(rows.every(cells => /^\(\d+\) Q weightGrams: /.test(String(cells.at(-1)))))
  }
  const log = await (await get('/console/settings/audit')).text()
  assert.equal(log.match(/Started to import a spreadsheet/g)?.length, 2)
  assert.equal(log.match(/Imported a spreadsheet/g)?.length, 2)
})

/** Returns the spreadsheet's address once it is checked. */
async function check(text: string): Promise<string> {
  const form = new FormData()
  form.set('category', 'textile')
  form.set('sheet', new Blob([text], { type: 'text/csv' }), 'Jackets.csv')
  const answer = await post('/console/import', form)
  assert.equal(answer.status, 303, await answer.text())
  const at = String(answer.headers.get('location'))
  const columns = Object.fromEntries(HEAD.map((name, place) => [`c.${place}`, name]))
  const choices = { match_by: 'sku', mark: 'point', clears: 'keep', change_type: 'change' }
  const confirmed = await post(`${at}/columns`, new URLSearchParams({ ...columns, ...choices }))
  assert.equal(confirmed.status, 303, await confirmed.text())
  await progress(at, done => done === Number.POSITIVE_INFINITY)
  return at
}

/**
 * Waits until `enough` accepts the number of rows done. The number is infinite once the page stops showing
 * progress.
 */
async function progress(at: string, enough: (done: number) => boolean): Promise<number> {
  const until = performance.now() + FINISHED_WITHIN_MS
  for (;;) {
    const text = await (await get(at)).text()
    const said = /<progress [^>]*value="(\d+)"/.exec(text)?.[1]
    const done = said === undefined ? Number.POSITIVE_INFINITY : Number(said)
    if (enough(done)) return done
    assert.ok(performance.now() < until, `the sheet did not get on: ${done} rows`)
    await pause(LOOK_EVERY_MS)
  }
}

/** Counts of new, changed, unchanged and wrong rows, once the import has finished. */
async function counts(at: string): Promise<number[]> {
  await progress(at, done => done === Number.POSITIVE_INFINITY)
  const text = await (await get(at)).text()
  return Array.from(text.matchAll(/<dd>([\d,]+)<\/dd>/g), ([, n = '']) => Number(n.replace(',', '')))
}

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

const own = () => ({ cookie, origin: server.url, 'sec-fetch-site': 'same-origin' })
async function get(path: string): Promise<Response> {
  const answer = await fetch(server.url + path, { headers: { cookie } })
  assert.equal(answer.status, 200, `${path}: ${answer.status}`)
  return answer
}
const post = (path: string, body: URLSearchParams | FormData) =>
  fetch(server.url + path, { method: 'POST', redirect: 'manual', headers: own(), body })
