/** Tests `carnet mirror` as a process: kill -9 in the middle, and what `carnet verify` says of its files. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { newProduct } from '../harness.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnet, carnetJson, endAll, type Served, type Settings, serve, start } from './processes.ts'

const PASSPORTS = 15
const SECRET = 'planted-restricted-value'

type Made = { written: number; removed: number; passports: number; files: number; is_signed: boolean }

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
let account: string
let key: string
const at = (name: string) => join(folder.path, name)

before(async () => {
  folder = await folderWithStore('data')
  settings = {
    cwd: folder.path,
    env: { DATA_DIR: at('data'), PORT: '0', METRICS_TOKEN: 'metrics-token-of-tests' },
  }
  server = await serve(settings)
  const create = ['accounts', 'create', '--name', 'Mirrored', '--plan', 'enterprise']
  account = (await carnetJson<{ id: string }>(create, settings)).id
  key = (
    await carnetJson<{ key: string }>(['keys', 'create', '--account', account, '--scope', 'full'], settings)
  ).key
  await carnetJson(['accounts', 'signing', '--account', account, '--on'], settings)
  for (let n = 0; n < PASSPORTS; n++) await post('', newProduct({ sku: `M-${n}`, internal: SECRET }))
})
after(async () => {
  await endAll()
  await folder.remove()
})

async function post(path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const url = `${server.url}/api/v1/products${path}`
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.equal(answer.status, 201, await answer.text())
}

const words = (dir: string) => ['mirror', '--to', dir, '--account', account]

/** The hashes of all files but the manifest, whose time differs. */
async function hashTree(dir: string): Promise<Record<string, string>> {
  const tree: [string, string][] = []
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(dir.length + 1)
    if (!entry.isFile() || name.startsWith('.carnet-mirror') || name === 'manifest.json') continue
    const body = await readFile(path)
    assert.ok(!body.includes(SECRET), name)
    tree.push([name, createHash('sha256').update(body).digest('hex')])
  }
  return Object.fromEntries(tree.sort())
}

test('a mirror that was killed again and again is like one that was written at once', async () => {
  const dir = at('killed')
  for (const share of [0.2, 0.5, 0.8]) {
    const { child, ended } = start(words(dir), settings)
    const isFar = async () =>
      existsSync(join(dir, 'p')) && (await readdir(join(dir, 'p'))).length >= PASSPORTS * share
    while (!(await isFar()) && child.exitCode === null) await pause(5)
    child.kill('SIGKILL')
    assert.deepEqual(await ended, [null, 'SIGKILL'])
    assert.ok(!existsSync(join(dir, 'manifest.json')), 'it was killed before its end')
  }
  const made = await carnetJson<Made>(words(dir), settings)
  assert.ok(made.passports < PASSPORTS, 'it goes on where it was')
  const fresh = await carnetJson<Made>(words(at('fresh')), settings)
  assert.deepEqual([fresh.passports, fresh.files, fresh.is_signed], [PASSPORTS, made.files, true])
  assert.deepEqual(await hashTree(dir), await hashTree(at('fresh')))
  assert.equal((await carnet(['verify', join(dir, 'manifest.json'), '--files', dir], settings)).code, 0)
})

test('the metrics and doctor tell what the mirror lacks', async () => {
  const headers = { authorization: 'Bearer metrics-token-of-tests' }
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text()
  assert.match(text, /^carnet_mirror_lag_seconds 0$/m)
  const [, time] = /^carnet_mirror_last_success_timestamp_seconds ([\d.]+)$/m.exec(text) ?? []
  assert.ok(Number(time) > 1_600_000_000)
  const { stdout } = await carnet(['doctor'], settings)
  assert.match(stdout, /^ok {4}mirrors +of 1 accounts; the oldest change that one lacks is 0\.0 hours old$/m)
})

test('carnet verify names a file that was changed or removed', async () => {
  const dir = at('fresh')
  const verify = ['verify', join(dir, 'manifest.json'), '--files', dir]
  assert.equal((await carnet(verify, settings)).code, 0)
  const [id = ''] = await readdir(join(dir, 'p'))
  const page = join(dir, 'p', id, 'index.html')
  const body = await readFile(page)
  body.writeUInt8(body.readUInt8(1_000) ^ 1, 1_000)
  await writeFile(page, body)
  const changed = await carnet(verify, settings)
  assert.deepEqual([changed.code, changed.stderr.includes(`p/${id}/index.html`)], [1, true])
  await rm(page)
  assert.equal((await carnet(verify, settings)).code, 1)
  const again = await carnetJson<Made>([...words(dir), '--all'], settings)
  assert.deepEqual([again.written, again.passports], [1, PASSPORTS])
  assert.equal((await carnet(verify, settings)).code, 0)
  const manifest = await readFile(join(dir, 'manifest.json'), 'utf8')
  await writeFile(join(dir, 'manifest.json'), manifest.replace(/"sha256":"./, '"sha256":"x'))
  assert.equal((await carnet(verify, settings)).code, 1)
})

test('a folder is named, and an account if there are several', async () => {
  assert.equal((await carnet(['mirror'], settings)).code, 2)
  const unknown = await carnet(['mirror', '--to', at('x'), '--account', '99999'], settings)
  assert.equal(unknown.code, 1)
  await carnetJson(['accounts', 'create', '--name', 'Second', '--plan', 'beta'], settings)
  const unclear = await carnet(['mirror', '--to', at('x')], settings)
  assert.deepEqual([unclear.code, /^There are 2 accounts\. Name one/.test(unclear.stderr)], [1, true])
  const full = await carnet(words(folder.path), settings)
  assert.deepEqual([full.code, / is not empty\. Choose a new folder\./.test(full.stderr)], [1, true])
})
