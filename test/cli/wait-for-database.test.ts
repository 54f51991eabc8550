/** Tests that a machine may start its database and Carnet in any order. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { probePort } from '../../src/cli/server/ports.ts'
import { type OpenOptions, openStore } from '../../src/cli/store/store.ts'
import { readConfig } from '../../src/kernel/config/config.ts'
import { emptyDatabase, type TestDatabase } from '../database.ts'
import { type Forwarder, startForwarder } from '../forwarder.ts'
import { assertWithin } from '../waiting.ts'
import { endAll, start } from './processes.ts'

const METRICS_TOKEN = 'a-token-for-prometheus'
const GIVEN_UP_WITHIN_MS = 3_000

describe('while the database is not available', () => {
  let database: TestDatabase
  let wire: Forwarder
  const said: string[] = []
  const log = pino({ level: 'warn' }, { write: line => said.push(JSON.parse(line).msg) })

  before(async () => {
    database = await emptyDatabase()
    wire = await startForwarder(database.target)
    await wire.cut()
  })
  after(async () => {
    await endAll()
    await wire.cut()
    await database.drop()
  })

  const open = (url: string, options: Partial<OpenOptions> = {}) =>
    openStore(readConfig({ DATABASE_URL: url, SECRET_KEY: 'a key of tests, long enough to be one' }), log, {
      name: 'test',
      ...options,
    })

  test('a server waits for it, logs that once, and migrates it when it is available', async () => {
    const opening = open(wire.target.url, { waitsForDatabase: true, isServer: true })
    await pause(1_500)
    await wire.mend()
    const store = await opening
    assert.deepEqual(await store.findPendingMigrations(), [])
    await store.stop()
    assert.equal(said.length, 1)
    assert.match(said[0] ?? '', /^the database at 127\.0\.0\.1:\d+\/\S+ does not answer yet; waiting for it$/)
  })

  test('a command fails at once if it does not answer; even a server does not wait for one that does not exist', async () => {
    const stranger = new URL(wire.target.url)
    stranger.pathname = '/there_is_no_such_database'
    for (const waitsForDatabase of [true, false]) {
      await assert.rejects(open(stranger.href, { waitsForDatabase }), /cannot be used: .*does not exist/)
    }
    await wire.cut()
    await assertWithin(5_000, () =>
      assert.rejects(open(wire.target.url), /\(DATABASE_URL\) cannot be used: .*ECONNREFUSED/),
    )
  })

  /**
   * Starts `carnet serve`, which connects to its database through the forwarder, and waits until it responds.
   * Each request uses a new connection.
   */
  async function serveOnWire(env: Record<string, string>) {
    const port = await probePort('127.0.0.1', 0)
    const settings = {
      DATABASE_URL: wire.target.url,
      SECRET_KEY: 'a key of tests, long enough to be one',
      PORT: String(port),
      METRICS_TOKEN,
      ...env,
    }
    const process = start(['serve'], { cwd: import.meta.dirname, env: settings })
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { connection: 'close', authorization: `Bearer ${METRICS_TOKEN}` },
      })
    while ((await ask('/healthz').catch(() => undefined))?.status !== 200) {
      assert.equal(process.child.exitCode, null, process.said.stderr)
      await pause(20)
    }
    return { ...process, ask }
  }

  for (const WORKERS of ['1', '2']) {
    test(`while waiting a server reports its state, and stops at SIGTERM; WORKERS=${WORKERS}`, async () => {
      await wire.cut()
      const { ask, child, ended, said } = await serveOnWire({ WORKERS })
      assert.equal(await (await ask('/healthz')).text(), 'ok\n')
      assert.equal((await ask('/readyz')).status, 503)
      for (const path of ['/api/v1/health', '/api/v1/products', '/p/00000000000000000000000000']) {
        const answer = await ask(path)
        const { code, request_id } = (await answer.json()) as Record<string, string>
        assert.deepEqual([answer.status, answer.headers.get('retry-after'), code], [503, '2', 'unavailable'])
        assert.equal(answer.headers.get('x-request-id'), request_id)
      }
      if (WORKERS === '1') {
        const text = await (await ask('/metrics')).text()
        assert.match(text, /^carnet_database_up 0$/m)
        assert.match(text, /^carnet_database_writable 0$/m)
      }
      await assertWithin(GIVEN_UP_WITHIN_MS, async () => {
        child.kill('SIGTERM')
        assert.deepEqual(await ended, [0, null])
      })
      assert.doesNotMatch(said.stderr, /too long/)
    })
  }

  test('a server answers every request while it switches from waiting to serving, and stops cleanly', async () => {
    const { ask, child, ended } = await serveOnWire({})
    await wire.mend()
    const seen: number[] = []
    while (seen.at(-1) !== 200) seen.push((await ask('/api/v1/health')).status)
    assert.ok(
      seen.slice(0, -1).every(status => status === 503),
      seen.join(),
    )
    for (let i = 0; i < 20; i++) assert.equal((await ask('/readyz')).status, 200)
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    await assert.rejects(ask('/healthz'))
  })
})
