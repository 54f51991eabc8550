/** Tests `carnet media`, beside a server that has the file in memory: another process withdraws it. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { newProduct } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'
import { waitUntil } from '../waiting.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnet, carnetJson, endAll, type Served, type Settings, serve } from './processes.ts'

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
let account: string
let key: string
let picture: string
let product: string

before(async () => {
  folder = await folderWithStore()
  const env = { DATA_DIR: folder.path, PORT: '0' }
  settings = { cwd: folder.path, env }
  const create = ['accounts', 'create', '--name', 'Nordlicht', '--plan', 'pro']
  account = (await carnetJson<{ id: string }>(create, settings)).id
  const createKey = ['keys', 'create', '--account', account, '--scope', 'full']
  key = (await carnetJson<{ key: string }>(createKey, settings)).key
  server = await serve(settings)
  picture = await send('/media', await makePng({ width: 340, height: 40 }), 'image/png')
  const data = newProduct({ pictures: [{ media: picture, alt: { en: 'A scarf', de: 'Ein Schal' } }] })
  product = await send('/products', JSON.stringify(data), 'application/json')
})
after(async () => {
  await endAll()
  await folder.remove()
})

async function send(path: string, body: Buffer | string, type: string): Promise<string> {
  const sent = typeof body === 'string' ? body : new Uint8Array(body)
  const headers = { authorization: `Bearer ${key}`, 'content-type': type }
  const answer = await fetch(`${server.url}/api/v1${path}`, { method: 'POST', headers, body: sent })
  const text = await answer.text()
  assert.ok(answer.status < 300, text)
  return JSON.parse(text).data.id
}

const read = async (path: string) => {
  const answer = await fetch(server.url + path)
  return { status: answer.status, text: await answer.text() }
}
const withdraw = (...more: string[]) => ['media', 'withdraw', picture, '--account', account, ...more]
const REASON = 'It names a person.'

type Withdrawn = {
  withdrawn_at: string
  newly_withdrawn: boolean
  passports: number
  purge: string[]
  caches: string[]
}

describe('media withdraw', () => {
  test('explains wrong arguments', async () => {
    const wrong: [string[], number, RegExp][] = [
      [['media', 'withdraw', 'x', '--account', account, '--reason', 'R'], 2, /"x" is no file/],
      [withdraw(), 2, /--reason is missing/],
      [withdraw('--reason', 'x'.repeat(501)), 2, /longer than 500/],
      [withdraw('--reason', 'a\nb'), 2, /must be one line/],
      [
        ['media', 'withdraw', '0'.repeat(64), '--account', account, '--reason', 'R', '--yes'],
        1,
        /no such file/,
      ],
      [['media', 'withdraw', picture, '--account', '99', '--reason', 'R', '--yes'], 1, /no such account/],
    ]
    for (const [words, code, message] of wrong) {
      const result = await carnet(words, settings)
      assert.equal(result.code, code, words.join(' '))
      assert.match(result.stderr, message)
    }
  })

  test('changes nothing without --yes', async () => {
    const result = await carnet(withdraw('--reason', REASON), settings)
    assert.equal(result.code, 1)
    assert.match(result.stdout, /used by 1 product,/)
    assert.match(result.stderr, /cannot be undone: add --yes/)
    assert.equal((await read(`/m/${picture}/320.jpg`)).status, 200)
  })

  test('deletes the bytes, and says what to purge and which copies are left', async () => {
    assert.equal((await read(`/p/${product}`)).status, 200)
    const made = await carnetJson<Withdrawn>(withdraw('--reason', REASON, '--yes'), settings)
    assert.equal(made.newly_withdrawn, true)
    assert.equal(made.passports, 1)
    assert.ok(made.purge.some(one => one.endsWith(`/m/${picture}/320.webp`)))
    assert.equal(made.caches.length, 3)
    assert.deepEqual(await readdir(join(folder.path, 'media', account, picture)).catch(() => []), [])
    // The server learns of it when it next reads the passport.
    await waitUntil('the page names the reason', async () =>
      (await read(`/p/${product}`)).text.includes(REASON),
    )
    assert.equal((await read(`/m/${picture}/320.jpg`)).status, 410)
  })

  test('again, by its address, changes nothing', async () => {
    const address = `https://passports.example/m/${picture}/320.jpg`
    const words = ['media', 'withdraw', address, '--account', account, '--reason', 'Another', '--yes']
    const { stdout, code } = await carnet(words, settings)
    assert.equal(code, 0)
    assert.match(stdout, /was withdrawn on .* \(It names a person\.\)/)
  })
})

test('media withdrawals lists it', async () => {
  const [one] = await carnetJson<{ id: string; state: string; reason: string }[]>(
    ['media', 'withdrawals', '--account', account],
    settings,
  )
  assert.deepEqual([one?.id, one?.state, one?.reason], [picture, 'withdrawn', REASON])
  assert.match((await carnet(['media', 'withdrawals'], settings)).stdout, /withdrawn +1 /)
})
