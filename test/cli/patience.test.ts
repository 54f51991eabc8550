/** A machine that starts brings up its database and Carnet in any order. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { type OpenOptions, openStore } from '../../src/cli/store.ts'
import { readConfig } from '../../src/kernel/config.ts'
import { emptyDatabase, type TestDatabase } from '../database.ts'
import { type Forwarder, startForwarder } from '../forwarder.ts'

describe('a database that is not there yet', () => {
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
    await wire.cut()
    await database.drop()
  })

  const open = (url: string, options: Partial<OpenOptions> = {}) =>
    openStore(readConfig({ DATABASE_URL: url, SECRET_KEY: 'k'.repeat(32) }), log, {
      name: 'test',
      ...options,
    })

  test('is waited for by a server, which says so once, and migrated when it comes', async () => {
    const opening = open(wire.target.url, { patient: true, serves: true })
    await pause(1_500)
    await wire.mend()
    const store = await opening
    assert.deepEqual(await store.pending(), [])
    await store.stop()
    assert.equal(said.length, 1)
    assert.match(
      said[0] ?? '',
      /^the database at 127\.0\.0\.1:\d+\/\S+ does not answer yet; it is waited for$/,
    )
  })

  test('is refused by a command at once; what refuses us is waited for by nobody', async () => {
    const stranger = new URL(wire.target.url)
    stranger.pathname = '/there_is_no_such_database'
    for (const patient of [true, false]) {
      await assert.rejects(open(stranger.href, { patient }), /cannot be used: .*does not exist/)
    }
    await wire.cut()
    const began = performance.now()
    await assert.rejects(open(wire.target.url), /\(DATABASE_URL\) cannot be used: .*ECONNREFUSED/)
    assert.ok(performance.now() - began < 5_000)
  })
})
