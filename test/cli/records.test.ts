/** `carnet offers` on a real database: an option for each member, and the errors of the API for wrong ones. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { folderWithStore } from './prepared-store.ts'
import { carnet, carnetJson, endAll, type Settings } from './processes.ts'

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let account: string

before(async () => {
  folder = await folderWithStore('data')
  settings = { cwd: folder.path, env: { DATA_DIR: join(folder.path, 'data') } }
  const made = await carnetJson<{ id: string }>(
    ['accounts', 'create', '--name', 'Zink', '--plan', 'beta'],
    settings,
  )
  account = made.id
})
after(async () => {
  await endAll()
  await folder.remove()
})

type Offer = { id: string; [member: string]: unknown }
const run = (...words: string[]) => carnetJson<Offer>(['offers', ...words, '--account', account], settings)

test('an offer is added, listed, changed and deleted', async () => {
  const title = '{"en":"Repairs"}'
  const added = await run('add', '--kind', 'repair', '--title', title, '--url', 'https://shop.example/r')
  assert.deepEqual([added.kind, added.title, added.position], ['repair', { en: 'Repairs' }, 0])
  const { id } = added
  const changed = await run(
    'change',
    id,
    '--countries',
    'DE, AT',
    '--position',
    '7',
    '--text',
    '{"en":"Yes"}',
  )
  assert.deepEqual([changed.countries, changed.position, changed.text], [['AT', 'DE'], 7, { en: 'Yes' }])
  const emptied = await run('change', id, '--countries', 'null', '--text', 'null')
  assert.deepEqual([emptied.countries, emptied.text, emptied.position], [[], null, 7])
  const listed = await carnet(['offers', 'list', '--account', account], settings)
  assert.match(listed.stdout, new RegExp(`^ID +OFFER\\n${id} +repair: Repairs\\n$`))
  assert.deepEqual(await run('delete', id), emptied)
  assert.deepEqual(await run('list'), [])
})

test('what is wrong is named, and nothing is stored', async () => {
  const needed = ['add', '--account', account, '--kind', 'rent', '--url', 'https://shop.example']
  for (const [words, code, message] of [
    [[...needed, '--title', 'Repairs'], 2, /--title must be a JSON object with a text for each language/],
    [[...needed, '--title', '{"en":"Repairs"}'], 1, /kind must be one of repair/],
    [
      [...needed, '--title', '{"en":"Repairs"}', '--position', 'first'],
      1,
      /position must be a whole number from 0 to 9999/,
    ],
    [['delete', 'x', '--account', account], 1, /no such offer/],
  ] as const) {
    const ended = await carnet(['offers', ...words], settings)
    assert.equal(ended.code, code, ended.stderr)
    assert.match(ended.stderr, message)
  }
  assert.deepEqual(await run('list'), [])
})
