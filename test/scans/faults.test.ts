/**
 * Tests a database that stalls, disconnects or loses a response: no reader has to wait, and no count is
 * doubled.
 */
import assert from 'node:assert/strict'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { after, afterEach, before, describe, test } from 'node:test'
import { createAccount } from '../../src/accounts/account/accounts.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { createLog } from '../../src/kernel/errors/log.ts'
import { createScanRecorder, type ScanRecorder } from '../../src/scans/recorder.ts'
import { setScanSettings } from '../../src/scans/settings.ts'
import { cloneDatabase, type Target, type TestDatabase } from '../database.ts'
import { assertWithin } from '../waiting.ts'
import { addressOf } from './plan.ts'

/** A connection to the database that can be paused, or cut after the database has received a word. */
type Wire = {
  target: Target
  hold: () => void
  release: () => void
  /** Ends all open connections. */
  drop: () => void
  cutAfter: (word: string) => void
  close: () => void
}

const PASSPORT = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  account_id: 1,
  category: 'textile',
  level: 'm' as const,
  model_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  parent_id: null,
}

let database: TestDatabase
let direct: Sql
let wire: Wire
let pool: Sql
let recorder: ScanRecorder
let now = Date.parse('2026-11-21T12:00:00Z')
const clock = { now: () => new Date(now) }
const OFF = 2

before(async () => {
  database = await cloneDatabase()
  for (const plan of ['beta', 'beta']) {
    const sql = openPool(database.target, { max: 1, isDistributed: database.isDistributed === true })
    await createAccount({ sql, clock }, { name: 'Test', plan })
    await sql.end()
  }
  direct = openPool(database.target, { max: 1, isDistributed: database.isDistributed === true })
  wire = await openWire(database.target)
  pool = openPool(wire.target, { max: 2, isDistributed: database.isDistributed === true })
  const log = createLog({ logLevel: 'warn', logFormat: 'json' })
  recorder = createScanRecorder({ sql: pool, clock, log, geoMmdbPath: undefined })
  note()
  await recorder.flush()
})
afterEach(() => wire.release())
after(async () => {
  await pool.end({ timeout: 1 })
  wire.close()
  await direct.end()
  await database.drop()
})

let readers = 0
let noted = 0
function note(scans = 1): void {
  for (let i = 0; i < scans; i++) {
    recorder.record(PASSPORT, { address: addressOf(++readers), userAgent: 'x' }, clock.now())
  }
  noted += scans
}

/**
 * A connection with a prepared statement does not send its text again, so the cut word would never be found.
 */
async function newConnections(): Promise<void> {
  wire.drop()
  for (let tries = 0; ; tries++) {
    try {
      await pool`select 1`
      return
    } catch (error) {
      if (tries === 20) throw error
    }
  }
}

/** The sums in all three kinds of tables. */
async function written(): Promise<number[]> {
  const [row] = await direct<
    { total: number; days: number; uniques: number; spans: number; visitors: number }[]
  >`
    select (select coalesce(sum(scans), 0)::int from scan_total) as total,
      (select coalesce(sum(scans), 0)::int from scan_day) as days,
      (select coalesce(sum(uniques), 0)::int from scan_day) as uniques,
      (select coalesce(sum(scans), 0)::int from scan_account_span where days = 1) as spans,
      (select count(*)::int from scan_visitor) as visitors`
  return Object.values(row ?? {})
}
const allAre = (n: number) => [n, n, n, n, n]

describe('the database', () => {
  test('stalls: recording returns at once, and the scans are written later', async () => {
    note(10)
    wire.hold()
    const flushing = recorder.flush()
    await assertWithin(5_000, () => note(1_000))
    const second = recorder.flush()
    note(5)
    wire.release()
    await Promise.all([flushing, second])
    await recorder.flush()
    assert.deepEqual(await written(), allAre(noted))
  })

  test('loses the connection during the commit: the batch is written once', async () => {
    for (let round = 0; round < 3; round++) {
      note(7)
      await newConnections()
      wire.cutAfter('commit')
      await assert.rejects(recorder.flush())
      note(3)
      await recorder.flush()
      assert.deepEqual(await written(), allAre(noted))
    }
  })

  test('loses the connection during a batch: the whole batch is written later', async () => {
    for (const word of ['scan_visitor', 'scan_day', 'scan_total', 'scan_account_span']) {
      note(7)
      await newConnections()
      wire.cutAfter(word)
      await assert.rejects(recorder.flush(), word)
      await recorder.flush()
      assert.deepEqual(await written(), allAre(noted), word)
    }
  })

  test('is unavailable for long: a limited number of scans waits, the rest is dropped and logged', async () => {
    // These scans need little from the database: once it responds, it reports that counting is off for the
    // account.
    await setScanSettings({ sql: direct, clock }, { accountId: OFF, on: false })
    now += 3_000
    for (let i = 0; i < 100_500; i++) {
      const reader = { address: `2001:db8:1::${i.toString(16)}`, userAgent: 'x' }
      recorder.record({ ...PASSPORT, account_id: OFF }, reader, clock.now())
    }
    assert.equal(recorder.dropped(), 500)
    note(1)
    assert.equal(recorder.dropped(), 501)
    noted -= 1
    await recorder.flush()
    note(1)
    await recorder.flush()
    assert.deepEqual(await written(), allAre(noted))
  })

  test('refuses a batch permanently: it is dropped, and the next one is written', async () => {
    recorder.record({ ...PASSPORT, id: 'no uuid' }, { address: '192.0.2.1', userAgent: 'x' }, clock.now())
    await recorder.flush()
    assert.equal(recorder.dropped(), 502)
    note(2)
    await recorder.flush()
    assert.deepEqual(await written(), allAre(noted))
  })
})

/** Connects over TCP or a socket file, like the database's target. */
function dial(target: Target): Socket {
  if (!('url' in target)) return connect(`${target.socketDir}/.s.PGSQL.${target.port}`)
  const { hostname, port } = new URL(target.url)
  return connect(Number(port || 5432), hostname)
}

async function openWire(target: Target): Promise<Wire> {
  const ends = new Set<Socket>()
  let isHeld = false
  let cutWord: string | undefined
  const server: Server = createServer(near => {
    const far = dial(target)
    let isCut = false
    for (const end of [near, far]) {
      ends.add(end)
      end.on('error', () => end.destroy())
      end.on('close', () => {
        ends.delete(end)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', chunk => {
      if (cutWord !== undefined && chunk.includes(cutWord)) {
        cutWord = undefined
        isCut = true
      }
      far.write(chunk)
    })
    far.on('data', chunk => {
      // The database's response to the received word never arrives.
      if (isCut) near.destroy()
      else near.write(chunk)
    })
    if (isHeld) far.pause()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const url = new URL('url' in target ? target.url : `postgres://${target.user}@127.0.0.1/${target.database}`)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    target: { url: url.href },
    hold() {
      isHeld = true
      for (const end of ends) end.pause()
    },
    release() {
      isHeld = false
      for (const end of ends) end.resume()
    },
    drop() {
      for (const end of ends) end.destroy()
    },
    cutAfter(word) {
      cutWord = word
    },
    close() {
      for (const end of ends) end.destroy()
      server.close()
    },
  }
}
