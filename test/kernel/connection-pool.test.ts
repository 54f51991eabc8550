/**
 * Tests what the pool guarantees beyond the driver: no statement waits behind another, waits forever, or gets
 * another's error.
 */
import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { getPoolUsage } from '../../src/kernel/db/connection-pool.ts'
import type { FinishedStatement } from '../../src/kernel/db/connections.ts'
import {
  explainDatabaseError,
  findDatabaseState,
  openPool,
  type Sql,
  sqlState,
} from '../../src/kernel/db/database.ts'
import { PoolQueue } from '../../src/kernel/db/pool-queue.ts'
import { inTransaction } from '../../src/kernel/db/transaction.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { assertWithin } from '../waiting.ts'

const SIZE = 2
let database: TestDatabase
let pool: Sql
let other: Sql
let heard: FinishedStatement[] = []
before(async () => {
  database = await cloneDatabase()
  pool = openPool(database.target, {
    max: SIZE,
    name: 'watched',
    onStatementEnd: statement => heard.push(statement),
  })
  other = openPool(database.target, { max: 1 })
  await pool`create table thing (name text primary key)`
})
beforeEach(() => {
  heard = []
})
after(async () => {
  await pool.end({ timeout: 1 })
  await other.end({ timeout: 1 })
  await database.drop()
})

const killAll = () =>
  other`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'watched' and datname = current_database()`

/** Waits until `count` connections of the pool run a statement. */
async function untilAtWork(count: number): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const [row] = await other<{ n: number }[]>`select count(*) as n from pg_stat_activity
      where application_name = 'watched' and datname = current_database() and state = 'active'`
    if (row?.n === count) return
    await pause(10)
  }
  assert.fail('no statement is under way')
}

async function untilIdle(): Promise<void> {
  for (let tries = 0; tries < 500 && getPoolUsage(pool).busy > 0; tries++) await pause(10)
  assert.deepEqual(getPoolUsage(pool), { size: SIZE, busy: 0, waiting: 0 })
}

describe('a transaction whose connection is lost', () => {
  test('sends nothing more, whether it goes on, fails later or ends', async () => {
    const after: ((tx: Sql) => unknown)[] = [
      async tx => assert.rejects(tx`select 1`, { code: 'CONNECTION_CLOSED' }),
      () => {
        throw new Error('it failed for a reason of its own')
      },
      () => 'done',
    ]
    for (const next of after) {
      const lost = pool.begin(async tx => {
        await tx`select 1`
        await killAll()
        await pause(50)
        return next(tx as unknown as Sql)
      })
      await assert.rejects(lost, ({ code }) => /^(CONNECTION_CLOSED|ECONNRESET|57P01)$/.test(code))
      await untilIdle()
    }
  })
})

describe('the queue of the pool', () => {
  test('a statement uses the connection that is free first and does not wait behind a slow one', async () => {
    await other`begin`
    await other`lock table thing in access exclusive mode`
    const blocked = pool`select count(*) from thing`.then(() => 'blocked')
    const quick = [1, 2, 3, 4, 5].map(n => pool`select ${n}::int as n`)
    const first = await Promise.race([blocked, Promise.all(quick).then(() => 'quick')])
    assert.equal(first, 'quick')
    await other`commit`
    assert.equal(await blocked, 'blocked')
    await untilIdle()
  })

  test('a statement that waits over five seconds fails with `unavailable`', async () => {
    const queue = new PoolQueue(1)
    queue.enter({ go() {}, giveUp: assert.fail })
    const reason = await new Promise<Error>(resolve => queue.enter({ go: assert.fail, giveUp: resolve }))
    assert.equal(explainDatabaseError(reason)?.code, 'unavailable')
    assert.deepEqual(queue.usage(), { size: 1, busy: 1, waiting: 0 })
    queue.close()
  })

  test('a transaction of ours or of the driver returns its connection after commit or rollback', async () => {
    await inTransaction(pool, sql => sql`insert into thing values ('a')`)
    await assert.rejects(inTransaction(pool, sql => sql`insert into thing values ('a')`))
    await pool.begin(sql => sql`insert into thing values ('b')`)
    await assert.rejects(pool.begin(sql => sql`insert into thing values ('b')`))
    const one = await pool.reserve()
    await one`select 1`
    assert.equal(getPoolUsage(pool).busy, 1)
    one.release()
    await untilIdle()
  })

  test('more concurrent transactions than connections all finish', async () => {
    const all = Array.from({ length: 20 }, (_, n) =>
      inTransaction(pool, async sql => {
        await sql`insert into thing values (${`many ${n}`})`
        return n
      }),
    )
    assert.equal((await Promise.all(all)).length, 20)
    await untilIdle()
  })
})

describe('a lost connection', () => {
  for (const round of [1, 2, 3]) {
    test(`its statements fail, the next ones succeed: round ${round}`, async () => {
      const lost = Promise.allSettled([pool`select pg_sleep(30)`, pool`select pg_sleep(30)`])
      await untilAtWork(SIZE)
      await killAll()
      for (const outcome of await lost) {
        assert.ok(outcome.status === 'rejected')
        assert.equal(
          explainDatabaseError(outcome.reason)?.code,
          'unavailable',
          String(sqlState(outcome.reason)),
        )
      }
      const next = await Promise.all([1, 2, 3, 4].map(n => pool<{ n: number }[]>`select ${n}::int as n`))
      assert.deepEqual(
        next.map(([row]) => row?.n),
        [1, 2, 3, 4],
      )
      await untilIdle()
    })
  }

  test('the next transaction and the next reserved connection work', async () => {
    const lost = Promise.allSettled([pool`select pg_sleep(30)`, pool`select pg_sleep(30)`])
    await untilAtWork(SIZE)
    await killAll()
    await lost
    await inTransaction(pool, sql => sql`select 1`)
    const one = await pool.reserve()
    await one`select 1`
    one.release()
    await untilIdle()
  })

  test('a connection lost while connecting causes no unhandled rejection', async () => {
    const rejections: unknown[] = []
    const hear = (reason: unknown) => rejections.push(reason)
    process.on('unhandledRejection', hear)
    try {
      for (let round = 0; round < 25; round++) {
        const load = Promise.allSettled([1, 2, 3, 4].map(n => pool`select ${n}::int`))
        await killAll()
        for (const outcome of await load) {
          // After 15 s the pool gives up a statement that the driver has forgotten.
          if (outcome.status === 'rejected') assert.notEqual(sqlState(outcome.reason), 'CONNECTION_SILENT')
        }
      }
      await untilIdle()
    } finally {
      process.off('unhandledRejection', hear)
    }
    assert.deepEqual(rejections, [])
  })

  test('after a statement sent while its connection closes, the pool connects again', async context => {
    // The driver clears the timer of its next write but keeps the reference, so it never writes on that
    // connection again.
    const single = openPool(database.target, { max: 1, name: 'single' })
    await single`select 1`
    const destroy = Socket.prototype._destroy
    const outcome = new Promise<unknown>(resolve => {
      const sendInBetween = function (this: Socket, ...args: Parameters<typeof destroy>) {
        // A socket emits `close` after the immediates of this turn of the event loop.
        setImmediate(() => single`select 1`.then(resolve, error => resolve(sqlState(error))))
        destroy.apply(this, args)
      }
      context.mock.method(Socket.prototype, '_destroy', sendInBetween)
    })
    await other`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'single'`
    assert.equal(await outcome, 'CONNECTION_CLOSED')
    context.mock.restoreAll()
    await assertWithin(5_000, () => single`select 1`)
    await single.end({ timeout: 1 })
  })

  test('a statement on an ended pool is rejected without a pause', async () => {
    const single = openPool(database.target, { max: 1 })
    await single`select 1`
    await single.end({ timeout: 1 })
    await assert.rejects(single`select 1`)
    // A pause, as after a lost connection, would also keep the process running.
    for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
    assert.deepEqual(getPoolUsage(single), { size: 1, busy: 0, waiting: 0 })
  })

  test('an interrupted transaction returns its connection', async () => {
    await assert.rejects(
      inTransaction(pool, async sql => {
        await sql`insert into thing values ('cut')`
        await killAll()
        await sql`select 1`
      }),
    )
    await untilIdle()
    assert.deepEqual([...(await pool`select name from thing where name = 'cut'`)], [])
  })
})

describe('after a statement that failed within its result, the next on its connection gets its own rows', () => {
  let single: Sql
  before(() => {
    single = openPool(database.target, { max: 1, name: 'single' })
  })
  after(() => single.end({ timeout: 1 }))

  const five = (on: Sql) => on`select 10 / (6 - i) as n from generate_series(1, 10) i`
  const slow = (on: Sql) =>
    on`select i, case when i = 10 then pg_sleep(20)::text end from generate_series(1, 10) i, lateral (select repeat('x', 9000)) x`
  const two = async (on: Sql) => {
    const rows = await on<{ n: number }[]>`select n from (values (1), (2)) as v(n)`
    assert.deepEqual([...rows], [{ n: 1 }, { n: 2 }])
    assert.equal(rows.count, 2)
    const [first] = await on`select 7 as n`
    assert.deepEqual(first, { n: 7 })
  }

  test('after an error', async () => {
    await assert.rejects(five(single), { code: '22012' })
    await two(single)
    await assert.rejects(five(single), { code: '22012' })
    assert.equal((await single`select 1 as n where false`).length, 0)
    await two(single)
  })

  test('in a transaction, and on a reserved connection', async () => {
    await assert.rejects(five(single), { code: '22012' })
    await single.begin(tx => two(tx as unknown as Sql))
    await assert.rejects(five(single), { code: '22012' })
    await inTransaction(single, tx => two(tx))
    const reserved = await single.reserve()
    await assert.rejects(five(reserved), { code: '22012' })
    await two(reserved)
    reserved.release()
  })

  test('after a statement timeout', async () => {
    await single`set statement_timeout = 200`
    await assert.rejects(slow(single), { code: '57014' })
    await two(single)
    await single`set statement_timeout = 0`
  })

  test('after its connection was closed', async () => {
    const ended = assert.rejects(slow(single))
    for (let killed = 0; killed === 0; await pause(20)) {
      killed = (
        await other`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'single' and datname = current_database() and wait_event = 'PgSleep'`
      ).length
    }
    await ended
    await two(single)
  })
})

describe('a reserved connection', () => {
  test('is available from a pool without open connections, and from one with some', async () => {
    const cold = openPool(database.target, { max: 3, name: 'cold' })
    const all = await Promise.all([cold.reserve(), cold.reserve(), cold.reserve()])
    const pids = await Promise.all(
      all.map(async one => (await one<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid),
    )
    assert.equal(new Set(pids).size, 3)
    for (const one of all) one.release()
    const again = await cold.reserve()
    assert.ok(pids.includes((await again<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid))
    again.release()
    await cold.end({ timeout: 1 })
  })

  test('is available while others run statements', async () => {
    for (let round = 0; round < 20; round++) {
      const load = Promise.allSettled([1, 2, 3, 4, 5, 6].map(n => pool`select ${n}::int`))
      const [first, second] = await Promise.all([pool.reserve(), pool.reserve()])
      first.release()
      second.release()
      await load
    }
    await untilIdle()
    assert.equal((await pool`select 1 as n`)[0]?.n, 1)
  })
})

describe('no session compiles its statements with JIT', () => {
  for (const forQueue of [false, true]) {
    test(forQueue ? 'for queues' : 'for requests', async () => {
      const one = openPool(database.target, { max: 1, forQueue })
      const [row] = await one`select setting, source from pg_settings where name = 'jit'`
      assert.deepEqual(row, { setting: 'off', source: 'client' })
      await one.end({ timeout: 1 })
    })
  }
})

test('reports the database as unreachable if the process cannot open more files', () => {
  const error = Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' })
  assert.equal(explainDatabaseError(error)?.code, 'unavailable')
  assert.equal(explainDatabaseError(error)?.retryAfterMs, 2_000)
})

describe('a database that is read-only for a while', () => {
  const setReadOnly = async (how: 'set' | 'reset') => {
    const [row] = await other`select quote_ident(current_database()) as name`
    const value = how === 'set' ? '= on' : ''
    await other.unsafe(`alter database ${row?.name} ${how} default_transaction_read_only ${value}`)
  }
  const write = () => pool`insert into thing values (gen_random_uuid()::text)`

  test('is distinguished from an unavailable one, and the same pool writes to it again afterwards', async () => {
    assert.equal(await findDatabaseState(pool), 'writable')
    await setReadOnly('set')
    await killAll()
    let refused: unknown
    await untilSo(async () => {
      refused = await write().catch(error => error)
      return sqlState(refused) === '25006'
    })
    assert.match(explainDatabaseError(refused)?.message ?? '', /can be read but not written to/)
    await untilIdle()
    assert.equal(await findDatabaseState(pool), 'read-only')
    await setReadOnly('reset')
    // The sessions are still read-only. A status check or a failed write replaces them in time.
    await untilSo(async () => (await findDatabaseState(pool)) === 'writable')
    await untilSo(async () => {
      const all = await Promise.allSettled([write(), write(), write(), write()])
      return all.every(({ status }) => status === 'fulfilled')
    })
  })

  async function untilSo(isSo: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      if (await isSo()) return
      await pause(20)
    }
    assert.fail('it never was')
  }
})

describe('a listener for statements', () => {
  test('gets their text without parameter values; fragments do not count as statements', async () => {
    const piece = pool`name = ${'secret'}`
    await pool`select count(*) from thing where ${piece}`
    await inTransaction(pool, sql => sql`delete from thing where name = ${'secret'}`)
    await assert.rejects(pool`select ${'x'}::int`)
    assert.ok(heard.every(({ ms }) => ms >= 0 && ms < 10_000))
    const texts = heard.map(({ text }) => text)
    assert.ok(texts.includes('select count(*) from thing where name = $1'), texts.join('\n'))
    assert.ok(texts.includes('delete from thing where name = $1'))
    assert.ok(!texts.join(' ').includes('secret'))
    assert.deepEqual(
      heard.filter(({ failed }) => failed).map(({ text }) => text),
      ['select $1::int'],
    )
  })
})
