/** Tests that a full disk stops writes and nothing else: not the stop, nor a command or start that says why. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { newProduct } from '../harness.ts'
import { fillDisk, mountSmallDisk, testInNamespace, unmountSmallDisk } from '../small-disk.ts'
import { waitUntil } from '../waiting.ts'
import { postmasterPid } from './postmaster.ts'
import { carnet, carnetJson, emptyFolder, endAll, type Served, type Settings, serve } from './processes.ts'

const PAD_BYTES = 10_000

const disk = mountSmallDisk('220m')
if (disk === undefined) testInNamespace(import.meta.filename)
else describe('the embedded database on a full disk', () => testFullDisk(disk))

function testFullDisk(dataDir: string): void {
  const filler = join(dataDir, 'filler')
  let other: Awaited<ReturnType<typeof emptyFolder>>
  let settings: Settings
  let server: Served
  let key: string

  before(async () => {
    other = await emptyFolder()
    settings = { cwd: other.path, env: { DATA_DIR: dataDir, PORT: '0' } }
    server = await serve(settings)
    const owner = ['accounts', 'create', '--name', 'Full', '--plan', 'enterprise']
    const { id } = await carnetJson<{ id: string }>(owner, settings)
    const made = await carnetJson<{ key: string }>(
      ['keys', 'create', '--account', id, '--scope', 'full'],
      settings,
    )
    key = made.key
    fillDisk(filler)
  })
  after(async () => {
    await endAll()
    unmountSmallDisk(dataDir)
    await other.remove()
  })

  const create = ({ url }: Served) =>
    fetch(`${url}/api/v1/products`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(newProduct({ x_pad: randomBytes(PAD_BYTES).toString('hex') })),
    })

  test('answers writes 503 with the reason, and says so where the operator asks', async () => {
    await waitUntil('a write finds no room', async () => (await create(server)).status !== 201)
    const refused = await create(server)
    assert.equal(refused.status, 503)
    const { error, code } = (await refused.json()) as { error: string; code: string }
    assert.equal(code, 'unavailable')
    assert.match(error, /disk of the database is full.* operator .* free some space/)
    assert.ok(refused.headers.has('retry-after'))
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
    const writable = await fetch(`${server.url}/readyz/writable`)
    assert.deepEqual([writable.status, await writable.text()], [503, 'disk full\n'])
  })

  test('lets commands work or say what to do', async () => {
    const backup = join(other.path, 'full.backup')
    for (const words of [
      ['accounts', 'list'],
      ['backup', '--to', backup],
    ]) {
      const { code, stderr } = await carnet(words, settings)
      // PostgreSQL refuses a new connection if it has to write its list of catalogs first.
      if (code !== 0) assert.match(stderr, /^The database's disk is full: free some space .*\n$/)
      else if (words.includes(backup)) assert.ok(statSync(backup).size > 0)
    }
    const { code, stdout } = await carnet(['doctor'], settings)
    assert.equal(code, 1)
    assert.match(stdout, /^BAD +data directory .*: too little$/m)
  })

  test('stops at SIGTERM with its PostgreSQL, and leaves no lock', async () => {
    const pid = await postmasterPid(dataDir)
    server.child.kill('SIGTERM')
    assert.deepEqual(await server.ended, [0, null], server.said.stderr)
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
    assert.deepEqual(
      readdirSync(dataDir).filter(name => name.startsWith('pg.lock')),
      [],
    )
  })

  test('says what to do at a start, and serves again when there is room', async () => {
    fillDisk(filler)
    for (const words of [['accounts', 'list'], ['serve']]) {
      const { code, stderr } = await carnet(words, settings)
      assert.equal(code, 1)
      assert.match(
        stderr,
        /^The embedded PostgreSQL did not start: .* free some space where DATA_DIR is\. .*\n$/,
      )
    }
    rmSync(filler)
    const healed = await serve(settings)
    assert.equal((await create(healed)).status, 201)
    await healed.stop('SIGTERM')
  })
}
