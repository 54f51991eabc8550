/**
 * Tests kill -9 of the server while files are uploaded and used by products: no version names bytes that are
 * missing, and nothing that was acknowledged is lost.
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { IS_FULL } from '../full.ts'
import { newProduct } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnet, carnetJson, endAll, type Served, type Settings, serve } from './processes.ts'

const UPLOADS = IS_FULL ? 1_000 : 60
const KILLS = IS_FULL ? 10 : 1
const UPLOADERS = 4
/** Every so many files, a product uses one. */
const USE_EVERY = 3
const RETRY_AFTER_MS = 50

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
let key: string

before(async () => {
  folder = await folderWithStore()
  settings = { cwd: folder.path, env: { DATA_DIR: folder.path, PORT: '0' } }
  const create = ['accounts', 'create', '--name', 'Crash', '--plan', 'enterprise']
  const { id } = await carnetJson<{ id: string }>(create, settings)
  const plan = ['accounts', 'set-plan', id, '--plan', 'enterprise', '--requests-per-minute', '1000000']
  await carnetJson(plan, settings)
  key = (await carnetJson<{ key: string }>(['keys', 'create', '--account', id, '--scope', 'full'], settings))
    .key
  server = await serve(settings)
})

after(async () => {
  await endAll()
  await folder.remove()
})

type Sent = { path: string; type: string; body: Buffer | string; idempotencyKey: string }
let repeats = 0

/** Until the server has answered; a request that is cut off is sent again. */
async function send({ path, type, body, idempotencyKey }: Sent): Promise<string> {
  for (;;) {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': type,
      'idempotency-key': idempotencyKey,
    }
    try {
      const sent = typeof body === 'string' ? body : new Uint8Array(body)
      const answer = await fetch(`${server.url}/api/v1${path}`, { method: 'POST', headers, body: sent })
      const text = await answer.text()
      if (answer.status < 300) return JSON.parse(text).data.id
      assert.ok([409, 503].includes(answer.status), `${answer.status}: ${text}`)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
    }
    repeats++
    await pause(RETRY_AFTER_MS)
  }
}

test('kill -9 during uploads loses nothing, and leaves no version without its bytes', async t => {
  const png = await makePng({ width: 24, height: 18 })
  const files = Array.from({ length: UPLOADS }, (_, n) => Buffer.concat([png, Buffer.from(`file ${n}`)]))
  const used: string[] = []
  let done = 0
  let kills = 0
  const uploads = files.entries()
  const upload = async () => {
    for (const [n, bytes] of uploads) {
      const id = await send({ path: '/media', type: 'image/png', body: bytes, idempotencyKey: `file-${n}` })
      assert.equal(id, hash('sha256', bytes, 'hex'))
      done++
      if (n % USE_EVERY !== 0) continue
      const pictures = [{ media: id, alt: { en: 'A scarf.' } }]
      const body = JSON.stringify(newProduct({ sku: `S-${n}`, pictures }))
      await send({ path: '/products', type: 'application/json', body, idempotencyKey: `product-${n}` })
      used.push(id)
    }
  }
  const kill = async () => {
    for (; kills < KILLS; kills++) {
      while (done < ((kills + 1) * UPLOADS) / (KILLS + 1)) await pause(5)
      await server.stop('SIGKILL')
      server = await serve(settings)
    }
  }
  await Promise.all([kill(), ...Array.from({ length: UPLOADERS }, upload)])
  assert.equal(used.length, Math.ceil(UPLOADS / USE_EVERY))
  const { stdout } = await carnet(['doctor', '--verify', '--json'], settings)
  const checks: { name: string; ok: boolean; detail: string }[] = JSON.parse(stdout)
  for (const name of ['files', 'histories', 'counters']) {
    const check = checks.find(one => one.name === name)
    assert.ok(check?.ok, `${name}: ${check?.detail}`)
  }
  const detail = checks.find(one => one.name === 'files')?.detail ?? ''
  assert.equal(Number.parseInt(detail, 10), UPLOADS)
  t.diagnostic(
    `${UPLOADS} uploads, ${used.length} used, ${kills} kills, ${repeats} requests repeated; ${detail}`,
  )
})
