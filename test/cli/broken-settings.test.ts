/**
 * Tests settings that become invalid while the server runs: a new process reports the error, and starts once
 * it is fixed.
 */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { waitUntil } from '../waiting.ts'
import { folderWithStore } from './prepared-store.ts'
import { endAll, type Served, serve } from './processes.ts'

let folder: Awaited<ReturnType<typeof folderWithStore>>
let server: Served
before(async () => {
  folder = await folderWithStore()
  const env = { DATA_DIR: folder.path, PORT: '0', WORKERS: '2', LOG_LEVEL: 'info' }
  server = await serve({ cwd: folder.path, env })
})
after(async () => {
  await endAll()
  await folder.remove()
})

const lines = () =>
  server.said.stderr
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Record<string, unknown>)

const untilLogged = (what: (line: Record<string, unknown>) => boolean) =>
  waitUntil('it is logged', () => lines().some(what), { explain: () => server.said.stderr })

test('a restart with a wrong setting is abandoned and the reason logged; a dead process is retried until the setting is corrected', async () => {
  const dotEnv = join(folder.path, '.env')
  writeFileSync(dotEnv, 'TRUSTED_PROXIES=everybody\n')
  server.child.kill('SIGHUP')
  await untilLogged(line => /TRUSTED_PROXIES/.test(String(line.reason)))
  const pids = lines().find(line => line.msg === 'all processes are up')?.processes as Record<string, number>
  process.kill(Number(pids['web 1']), 'SIGKILL')
  const again = () =>
    lines().filter(line => line.process === 'web 1' && line.again_in_ms !== undefined).length
  await waitUntil('it is tried three times', () => again() >= 3)
  assert.ok(again() >= 3, server.said.stderr)
  rmSync(dotEnv)
  server.child.kill('SIGHUP')
  await untilLogged(line => line.msg === 'all processes are replaced')
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
})
