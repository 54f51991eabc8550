/** `carnet events` on a real database: the log of an item, and events that the API would refuse, too. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { newProduct } from '../harness.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnet, carnetJson, endAll, type Settings, serve } from './processes.ts'

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let account: string
let model: string
let item: string

before(async () => {
  folder = await folderWithStore('data')
  settings = { cwd: folder.path, env: { DATA_DIR: join(folder.path, 'data'), PORT: '0' } }
  const made = await carnetJson<{ id: string }>(
    ['accounts', 'create', '--name', 'Zink', '--plan', 'beta'],
    settings,
  )
  account = made.id
  const { key } = await carnetJson<{ key: string }>(
    ['keys', 'create', '--account', account, '--scope', 'full'],
    settings,
  )
  const { url } = await serve(settings)
  const create = async (path: string, body: unknown) => {
    const answer = await fetch(`${url}/api/v1/products${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { data } = (await answer.json()) as { data: { id: string } }
    return data.id
  }
  model = await create('', newProduct({}, 'battery'))
  item = await create(`/${model}/children`, { level: 'item', serial: 'LS-1' })
})
after(async () => {
  await endAll()
  await folder.remove()
})

const run = (word: string, product: string, ...more: string[]) =>
  carnet(['events', word, '--account', account, '--product', product, ...more], settings)

test('an event is tried, added, corrected and listed', async () => {
  const repair = JSON.stringify({ kind: 'repair', at: '2026-11-20', note: { en: 'New case.' } })
  const tried = await run('add', item, '--event', repair, '--dry-run')
  assert.match(tried.stdout, /^Event 1, repair at 2026-11-20, would be stored\.$/m)
  assert.equal((await run('list', item)).stdout, 'There is no event in this log.\n')
  const added = await run('add', item, '--event', repair)
  assert.match(added.stdout, /^Event 1, repair at 2026-11-20, is stored\.$/m)
  const wrong = JSON.stringify({ kind: 'correction', corrects: 1, note: { en: 'Not this one.' } })
  assert.equal((await run('add', item, '--event', wrong)).code, 0)
  const { stdout } = await run('list', item, '--kind', 'repair')
  assert.match(
    stdout,
    /^NO\. +AT +KIND +CORRECTED +RECORDED BY +NOTE\n1 +2026-11-20 +repair +by 2 .*New case\.\n$/,
  )
  const [latest, first] = JSON.parse((await run('list', item, '--json')).stdout)
  assert.deepEqual([latest.corrects, first.number, first.corrected_by], [1, 1, 2])
})

test('what the API refuses is refused with its sentence', async () => {
  const future = await run('add', item, '--event', '{"kind":"repair","at":"2999-01-01","note":{"en":"x"}}')
  assert.deepEqual([future.code, future.stdout], [1, ''])
  assert.match(future.stderr, /at/)
  assert.match((await run('add', model, '--event', '{"kind":"repair","at":"2026-11-20"}')).stderr, /model/)
  assert.match((await run('add', item, '--event', 'repair')).stderr, /--event is no JSON/)
  assert.match((await run('list', 'x')).stderr, /no such product|not found|There is no/i)
})
