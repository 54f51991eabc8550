/**
 * Tests that an operation uses a transaction like the pool, statement by statement, and that others see all
 * of it or nothing.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  explainDatabaseError,
  findRejectReason,
  openPool,
  type Sql,
  sqlState,
  withRetries,
} from '../../src/kernel/db/database.ts'
import { afterCommit, inTransaction } from '../../src/kernel/db/transaction.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'

let database: TestDatabase
let pool: Sql
let other: Sql
before(async () => {
  database = await cloneDatabase()
  pool = openPool(database.target, { max: 2 })
  other = openPool(database.target, { max: 2 })
  await pool`create table thing (name text primary key, n integer not null)`
})
// Uses the other pool: the first statement after a lost connection may fail.
beforeEach(() => other`truncate thing`)
after(async () => {
  await pool.end({ timeout: 1 })
  await other.end({ timeout: 1 })
  await database.drop()
})

const add = (sql: Sql, name: string) => sql`insert into thing values (${name}, 1)`
const bump = (sql: Sql, name: string) => sql`update thing set n = n + 1 where name = ${name}`
const refuse = (sql: Sql) => sql`select carnet_refuse('no')`
const names = async (sql: Sql = other) =>
  (await sql<{ name: string }[]>`select name from thing order by name`).map(row => row.name)

describe('a transaction', () => {
  test('commits as a whole, and nobody sees it before', async () => {
    const value = await inTransaction(pool, async sql => {
      await add(sql, 'a')
      assert.deepEqual(await names(), [])
      assert.deepEqual(await names(sql), ['a'])
      await add(sql, 'b')
      return 7
    })
    assert.equal(value, 7)
    assert.deepEqual(await names(), ['a', 'b'])
  })

  test('rolls back as a whole when an error is thrown', async () => {
    await assert.rejects(
      inTransaction(pool, async sql => {
        await add(sql, 'a')
        throw new Error('no more')
      }),
      /no more/,
    )
    assert.deepEqual(await names(), [])
  })

  test('continues after a statement that failed and was caught', async () => {
    await inTransaction(pool, async sql => {
      await add(sql, 'a')
      const error = await refuse(sql).catch(reason => reason)
      assert.equal(findRejectReason(error), 'no')
      await assert.rejects(add(sql, 'a'), { code: '23505' })
      await add(sql, 'b')
    })
    assert.deepEqual(await names(), ['a', 'b'])
  })

  test('has nested savepoints that can be rolled back alone', async () => {
    await inTransaction(pool, async sql => {
      await add(sql, 'a')
      await assert.rejects(
        inTransaction(sql, async part => {
          await add(part, 'b')
          await inTransaction(part, inner => add(inner, 'c'))
          await assert.rejects(refuse(part))
          throw new Error('not this part')
        }),
        /not this part/,
      )
      await sql.begin(part => add(part as unknown as Sql, 'd'))
    })
    assert.deepEqual(await names(), ['a', 'd'])
  })

  test('rolls back a savepoint in which a statement failed, although the error was caught, like a transaction on the pool', async () => {
    await inTransaction(pool, async sql => {
      const work = inTransaction(sql, async part => {
        await add(part, 'a')
        await assert.rejects(refuse(part))
        await assert.rejects(add(part, 'b'))
      })
      assert.equal(findRejectReason(await work.catch(error => error)), 'no')
      await add(sql, 'c')
    })
    assert.deepEqual(await names(), ['c'])
  })

  test('releases the locks of a savepoint that is rolled back, also for transactions already waiting', async () => {
    await add(pool, 'a')
    await inTransaction(pool, async sql => {
      const waiting = Promise.withResolvers<void>()
      const work = inTransaction(sql, async part => {
        await bump(part, 'a')
        await part`select 1`
        bump(other, 'a').then(() => waiting.resolve(), waiting.reject)
        while (
          (
            await part`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
          ).length === 0
        ) {}
        await part`select 1`
        throw new Error('not this part')
      })
      await assert.rejects(work, /not this part/)
      await waiting.promise
    })
    const [row] = await other`select n from thing`
    assert.equal(row?.n, 2)
  })

  test('runs concurrent statements one after another; one that fails does not affect the others', async () => {
    const outcomes = await inTransaction(pool, sql =>
      Promise.allSettled(
        Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? refuse(sql) : add(sql, `n${100 + i}`))),
      ),
    )
    assert.equal(outcomes.filter(one => one.status === 'rejected').length, 20)
    assert.equal((await names()).length, 40)
  })

  test('accepts fragments, names and lists like the pool', async () => {
    await inTransaction(pool, async sql => {
      const where = sql`where ${sql('name')} = any(${['a', 'b']}::text[])`
      await sql`insert into thing select * from jsonb_to_recordset(${JSON.stringify([{ name: 'a', n: 3 }])}::text::jsonb) as r(name text, n int)`
      const [row] = await sql<{ n: number }[]>`select n from thing ${where}`
      assert.equal(row?.n, 3)
    })
  })

  test('runs afterCommit callbacks after a commit and not after a rollback', async () => {
    const told: string[] = []
    await inTransaction(pool, async sql => {
      await add(sql, 'a')
      afterCommit(sql, to => {
        assert.equal(to, pool)
        told.push('kept')
      })
      assert.deepEqual(told, [])
    })
    const failed = inTransaction(pool, async sql => {
      afterCommit(sql, () => told.push('never'))
      await refuse(sql)
    })
    await assert.rejects(failed)
    afterCommit(pool, () => told.push('at once'))
    assert.deepEqual(told, ['kept', 'at once'])
  })

  test('sends its last statement together with the commit; if that statement fails, nothing is stored', async () => {
    await inTransaction(
      pool,
      async () => 'b',
      (sql, name) => add(sql, name),
    )
    assert.deepEqual(await names(), ['b'])
    const failed = inTransaction(
      pool,
      sql => add(sql, 'c'),
      sql => add(sql, 'b'),
    )
    await assert.rejects(failed, { code: '23505' })
    assert.deepEqual(await names(), ['b'])
  })

  test('that the database ended after its last statement is unavailable, and stores nothing', async () => {
    // As on a cluster that has lost a node since: the savepoint of this statement cannot be released.
    const begun = inTransaction(pool, async sql => {
      await add(sql, 'a')
      await sql`release savepoint s`
    })
    const error = await begun.catch(reason => reason)
    assert.equal(sqlState(error), '3B001')
    assert.equal(explainDatabaseError(error)?.code, 'unavailable')
    assert.deepEqual(await names(), [])
  })

  test('rejects statements after its end', async () => {
    let late: Sql | undefined
    await inTransaction(pool, async sql => {
      late = sql
      await add(sql, 'a')
    })
    assert.ok(late)
    await assert.rejects(add(late, 'b'), /has ended/)
    assert.deepEqual(await names(), ['a'])
  })

  test('returns its connection, a thousand times, however it ends', async () => {
    for (let i = 0; i < 1_000; i += 4) {
      await Promise.allSettled([
        inTransaction(pool, sql => add(sql, `x${i}`)),
        inTransaction(pool, sql => refuse(sql)),
        inTransaction(pool, async () => undefined),
        inTransaction(pool, sql => refuse(sql).catch(() => undefined)),
      ])
    }
    assert.equal((await names(pool)).length, 250)
  })

  test('is retried from the beginning when it loses a deadlock', async () => {
    await Promise.all([add(pool, 'a'), add(pool, 'b')])
    let attempts = 0
    const both = Promise.withResolvers<void>()
    const swap = (first: string, second: string) =>
      withRetries(() =>
        inTransaction(pool, async sql => {
          await bump(sql, first)
          if (++attempts === 2) both.resolve()
          await both.promise
          await withRetries(() => bump(sql, second))
        }),
      )
    await Promise.all([swap('a', 'b'), swap('b', 'a')])
    // On a busy machine the transactions may collide again.
    assert.ok(attempts >= 3 && attempts <= 6, `${attempts} attempts`)
    const rows = await other`select n from thing`
    assert.deepEqual(
      rows.map(row => row.n),
      [3, 3],
    )
  })
})

describe('a migration that invalidates prepared statements', () => {
  const SIZE = 4
  let old: Sql
  /** Each connection of the pool prepares a statement whose columns then change. */
  before(async () => {
    old = openPool(database.target, { max: SIZE })
    const all = Promise.withResolvers<void>()
    let count = 0
    const prepare = () =>
      inTransaction(old, async sql => {
        await sql`select * from thing`
        if (++count === SIZE) all.resolve()
        await all.promise
      })
    await Promise.all(Array.from({ length: SIZE }, prepare))
    await other`alter table thing add column extra integer`
  })
  after(async () => {
    await old.end({ timeout: 1 })
    await other`alter table thing drop column extra`
  })

  test('a transaction is retried, on every open connection, and stores its writes once', async () => {
    let attempts = 0
    const rows = await withRetries(() =>
      inTransaction(old, async sql => {
        attempts++
        await sql`insert into thing (name, n) values ('a', 1)`
        return withRetries(() => sql`select * from thing`)
      }),
    )
    assert.deepEqual([...rows], [{ name: 'a', n: 1, extra: null }])
    assert.ok(attempts > 1, `${attempts} attempts`)
    assert.deepEqual(await names(), ['a'])
  })

  test('without retries a transaction fails with `unavailable`, and stores nothing', async () => {
    const outcomes = []
    for (let i = 0; i < SIZE; i++) {
      outcomes.push(
        await inTransaction(old, async sql => {
          await sql`insert into thing (name, n) values (${`b${i}`}, 1)`
          return sql`select * from thing`
        }).catch(error => error),
      )
    }
    const failed = outcomes.filter(outcome => outcome instanceof Error)
    for (const error of failed) assert.equal(explainDatabaseError(error)?.code, 'unavailable', String(error))
    assert.equal((await names()).length, SIZE - failed.length)
    assert.ok(failed.length < SIZE, 'each connection says so once')
  })

  test('statements on the pool are not affected', async () => {
    await Promise.all(Array.from({ length: 2 * SIZE }, () => old`select * from thing`))
  })
})

describe('a connection lost during a transaction', () => {
  const pidOf = async (sql: Sql) => (await sql`select pg_backend_pid() as pid`)[0]?.pid as number
  const end = (pid: number) => other`select pg_terminate_backend(${pid})`
  const gone = (error: unknown) => {
    assert.match(sqlState(error) ?? '', /^(CONNECTION_|57P|ECONN|EPIPE)/)
    return true
  }

  test('between two statements: the second is not sent, and nothing is stored', async () => {
    for (let i = 0; i < 5; i++) {
      const work = inTransaction(pool, async sql => {
        await add(sql, 'a')
        const pid = await pidOf(sql)
        await end(pid)
        while ((await other`select 1 from pg_stat_activity where pid = ${pid}`).length > 0) {}
        await add(sql, 'b').catch(() => undefined)
        await add(sql, 'c').catch(() => undefined)
      })
      await assert.rejects(work, gone)
    }
    assert.deepEqual(await names(), [])
  })

  test('during a statement: nothing is stored', async () => {
    for (let i = 0; i < 5; i++) {
      const work = inTransaction(pool, async sql => {
        const pid = await pidOf(sql)
        const asleep = sql`insert into thing select 'x', 1 from pg_sleep(20)`
        const started = asleep.catch(error => error)
        while (
          (await other`select 1 from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`)
            .length === 0
        ) {}
        await end(pid)
        const error = await started
        gone(error)
        await assert.rejects(add(sql, 'y'), gone)
      })
      await assert.rejects(work, gone)
    }
    assert.deepEqual(await names(), [])
  })
})
