/**
 * Tests a server that stops during an account download: it stops in time, the partial file is recognisable as
 * incomplete, and nothing is left behind.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createPerson } from '../../src/accounts/people/people.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { openStore } from '../../src/cli/store/store.ts'
import { readConfig } from '../../src/kernel/config/config.ts'
import { openPool, POOL_SIZE } from '../../src/kernel/db/database.ts'
import { createLog } from '../../src/kernel/errors/log.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { type Forwarder, startForwarder } from '../forwarder.ts'
import { IS_FULL } from '../full.ts'
import { newProduct } from '../harness.ts'
import { assertWithin, waitUntil } from '../waiting.ts'
import { emptyFolder, endAll, type Served, serve } from './processes.ts'

const STOPPED_WITHIN_MS = 5_000
const EMAIL = 'owner@testmarke.example'
const PASSWORD = 'eleven herons over the lake'
const DATA = '/console/settings/data'
/** Several times the size of all buffers between a process and a client that does not read. */
const CALLS = 12
const TEXT = 'Wash at 30 °C. '.repeat(600)
const LAST_LINE = /\n\{"type":"end","counts":\{[^\n]*\n$/

let database: TestDatabase
let stand: UnitStand
let wire: Forwarder
let folder: Awaited<ReturnType<typeof emptyFolder>>

before(async () => {
  database = await cloneDatabase()
  stand = await startUnitStand('enterprise', database)
  wire = await startForwarder(database.target)
  folder = await emptyFolder()
  for (let call = 0; call < CALLS; call++) {
    const items = Array.from({ length: 250 }, (_, n) =>
      newProduct({ sku: `L-${call}-${n}`, careInstructions: { en: TEXT, de: TEXT } }),
    )
    const body = { match_by: 'sku', items }
    const { status } = await stand.t.ask('POST', '/api/v1/products/bulk', { key: stand.account.key, body })
    assert.equal(status, 200)
  }
  const { token } = await createPerson(stand.t, {
    accountId: stand.account.id,
    email: EMAIL,
    role: 'owner',
  })
  await setPassword(stand.t, { token, password: PASSWORD })
})
after(async () => {
  await endAll()
  await wire?.cut()
  await stand?.close()
  await database?.drop()
  await folder?.remove()
})

const serveOn = (env: Record<string, string> = {}): Promise<Served> => {
  const own = {
    DATABASE_URL: wire.target.url,
    SECRET_KEY: 'a key of tests, long enough to be one',
    PORT: '0',
  }
  return serve({ cwd: folder.path, env: { ...own, DATA_DIR: folder.path, TMPDIR: folder.path, ...env } })
}

/** Sends a form like a browser. The response is not read yet. */
function post(server: Served, path: string, form: Record<string, string>, cookie = '') {
  const headers = {
    origin: server.url,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
    cookie,
  }
  return new Promise<IncomingMessage>((resolve, reject) =>
    request(server.url + path, { method: 'POST', headers, agent: false }, resolve)
      .once('error', reject)
      .end(new URLSearchParams(form).toString()),
  )
}

async function download(server: Served): Promise<IncomingMessage> {
  const signedIn = await post(server, '/console/sign-in', { email: EMAIL, password: PASSWORD })
  signedIn.resume()
  const cookie = String(signedIn.headers['set-cookie']?.[0]).split(';')[0] ?? ''
  const answer = await post(server, DATA, { password: PASSWORD }, cookie)
  assert.equal(answer.statusCode, 200)
  assert.match(answer.headers['content-disposition'] ?? '', /^attachment; /)
  return answer
}

/**
 * Reads until the response ends, by success or failure. `between` gets the bytes so far and can delay the
 * next read.
 */
async function take(answer: IncomingMessage, between: (bytes: number) => unknown) {
  let bytes = 0
  let last = ''
  let fault: unknown
  try {
    for await (const piece of answer) {
      bytes += piece.length
      last = (last + piece.toString('latin1')).slice(-4_096)
      await between(bytes)
    }
  } catch (error) {
    fault = error
  }
  return { bytes, isWhole: LAST_LINE.test(last), isComplete: answer.complete, fault }
}

async function assertCutOff(taking: ReturnType<typeof take>): Promise<void> {
  const { bytes, isWhole, isComplete, fault } = await taking
  assert.ok(bytes > 0)
  assert.deepEqual([isWhole, isComplete], [false, false])
  assert.equal((fault as NodeJS.ErrnoException).code, 'ECONNRESET')
}

async function assertEnded(server: Served, signal: NodeJS.Signals): Promise<number> {
  const took = await assertWithin(STOPPED_WITHIN_MS, () => server.stop(signal))
  assert.deepEqual([server.child.exitCode, server.child.signalCode], [0, null], server.said.stderr)
  assert.doesNotMatch(server.said.stderr, /took too long/)
  return took
}

/** Connections of Carnet except the test setup's, and export locks. */
async function leftOver(): Promise<{ connections: number; locks: number }> {
  const [row] = await stand.t.sql<{ connections: number; locks: number }[]>`
    select (select count(*)::int from pg_stat_activity
        where datname = current_database() and application_name like 'carnet%' and pid <> all (${ownPids})) as connections,
      (select count(*)::int from pg_locks where locktype = 'advisory' and classid = ${0x43_41_52_58}::int
        and database = (select oid from pg_database where datname = current_database())) as locks`
  assert.ok(row)
  return row
}

let ownPids: number[] = []
beforeEach(async () => {
  // Opens all that the setup's pools may open. Otherwise they open one when two of their statements overlap.
  for (const pool of new Set([stand.t.setup.sql, stand.t.sql])) {
    const own = await Promise.all(Array.from({ length: POOL_SIZE }, () => pool.reserve()))
    for (const connection of own) connection.release()
  }
  const rows = await stand.t.sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database()`
  ownPids = rows.map(({ pid }) => pid)
})

const actions = async () =>
  (
    await stand.t.sql<{ action: string }[]>`
      select action from audit_entry where account_id = ${stand.account.id} and action like 'account_export%' order by id`
  ).map(({ action }) => action)

describe('a server that stops during a download', () => {
  for (const [signal, how, between] of [
    ['SIGTERM', 'slowly', () => pause(20)],
    ['SIGINT', 'not at all', (_: number, ended: Promise<unknown>) => ended],
  ] as const) {
    test(`by ${signal}, read ${how}: it stops in time, and the client can see that the file is incomplete`, async () => {
      const [before, files] = [await actions(), await readdir(folder.path)]
      const server = await serveOn()
      const taking = take(await download(server), bytes => between(bytes, server.ended))
      await pause(300)
      assert.equal((await leftOver()).locks, 1)
      await assertEnded(server, signal)
      await assertCutOff(taking)
      await waitUntil('no connection is left', async () => (await leftOver()).connections === 0)
      assert.equal((await leftOver()).locks, 0)
      assert.deepEqual(await actions(), [...before, 'account_export_started'])
      assert.deepEqual(await readdir(folder.path), files)
    })
  }

  test('while its statement waits for a lock: it stops in time as well', async () => {
    const server = await serveOn()
    const answer = await download(server)
    const other = openPool(database.target, { max: 1, name: 'test' })
    await other.begin(async held => {
      await held`lock table passport in access exclusive mode`
      const taking = take(answer, () => undefined)
      await waitUntil('it waits for the lock', async () => {
        const [row] = await stand.t.sql<{ n: number }[]>`
          select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and pid <> all (${ownPids})`
        return row?.n === 1
      })
      await assertEnded(server, 'SIGTERM')
      await assertCutOff(taking)
    })
    await other.end()
    await waitUntil('no connection is left', async () => (await leftOver()).connections === 0)
  })

  test('whose client reads fast enough: it waits, and the file is complete', async () => {
    const before = await actions()
    const first = await serveOn()
    const all = await take(await download(first), () => undefined)
    assert.deepEqual([all.isWhole, all.isComplete], [true, true])
    let isEnding: Promise<number> | undefined
    const rest = await take(await download(first), async bytes => {
      if (bytes < all.bytes * 0.7 || isEnding !== undefined) return
      isEnding = assertEnded(first, 'SIGTERM')
      await pause(500)
    })
    await isEnding
    assert.deepEqual([rest.isWhole, rest.isComplete, rest.bytes], [true, true, all.bytes])
    const twice = ['account_export_started', 'account_exported']
    assert.deepEqual(await actions(), [...before, ...twice, ...twice])
    await waitUntil('no connection is left', async () => (await leftOver()).connections === 0)
  })

  test('stops within a second although a reserved connection is in a transaction', async () => {
    const config = readConfig({
      DATABASE_URL: wire.target.url,
      SECRET_KEY: 'a key of tests, long enough to be one',
    })
    const store = await openStore(config, createLog(config), { name: 'carnet', isServer: true })
    const one = await store.openPoolOfOne().reserve()
    await one`begin`
    await one`select 1`
    await assertWithin(900, () => store.stop())
    await waitUntil('no connection is left', async () => (await leftOver()).connections === 0)
  })

  // Takes longer than a normal stop: a replaced process has eleven seconds.
  test('by SIGHUP, as one of several processes: the file is visibly incomplete, and the next one is complete', {
    skip: !IS_FULL && 'takes a quarter of a minute: with npm run test:full',
  }, async () => {
    const server = await serveOn({ WORKERS: '2', LOG_LEVEL: 'info' })
    const answer = await download(server)
    await once(answer, 'readable')
    server.child.kill('SIGHUP')
    await waitUntil('all replaced', () => /all processes are replaced/.test(server.said.stderr))
    assert.equal((await leftOver()).locks, 0)
    await assertCutOff(take(answer, () => undefined))
    const next = await take(await download(server), () => undefined)
    assert.deepEqual([next.isWhole, next.isComplete], [true, true])
    await assertEnded(server, 'SIGTERM')
  })
})
