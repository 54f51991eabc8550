/**
 * Tests kill -9 of all processes of the server while an import fetches pictures: the next server finishes it,
 * each row with its own picture, and each picture stored once.
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/kernel/db/database.ts'
import { FETCH_LEASE_MS } from '../../src/media/fetch/claim-fetches.ts'
import { cloneDatabase, endPools, getTestShard, openPools, type TestDatabase } from '../database.ts'
import { type Forwarder, startForwarder } from '../forwarder.ts'
import { makePng } from '../media/sample-files.ts'
import { waitUntil } from '../waiting.ts'
import { buildRow, COLUMNS, createFullKey, type ImportClient, signUp } from './import-client.ts'
import { carnet, emptyFolder, endAll, killGroup, type Served, type Settings, serve } from './processes.ts'

const PICTURES = 30
/** The last rows name pictures that the first ones name, too. */
const ROWS = 34
/** The picture server answers this many requests before it keeps the next ones waiting. */
const ANSWERED_BEFORE_KILL = 9
/** A process fetches at least as many for one account at a time. */
const FETCHED_AT_ONCE = 2

let database: TestDatabase
let wire: Forwarder
let shared: Sql
let folder: Awaited<ReturnType<typeof emptyFolder>>
let settings: Settings
let server: Served
let client: ImportClient
let key: string
let pictures: Server
let png: Buffer
const asked: number[] = []
const waiting: ServerResponse[] = []
let isAnswering = false

const getPicture = (n: number): Buffer => Buffer.concat([png, Buffer.from(`picture ${n}`)])

before(async () => {
  png = await makePng({ width: 24, height: 18 })
  pictures = createServer((request, response) => {
    const n = Number(/^\/(\d+)\.png$/.exec(String(request.url))?.[1])
    asked.push(n)
    if (isAnswering || asked.length <= ANSWERED_BEFORE_KILL) response.end(getPicture(n))
    else waiting.push(response)
  })
  await new Promise<void>(resolve => pictures.listen(0, '127.0.0.1', resolve))
  database = await cloneDatabase()
  wire = await startForwarder(database.target)
  shared = await openPools(database)
  folder = await emptyFolder()
  const env = {
    DATABASE_URL: wire.target.url,
    SECRET_KEY: 'a key of tests, long enough to be one',
    DATA_DIR: folder.path,
    PORT: '0',
    WORKERS: '2',
    ALLOW_INSECURE_WEBHOOKS: '1',
  }
  settings = { cwd: folder.path, env, hasOwnGroup: true }
  server = await serve(settings)
  client = await signUp(() => server)
  key = await createFullKey(settings)
})

after(async () => {
  await endAll()
  pictures.closeAllConnections()
  pictures.close()
  await wire.cut()
  await endPools(shared)
  await database.drop()
  await folder.remove()
})

test('the next server finishes a killed import: each row with its picture, each picture once', async () => {
  const sql = getTestShard(shared)
  const { port } = pictures.address() as AddressInfo
  const rows = Array.from({ length: ROWS }, (_, n) => [
    ...buildRow(n, 500),
    `http://127.0.0.1:${port}/${n % PICTURES}.png`,
  ])
  const at = await client.check([...COLUMNS, 'pictures'], rows)
  await client.post(`${at}/run`, new URLSearchParams())
  await waitUntil('pictures are fetched', () => waiting.length >= FETCHED_AT_ONCE, {
    explain: () => `${asked.length} requests, ${waiting.length} waiting`,
  })
  await killGroup(server)

  const claimed = await sql<{ id: string }[]>`
    select id from media_fetch where status = 'f' and attempts = 1 and due_at > now() + interval '1 minute'`
  assert.ok(claimed.length >= waiting.length, `${claimed.length} claimed, ${waiting.length} waiting`)
  const [before] = await sql<{ ready: number }[]>`
    select count(*)::int as ready from media_fetch where status = 'r'`
  // One that was answered may not have been stored.
  const ready = before?.ready ?? 0
  assert.ok(ready > 0 && ready <= ANSWERED_BEFORE_KILL && ready + claimed.length < PICTURES)
  // The lease ends, as if its time had passed.
  await sql`
    update media_fetch set due_at = due_at - make_interval(secs => ${FETCH_LEASE_MS / 1000})
    where id = any(${claimed.map(({ id }) => id)}::uuid[])`

  isAnswering = true
  server = await serve(settings)
  assert.deepEqual(await client.readCounts(at), [ROWS, 0, 0, 0])
  const expected = new Map(rows.map((_, n) => [`J-${n}`, hash('sha256', getPicture(n % PICTURES), 'hex')]))
  assert.deepEqual(await readPictures(), expected)
  const ids = await list<{ id: string }>('/media')
  assert.deepEqual(ids.map(({ id }) => id).sort(), [...new Set(expected.values())].sort())
  // Nothing is fetched twice but what the killed processes were fetching.
  assert.ok(asked.length >= PICTURES + waiting.length && asked.length <= PICTURES + claimed.length)
  assert.equal(new Set(asked).size, PICTURES)
  const { stdout } = await carnet(['doctor', '--verify', '--json'], settings)
  const checks: { name: string; ok: boolean; detail: string }[] = JSON.parse(stdout)
  for (const name of ['files', 'histories', 'counters']) {
    const check = checks.find(one => one.name === name)
    assert.ok(check?.ok, `${name}: ${check?.detail}`)
  }
})

async function readPictures(): Promise<Map<string, string | undefined>> {
  const found = new Map<string, string | undefined>()
  for (const { id, sku } of await list<{ id: string; sku: string }>('/products')) {
    assert.ok(!found.has(sku), `${sku} is there twice`)
    const { data } = (await ask(`/products/${id}`)) as {
      data: { version_no: number; data: { pictures?: { media: string }[] } }
    }
    assert.equal(data.version_no, 1)
    assert.equal(data.data.pictures?.length, 1)
    found.set(sku, data.data.pictures[0]?.media)
  }
  return new Map([...found].sort(([a], [b]) => Number(a.slice(2)) - Number(b.slice(2))))
}

/** All of them are on one page. */
async function list<T>(path: string): Promise<T[]> {
  const { data, meta } = (await ask(`${path}?limit=100`)) as { data: T[]; meta: { has_more: boolean } }
  assert.equal(meta.has_more, false)
  return data
}

async function ask(path: string): Promise<unknown> {
  const answer = await fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
  assert.ok(answer.ok, path)
  return answer.json()
}
