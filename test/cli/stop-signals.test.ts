/** Tests Ctrl-C and SIGTERM during a command: it stops cleanly and stops the embedded database too. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openPool } from '../../src/kernel/db/database.ts'
import { startEmbeddedPostgres } from '../../src/kernel/postgres-server/embedded-postgres.ts'
import { waitUntil } from '../waiting.ts'
import { postmasterPid } from './postmaster.ts'
import { carnet, carnetJson, emptyFolder, endAll, type Settings, start } from './processes.ts'

const SECRET_KEY = 'a key of tests, long enough to be one'
/** The lock that a migration takes. */
const MIGRATING = `select pg_advisory_xact_lock(${0x43_41_52_4e}, 3)`
/** A command that has begun to start the database finishes that first. */

let folder: Awaited<ReturnType<typeof emptyFolder>>
let settings: Settings
const at = (name: string) => join(folder.path, name)
const inData = (name: string): Settings => ({ cwd: folder.path, env: { DATA_DIR: at(name), SECRET_KEY } })

before(async () => {
  folder = await emptyFolder()
  settings = inData('data')
  await carnetJson(['accounts', 'create', '--name', 'Heron', '--plan', 'pro'], settings)
  await carnetJson(['export', '--account', '1', '--to', at('heron.jsonl')], settings)
  await carnetJson(['backup', '--to', at('heron.backup')], settings)
})
after(async () => {
  await endAll()
  await folder.remove()
})

/**
 * Runs a command until it waits for a lock that the test holds. From then on only the command keeps
 * PostgreSQL running.
 */
async function untilItStands(data: string, lock: string, words: readonly string[]) {
  const postgres = await startEmbeddedPostgres({ dataDir: at(data), log: () => {} })
  const sql = openPool(postgres, { max: 2, name: 'test' })
  const holder = await sql.reserve()
  await holder.unsafe(`begin; ${lock}`)
  const command = start(words, inData(data))
  await waitUntil('it waits for the lock', async () => {
    assert.equal(command.child.exitCode, null, command.said.stderr)
    return (await sql`select from pg_stat_activity where wait_event_type = 'Lock'`).length > 0
  })
  await postgres.stop()
  return { ...command, sql, begun: await readdir(folder.path) }
}

const CASES = [
  {
    words: ['export', '--account', '1', '--to', 'x.jsonl'],
    lock: 'lock table access_link',
    makes: 'x.jsonl',
  },
  { words: ['backup', '--to', 'x.backup'], lock: 'lock table access_link', makes: 'x.backup' },
  { words: ['import', '--from', 'heron.jsonl'], lock: 'lock table account' },
  { words: ['restore', '--from', 'heron.backup'], lock: MIGRATING, data: 'other' },
]

for (const [i, { words, lock, makes, data = 'data' }] of CASES.entries()) {
  const signal = i % 2 === 0 ? 'SIGINT' : 'SIGTERM'
  test(`${words[0]} stops cleanly at ${signal}`, async () => {
    const { child, said, ended, sql, begun } = await untilItStands(data, lock, words)
    if (makes !== undefined) assert.match(begun.join(' '), new RegExp(`${makes}\\.[0-9a-f]{16}\\.partial`))
    child.kill(signal)
    const [code] = await ended
    await sql.end({ timeout: 0 }).catch(() => undefined)
    assert.deepEqual(
      [code, said],
      [signal === 'SIGINT' ? 130 : 143, { stdout: '', stderr: `Stopped by ${signal} before it was done.\n` }],
    )
    await assert.rejects(postmasterPid(at(data)), /no PostgreSQL runs/)
    assert.deepEqual(
      (await readdir(folder.path)).filter(name => name.startsWith('x.')),
      [],
    )
  })
}

test('a command that is still starting the database stops cleanly at SIGINT', async () => {
  const { child, said, ended } = start(['accounts', 'list'], settings)
  while ((await postmasterPid(at('data')).catch(() => undefined)) === undefined) await pause(1)
  child.kill('SIGINT')
  const [code] = await ended
  assert.equal(code, 130, said.stderr)
  await assert.rejects(postmasterPid(at('data')), /no PostgreSQL runs/)
})

test('the stopped commands have changed nothing', async () => {
  const { stdout } = await carnet(['accounts', 'list', '--json'], settings)
  assert.equal((JSON.parse(stdout) as unknown[]).length, 1)
})
