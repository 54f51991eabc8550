/** `carnet readiness` on a real database: the exit code says whether something required is missing. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { newProduct } from '../harness.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnet, carnetJson, endAll, type Settings, serve } from './processes.ts'

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let account: { id: string }
let lamp: string

before(async () => {
  folder = await folderWithStore('data')
  settings = { cwd: folder.path, env: { DATA_DIR: join(folder.path, 'data'), PORT: '0' } }
  account = await carnetJson(['accounts', 'create', '--name', 'Zink', '--plan', 'beta'], settings)
  const { key } = await carnetJson<{ key: string }>(
    ['keys', 'create', '--account', account.id, '--scope', 'full'],
    settings,
  )
  const server = await serve(settings)
  const create = async (body: unknown) => {
    const answer = await fetch(`${server.url}/api/v1/products`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { data } = (await answer.json()) as { data: { id: string } }
    return data.id
  }
  lamp = await create(newProduct({}, 'battery'))
  await create(newProduct({ sku: 'F-1', substancesOfConcern: [] }, 'furniture'))
})
after(async () => {
  await endAll()
  await folder.remove()
})

const run = (...words: string[]) => carnet(['readiness', '--account', account.id, ...words], settings)

test('counts the products of an account', async () => {
  const { code, stdout } = await run()
  assert.equal(code, 0)
  assert.match(stdout, /eu\.battery\.passport +1 +0 +1 +0 +0 +batt\.\d+ 1/)
  assert.match(stdout, /not legal advice/)
  const { acts } = JSON.parse((await run('--json', '--act', 'eu.reach')).stdout)
  assert.deepEqual([acts.length, acts[0].in_scope, acts[0].ready], [1, 1, 1])
})

test('with --fail exits 1 only if an act in force lacks something required', async () => {
  const failing = await run('--fail')
  assert.equal(failing.code, 1)
  assert.match(failing.stderr, /1 of eu\.battery\.passport/)
  assert.equal((await run('--fail', '--act', 'eu.reach')).code, 0)
  // A draft requires nothing yet.
  assert.equal((await run('--fail', '--act', 'eu.furniture.espr-draft')).code, 0)
})

test('shows one product', async () => {
  const { code, stdout } = await run('--product', lamp)
  assert.equal(code, 0)
  assert.match(stdout, /Battery passport: \d+ of \d+, \d+ %\n +(partial|missing|check) +batt\.\d+/)
  assert.equal((await run('--product', lamp, '--fail')).code, 1)
  const report = JSON.parse((await run('--product', lamp, '--json')).stdout)
  assert.equal(report.product_id, lamp)
})

test('a spoilt rule file stops the start and fails doctor, and both name it', async () => {
  const rules = join(folder.path, 'rules')
  mkdirSync(rules)
  writeFileSync(join(rules, 'own.json'), '{"version": "2026-11-22", ')
  const env = { DATA_DIR: join(folder.path, 'empty'), PORT: '0', RULES_DIR: rules }
  const served = await carnet(['serve'], { cwd: folder.path, env })
  assert.equal(served.code, 1)
  assert.match(served.stderr, /own\.json is not JSON/)
  const checked = await carnet(['doctor'], { cwd: folder.path, env })
  assert.equal(checked.code, 1)
  assert.match(checked.stdout, /BAD +rules .*own\.json is not JSON/)
})

test('refuses an unknown act, product and account', async () => {
  assert.match((await run('--act', 'eu.none')).stderr, /act must be one of/)
  assert.equal((await run('--product', 'x')).code, 1)
  assert.equal((await carnet(['readiness', '--account', '4711'], settings)).code, 1)
})
