/** Tests a pool whose URL names several hosts, and one that moves to another host while it works. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { getPoolUsage } from '../../src/kernel/db/connection-pool.ts'
import { isDisconnection, movePool, openPool, type Sql } from '../../src/kernel/db/database.ts'
import { findDatabaseTls } from '../../src/kernel/db/database-tls.ts'
import { replaceHosts, splitHosts } from '../../src/kernel/db/database-url.ts'
import { inTransaction } from '../../src/kernel/db/transaction.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { type Forwarder, startForwarder } from '../forwarder.ts'
import { problemsOf } from './problems-of.ts'

describe('a database URL with several hosts', () => {
  const URL_OF_THREE = 'postgres://u:p%2C@one:5600,two,[::1]:5602/carnet?sslmode=disable'

  test('is a URL for each host', () => {
    assert.deepEqual(splitHosts(URL_OF_THREE), [
      'postgres://u:p%2C@one:5600/carnet?sslmode=disable',
      'postgres://u:p%2C@two/carnet?sslmode=disable',
      'postgres://u:p%2C@[::1]:5602/carnet?sslmode=disable',
    ])
  })

  test('keeps user, password and options for another node', () => {
    assert.equal(
      replaceHosts(URL_OF_THREE, 'db.example:5433'),
      'postgres://u:p%2C@db.example:5433/carnet?sslmode=disable',
    )
  })

  test('uses TLS if one of them is another machine', () => {
    assert.equal(findDatabaseTls('postgres://u@localhost,127.0.0.1:5433/carnet').mode, 'disable')
    assert.equal(findDatabaseTls('postgres://u@localhost,db.example/carnet').mode, 'require')
  })

  test('is a setting that is accepted, and a wrong port in it is not', () => {
    const read = (DATABASE_URL: string) =>
      problemsOf({ DATABASE_URL, SECRET_KEY: 'a key of tests, long enough to be one' }).join()
    assert.equal(read(URL_OF_THREE), '')
    assert.match(read('postgres://u@one:5600,two:x/carnet'), /DATABASE_URL cannot be read/)
  })
})

describe('a pool of several hosts', () => {
  let database: TestDatabase
  let first: Forwarder
  let second: Forwarder
  let pool: Sql
  before(async () => {
    database = await cloneDatabase()
    first = await startForwarder(database.target)
    second = await startForwarder(database.target)
  })
  after(async () => {
    await first.cut()
    await second.cut()
    await database.drop()
  })
  beforeEach(() => {
    pool = openPool({ url: nameBoth() }, { max: 2 })
  })
  afterEach(async () => {
    await pool.end({ timeout: 1 })
    await first.mend()
    await second.mend()
  })

  const nameBoth = () => first.target.url.replace(/:\d+\//, `:${first.port},127.0.0.1:${second.port}/`)
  const work = () =>
    Promise.all([
      pool`select 1`,
      inTransaction(pool, sql => sql`select 1`),
      pool.reserve().then(one => one.release()),
    ])

  test('uses another one, without a failed statement, if one accepts no connection', async () => {
    await first.cut()
    await work()
    await first.mend()
    await second.cut()
    await work()
  })

  test('loses only what is under way when a host is lost', async () => {
    const connections = ['a', 'b'].map(() => pool`select pg_sleep(0.1)`)
    await Promise.all(connections)
    const slow = pool`select pg_sleep(30)`.catch((error: unknown) => error)
    await pool`select 1`
    await first.cut()
    assert.ok(isDisconnection(await slow))
    await work()
  })

  test('fails if no host can be reached, and works again afterwards', async () => {
    await first.cut()
    await second.cut()
    await assert.rejects(work(), isDisconnection)
    await first.mend()
    await pool`select 1`
  })

  test('moves to another host: what is under way ends where it began', async () => {
    await pool`select 1`
    const moved = inTransaction(pool, async sql => {
      await sql`create temporary table here (n integer) on commit drop`
      movePool(pool, second.target)
      assert.equal((await pool`select 1 as n`).length, 1)
      return sql`select from here`
    })
    assert.equal((await moved).length, 0)
    await first.cut()
    for (let n = 0; n < 4; n++) await work()
    assert.equal(getPoolUsage(pool).busy, 0)
  })
})
