/** Tests that a database which loses its connections in the first moments of a start ends no server. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { type Forwarder, startForwarder } from '../forwarder.ts'
import { waitUntil } from '../waiting.ts'
import { endAll, start } from './processes.ts'

const BLINK_MS = 50
const BLINKS = 40

let database: TestDatabase
let wire: Forwarder
let other: Sql

before(async () => {
  database = await cloneDatabase()
  wire = await startForwarder(database.target)
  other = openPool(database.target, { max: 3, name: 'operator' })
})
afterEach(endAll)
after(async () => {
  await other.end({ timeout: 1 })
  await wire.cut()
  await database.drop()
})

const serveOnWire = (WORKERS: string) =>
  start(['serve', '--json'], {
    cwd: import.meta.dirname,
    env: {
      DATABASE_URL: wire.target.url,
      SECRET_KEY: 'a key of tests, long enough to be one',
      PORT: '0',
      LOG_LEVEL: 'info',
      WORKERS,
    },
  })

type Started = ReturnType<typeof serveOnWire>

const terminate = () =>
  other`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name <> 'operator'`

/** Waits for the line that the server prints when it serves; fails if it ends before. */
async function waitForAddress({ child, said }: Started): Promise<{ url: string; set_up_url: string | null }> {
  await waitUntil('the server serves', () => {
    assert.equal(child.exitCode, null, said.stderr)
    return said.stdout.endsWith('}\n')
  })
  return JSON.parse(said.stdout)
}

async function stop({ child, ended, said }: Started): Promise<void> {
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null], said.stderr)
}

/** Holds what the link for the owner is written to. */
async function lockLinks() {
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = other.begin(async tx => {
    await tx`set local idle_in_transaction_session_timeout = 0`
    await tx`lock table one_time_link in access exclusive mode`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  return {
    async release() {
      held.resolve()
      await holding
    },
  }
}

describe('a database that loses its connections during the start', () => {
  for (const WORKERS of ['1', '2']) {
    test(`every ${BLINK_MS} ms from the first: the server serves in the end; WORKERS=${WORKERS}`, async () => {
      const server = serveOnWire(WORKERS)
      await waitUntil('it connects', async () => (await terminate()).length > 0)
      for (let n = 0; n < BLINKS; n++) {
        await terminate()
        await pause(BLINK_MS)
      }
      const { url, set_up_url } = await waitForAddress(server)
      assert.ok(set_up_url?.startsWith(url))
      assert.equal((await fetch(`${url}/readyz`)).status, 200)
      assert.doesNotMatch(server.said.stderr, /unexpected error/)
      await stop(server)
    })
  }

  test('just after the server listens: it tries again, and gives the link of the owner later', async () => {
    const { release } = await lockLinks()
    const server = serveOnWire('1')
    await waitUntil('it writes the link', async () => {
      const [row] = await other<{ n: number }[]>`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into one_time_link%' and application_name <> 'operator'`
      return row?.n === 1
    })
    assert.match(server.said.stderr, /Carnet is listening/)
    await terminate()
    await waitUntil('it says so', () => /cannot find out yet/.test(server.said.stderr))
    await release()
    const { url, set_up_url } = await waitForAddress(server)
    assert.ok(set_up_url?.startsWith(url))
    await stop(server)
  })

  test('a server that still waits for the link stops at SIGTERM', async () => {
    const { release } = await lockLinks()
    const server = serveOnWire('1')
    await waitUntil('it listens', () => /Carnet is listening/.test(server.said.stderr))
    await stop(server)
    await release()
  })
})
