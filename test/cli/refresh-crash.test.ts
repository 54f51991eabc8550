/**
 * Tests kill -9 of the server during a large refresh: the next server finishes it, and no unit is refreshed
 * twice.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { countRepetitions } from '../full.ts'
import { newProduct } from '../harness.ts'
import { waitUntil } from '../waiting.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnetJson, endAll, type Served, type Settings, serve } from './processes.ts'

const UNITS = countRepetitions(import.meta.url, { few: 3_000, near: 10_000, full: 50_000 })
const A_CALL = 500
const A_PAGE = 100
/** A job counts as abandoned after ten seconds. */

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
let key: string

before(async () => {
  folder = await folderWithStore()
  settings = { cwd: folder.path, env: { DATA_DIR: folder.path, PORT: '0' } }
  server = await serve(settings)
  const named = ['accounts', 'create', '--name', 'Crash', '--plan', 'enterprise']
  const account = await carnetJson<{ id: string }>(named, settings)
  const wanted = ['keys', 'create', '--account', account.id, '--scope', 'full']
  key = (await carnetJson<{ key: string }>(wanted, settings)).key
})

after(async () => {
  await endAll()
  await folder.remove()
})

test('the next server finishes a killed refresh, each unit once', async () => {
  const model = (await call('POST', '', newProduct({}, 'battery'))).data
  for (let from = 0; from < UNITS; from += A_CALL) {
    const items = Array.from({ length: A_CALL }, (_, i) => ({ serial: `S${from + i}` }))
    await call('POST', `/${model.id}/children`, { level: 'item', items })
  }
  const weightKg = model.data.weightKg + 1
  await call('PATCH', `/${model.id}`, { data: { weightKg }, change_type: 'correction' })
  assert.equal((await call('POST', `/${model.id}/refresh`)).data.pending, UNITS)
  const atKill = await progress(model.id, job => job.refreshed > 0)
  assert.equal(atKill.finished_at, null, 'there is something left to do')
  await server.stop('SIGKILL')
  server = await serve(settings)
  const begun = await progress(model.id, () => true)
  assert.ok(begun.refreshed >= atKill.refreshed && begun.refreshed < UNITS, `${begun.refreshed} at restart`)
  const done = await progress(model.id, job => job.finished_at !== null)
  assert.deepEqual([done.refreshed, done.failed, done.skipped], [UNITS, [], []])
  assert.equal((await call('GET', `/${model.id}/refresh`)).data.outdated, 0)
  assert.deepEqual(await versions(model.id), new Map([[2, UNITS]]))
})

type Job = { refreshed: number; finished_at: string | null; failed: unknown[]; skipped: unknown[] }

async function progress(id: string, enough: (job: Job) => boolean): Promise<Job> {
  let job: Job | undefined
  await waitUntil(
    'the refresh gets on',
    async () => {
      job = (await call('GET', `/${id}/refresh`)).data.job
      return job !== undefined && enough(job)
    },
    { explain: () => JSON.stringify(job) },
  )
  assert.ok(job)
  return job
}

/** Counts units by version. */
async function versions(model: string): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (let cursor = ''; ; ) {
    const { data, meta } = await call('GET', `/${model}/children?limit=${A_PAGE}${cursor}`)
    for (const { version_no } of data) counts.set(version_no, (counts.get(version_no) ?? 0) + 1)
    if (!meta.has_more) return counts
    cursor = `&cursor=${meta.next_cursor}`
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function call(method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(`${server.url}/api/v1/products${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const json = await answer.json()
  assert.ok(answer.ok, `${method} ${path}: ${JSON.stringify(json)}`)
  return json
}
