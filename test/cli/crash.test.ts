/**
 * Tests kill -9 of the server and of the database during writes: everything acknowledged is stored, without
 * manual repair.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { countRepetitions } from '../full.ts'
import { postmasterPid } from './postmaster.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnetJson, endAll, type Served, type Settings, serve } from './processes.ts'

const KILLS = countRepetitions(import.meta.url, { few: 1, near: 3, full: 10 })
const WRITERS = 4
const MOST_WRITES_BETWEEN = 60
/** The client's pause before a retry. */
const BACK_OFF_MS = 20

/**
 * A writer's knowledge of one passport: the last acknowledged version, and how many later changes got no
 * response.
 */
type Known = { version: number; weight: number; inDoubt: number }

const DATA = {
  productName: 'Crash helmet liner',
  sku: 'CR-1',
  brandName: 'Fjellvind',
  languages: ['en'],
  economicOperator: {
    role: 'manufacturer',
    legalName: 'Fjellvind AS',
    address: 'Havnegata 4, 5003 Bergen',
    country: 'NO',
    contactEmail: 'passport@fjellvind.example',
  },
  fiberComposition: [{ fiber: 'wool', percentage: 100 }],
  countryOfManufacture: 'PT',
  careInstructions: { en: 'Wash at 30 °C.' },
  repair: { repairable: true, sparePartsAvailable: false },
  endOfLife: {
    recyclingInstructions: { en: 'Textile bin.' },
    disposalInstructions: { en: 'Not in the river.' },
  },
  weightGrams: 100,
}

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
let key: string
const known = new Map<string, Known>()
let acknowledged = 0
let writing = true
let woken: (() => void) | undefined

before(async () => {
  folder = await folderWithStore()
  settings = { cwd: folder.path, env: { DATA_DIR: folder.path, PORT: '0' } }
  server = await serve(settings)
  settings = { ...settings, env: { ...settings.env, PORT: new URL(server.url).port } }
  const account = await carnetJson<{ id: string }>(
    ['accounts', 'create', '--name', 'Crash', '--plan', 'enterprise'],
    settings,
  )
  // The writers are faster than any plan allows.
  await carnetJson(
    ['accounts', 'set-plan', account.id, '--plan', 'enterprise', '--requests-per-minute', '1000000'],
    settings,
  )
  const made = await carnetJson<{ key: string }>(
    ['keys', 'create', '--account', account.id, '--scope', 'full'],
    settings,
  )
  key = made.key
})

after(async () => {
  writing = false
  await endAll()
  await folder.remove()
})

test(`${2 * KILLS} kills during writes lose nothing that was acknowledged`, async () => {
  const writers = Array.from({ length: WRITERS }, write)
  for (let kill = 0; kill < 2 * KILLS; kill++) {
    await moreWrites(1 + Math.floor(Math.random() * MOST_WRITES_BETWEEN))
    if (kill % 2 === 0) {
      await server.stop('SIGKILL')
      server = await serve(settings)
    } else {
      process.kill(await postmasterPid(folder.path), 'SIGKILL')
    }
  }
  await moreWrites(10)
  writing = false
  await Promise.all(writers)
  assert.ok((await server.stop()) < 5_000)
  server = await serve(settings)
  for (const [id, expected] of known) await compare(id, expected)
  const doctor = await carnetJson<{ name: string; ok: boolean }[]>(['doctor', '--verify'], settings)
  assert.deepEqual(
    doctor.filter(check => !check.ok),
    [],
  )
})

/** Resolves when `count` more writes are acknowledged. */
async function moreWrites(count: number): Promise<void> {
  const enough = acknowledged + count
  while (acknowledged < enough) {
    await new Promise<void>(resolve => {
      woken = resolve
    })
  }
}

/**
 * Creates passports and changes each a few times while writing is allowed. A failed call is followed by a new
 * one.
 */
async function write(): Promise<void> {
  while (writing) {
    const id = await create()
    for (let change = 0; id !== undefined && change < 4 && writing; change++) await patch(id)
  }
}

async function create(): Promise<string | undefined> {
  const answer = await call('POST', '/products', { category: 'textile', data: DATA })
  if (answer === undefined) return undefined
  known.set(answer.id, { version: 1, weight: DATA.weightGrams, inDoubt: 0 })
  return answer.id
}

async function patch(id: string): Promise<void> {
  const before = known.get(id)
  assert.ok(before)
  const weight = before.weight + 1
  const answer = await call('PATCH', `/products/${id}`, { data: { weightGrams: weight } })
  if (answer === undefined) known.set(id, { ...before, inDoubt: before.inDoubt + 1 })
  else {
    const unseen = answer.version_no - before.version - 1
    assert.ok(unseen >= 0 && unseen <= before.inDoubt, `${unseen} versions more than were asked for`)
    known.set(id, { version: answer.version_no, weight, inDoubt: 0 })
  }
}

type Record = { id: string; version_no: number; data: { weightGrams: number } }

/** The record, or undefined if the outcome of the call is unknown. */
async function call(method: string, path: string, body?: object): Promise<Record | undefined> {
  const answer = await send(method, path, body)
  if (answer === undefined || answer.status === 503) {
    await pause(BACK_OFF_MS)
    return undefined
  }
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
  acknowledged++
  woken?.()
  return (JSON.parse(answer.text) as { data: Record }).data
}

async function send(method: string, path: string, body?: object) {
  try {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  } catch {
    return undefined
  }
}

async function compare(id: string, expected: Known): Promise<void> {
  const record = await call('GET', `/products/${id}`)
  assert.ok(record, `${id} is gone`)
  const unseen = record.version_no - expected.version
  assert.ok(unseen >= 0 && unseen <= expected.inDoubt, `${id} is at version ${record.version_no}`)
  assert.equal(record.data.weightGrams, expected.weight + Math.min(unseen, 1))
}
