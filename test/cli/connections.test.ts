/**
 * Tests that the embedded database allows as many connections as WORKERS need, and that a lower limit is
 * reported.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { calculateMaxConnections } from '../../src/cli/store/connection-budget.ts'
import { startEmbeddedPostgres } from '../../src/kernel/postgres-server/embedded-postgres.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnet, carnetJson, endAll, type Settings, serve } from './processes.ts'

type Check = { name: string; ok: boolean; detail: string }

const WORKERS = '11'
const NEEDED = 11 * 11 + 30
const TAKEN = NEEDED + 22 + 40
let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings

before(async () => {
  folder = await folderWithStore()
  settings = { cwd: folder.path, env: { DATA_DIR: folder.path, PORT: '0', WORKERS } }
  await carnetJson(['migrate'], settings)
})
after(async () => {
  await endAll()
  await folder.remove()
})

test('the connection limit is 100 for one process, and for eleven the sum of their pools and a reserve', () => {
  assert.equal(calculateMaxConnections({ workers: 1, role: 'all' }), 100)
  assert.equal(calculateMaxConnections({ workers: 11, role: 'all' }), TAKEN)
  assert.equal(calculateMaxConnections({ workers: 11, role: 'worker' }), 100)
})

test('an embedded database starts with this connection limit', async () => {
  const checks = await carnetJson<Check[]>(['doctor'], settings)
  const { ok, detail } = checks.find(({ name }) => name === 'connections') ?? {}
  assert.deepEqual(
    [ok, detail],
    [true, `the database allows ${TAKEN - 3} (max_connections), and WORKERS=11 may need ${NEEDED}`],
  )
})

test('a running database that allows fewer is kept, and doctor and the server warn', async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} })
  try {
    const { code, stdout } = await carnet(['doctor'], settings)
    assert.equal(code, 1)
    assert.match(
      stdout,
      /BAD +connections +the database allows 97 \(max_connections\), and WORKERS=11 may need 151: stop/,
    )
    const server = await serve({ ...settings, env: { ...settings.env, WORKERS: '7' } })
    await server.stop()
    assert.match(
      server.said.stderr,
      /too few connections under load: the database allows 97 .* WORKERS=7 may/,
    )
  } finally {
    await postgres.stop()
  }
})
