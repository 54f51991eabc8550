/**
 * Tests scans on a real server: a kill loses at most one second of counts, and no reader data remains
 * anywhere.
 */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { newProduct } from '../harness.ts'
import { waitUntil } from '../waiting.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnet, carnetJson, endAll, type Served, type Settings, serve } from './processes.ts'

const ADDRESSES = ['203.0.113.201', '198.51.100.202', '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ff03']
const PLANTED = 'PlantedReader/7.31'
const AGENT = `Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/126.0.0.0 Mobile Safari/537.36 ${PLANTED}`
/** A scan is stored within a second; a busy machine gets more time. */

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
let key: string
let accountId: string
let id: string

before(async () => {
  folder = await folderWithStore()
  const env = {
    DATA_DIR: folder.path,
    PORT: '0',
    TRUSTED_PROXIES: '127.0.0.1',
    COUNTRY_HEADER: 'X-Country',
    LOG_LEVEL: 'trace',
  }
  settings = { cwd: folder.path, env }
  server = await serve(settings)
  settings = { ...settings, env: { ...env, PORT: new URL(server.url).port } }
  const account = await carnetJson<{ id: string }>(
    ['accounts', 'create', '--name', 'Scans', '--plan', 'beta'],
    settings,
  )
  accountId = account.id
  const made = await carnetJson<{ key: string }>(
    ['keys', 'create', '--account', account.id, '--scope', 'full'],
    settings,
  )
  key = made.key
  const answer = await fetch(`${server.url}/api/v1/products`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(newProduct()),
  })
  const created = (await answer.json()) as { data: { id: string } }
  id = created.data.id
})
after(async () => {
  await endAll()
  await folder.remove()
})

/** A reader behind the proxy opens the page. */
const look = (address: string, path = `/p/${id}`): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = {
      'x-forwarded-for': address,
      'x-country': 'DE',
      'user-agent': AGENT,
      accept: 'text/html',
    }
    get(server.url + path, { headers }, answer => {
      answer.resume()
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`)),
      )
    }).on('error', reject)
  })

type Summary = { total: number; unique: number; byCountry: Record<string, number> }
async function summary(): Promise<Summary> {
  const answer = await fetch(`${server.url}/api/v1/products/${id}/scans`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = (await answer.json()) as { data: Summary }
  return data
}

async function totalBecomes(total: number): Promise<void> {
  let now = 0
  await waitUntil(
    `${total} scans are written`,
    async () => {
      now = (await summary()).total
      return now === total
    },
    { explain: () => `but ${now}` },
  )
}

test('kill -9 keeps flushed scans and counts none twice; SIGTERM loses nothing', async () => {
  for (const address of ADDRESSES) for (let i = 0; i < 10; i++) await look(address)
  await totalBecomes(30)
  for (let i = 0; i < 5; i++) await look(ADDRESSES[0] ?? '')
  await server.stop('SIGKILL')
  server = await serve(settings)
  const { total, unique, byCountry } = await summary()
  assert.ok(total >= 30 && total <= 35, `${total}`)
  assert.equal(unique, 3)
  assert.deepEqual(byCountry, { DE: total })
  for (let i = 0; i < 7; i++) await look(ADDRESSES[i % 3] ?? '')
  await server.stop('SIGTERM')
  server = await serve(settings)
  assert.deepEqual(await summary().then(now => [now.total, now.unique]), [total + 7, 3])
})

test('no IP address or user agent is in the database, its log, our log or the temporary folder', async () => {
  await look(ADDRESSES[0] ?? '', `/p/${id}?lang=de`)
  await look(ADDRESSES[1] ?? '', `/p/${id}`)
  await assert.rejects(look(ADDRESSES[2] ?? '', '/p/nothing'))
  await summary()
  const said = server.said.stdout + server.said.stderr
  await server.stop('SIGTERM')
  const all = [...(await filesOf(folder.path)), ...(await ownTemporary())]
  const planted = [...ADDRESSES, PLANTED, ...ADDRESSES.map(address => Buffer.from(address).toString('hex'))]
  const found: string[] = []
  for (const file of all) {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0))
    for (const word of planted) if (bytes.includes(word)) found.push(`${word} in ${file}`)
  }
  for (const word of planted) if (said.includes(word)) found.push(`${word} in the log`)
  assert.deepEqual(found, [])
  assert.ok(all.some(file => file.includes('base')) && all.some(file => file.includes('pg_wal')))
  server = await serve(settings)
})

const filesOf = async (path: string): Promise<string[]> =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

/** Names of the files that Carnet left in the temporary folder. */
async function ownTemporary(): Promise<string[]> {
  const names = (await readdir(tmpdir())).filter(
    name => name.startsWith('carnet-') && !name.startsWith('carnet-test-'),
  )
  const lists = await Promise.all(names.map(name => filesOf(join(tmpdir(), name)).catch(() => [])))
  return lists.flat()
}

test('accounts scans shows and changes the switches; doctor shows the source of countries', async () => {
  const command = (...words: string[]) =>
    carnetJson<Record<string, unknown>>(['accounts', 'scans', accountId, ...words], settings)
  assert.deepEqual(await command(), {
    id: accountId,
    on: true,
    off_categories: [],
    clone_rules: { countries: 3, devices: 10, many_countries: 5, scans: 100, scan_devices: 50 },
  })
  const changed = await command('--off', '--category', 'textile=off,battery=on', '--clones', 'countries=4')
  assert.equal(changed.on, false)
  assert.deepEqual(changed.off_categories, ['textile'])
  assert.equal((await command('--clones', 'off')).clone_rules, null)
  const shown = await carnet(['accounts', 'scans', accountId, '--on', '--clones', 'default'], settings)
  assert.match(shown.stdout, /Scans are counted, except in textile\. A code counts as possibly cloned if/)
  const wrong: [string[], number][] = [
    [['--on', '--off'], 2],
    [['--category', 'shoes=off'], 1],
    [['--clones', 'planets=3'], 2],
  ]
  for (const [words, code] of wrong) {
    assert.equal(
      (await carnet(['accounts', 'scans', accountId, ...words], settings)).code,
      code,
      words.join(' '),
    )
  }
  const shoes = await carnet(['accounts', 'scans', accountId, '--category', 'shoes=off'], settings)
  assert.equal(shoes.stderr, 'There is no category "shoes", as given in --category.\n')
  const { stdout } = await carnet(['doctor', '--json'], settings)
  const checks = JSON.parse(stdout) as { name: string; ok: boolean; detail: string }[]
  const country = checks.find(check => check.name === 'country data')
  assert.equal(country?.ok, true)
  assert.match(country?.detail ?? '', /header x-country, then bundled file of 2026-06-17 \(PDDL-1\.0\)/)
})
