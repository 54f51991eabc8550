import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type postgres from 'postgres'
import { listPendingMigrations, migrate } from '../../src/kernel/db/migrate.ts'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { connect, emptyDatabase, type TestDatabase } from '../database.ts'

const NOW = new Date('2026-11-21T10:00:00Z')
const ONE = 'create table one (n integer);\ninsert into one values (1);\n'
const TWO = 'create table two (n integer);\n'

let database: TestDatabase
let sql: postgres.Sql
let dir: string

const write = (name: string, text: string) => writeFileSync(join(dir, name), text)
const tables = async () => {
  const rows = await sql<
    { name: string }[]
  >`select tablename as name from pg_tables where schemaname = 'public'`
  return rows.map(row => row.name).sort()
}
const saying =
  (...words: RegExp[]) =>
  (error: unknown) => {
    assert.ok(error instanceof AppError, String(error))
    for (const word of words) assert.match(error.message, word)
    return true
  }

describe('migrate', () => {
  before(async () => {
    database = await emptyDatabase()
    sql = connect(database.target)
  })
  after(async () => {
    await sql.end()
    await database.drop()
  })
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'carnet-migrations-'))
    write('0001_one.sql', ONE)
    write('0002_two.sql', TWO)
  })
  afterEach(async () => {
    rmSync(dir, { recursive: true })
    await sql.unsafe('drop schema public cascade; create schema public').simple()
  })

  test('applies each file once, in order', async () => {
    assert.deepEqual(await listPendingMigrations(sql, dir), ['0001_one.sql', '0002_two.sql'])
    assert.deepEqual(await migrate(sql, dir, NOW), { applied: ['0001_one.sql', '0002_two.sql'], version: 2 })
    assert.deepEqual(await migrate(sql, dir, NOW), { applied: [], version: 2 })
    assert.deepEqual(await listPendingMigrations(sql, dir), [])
    write('0003_three.sql', 'create table three ();')
    assert.deepEqual(await migrate(sql, dir, NOW), { applied: ['0003_three.sql'], version: 3 })
    const rows = await sql`select number, name, length(checksum) as length, applied_at from schema_migration`
    assert.deepEqual(rows[0], { number: 1, name: '0001_one.sql', length: 64, applied_at: NOW })
    assert.equal(rows.length, 3)
  })

  test('several concurrent processes apply each file once', async () => {
    const others = Array.from({ length: 6 }, () => connect(database.target))
    const results = await Promise.all(others.map(one => migrate(one, dir, NOW)))
    assert.deepEqual(results.flatMap(result => result.applied).sort(), ['0001_one.sql', '0002_two.sql'])
    assert.deepEqual([...(await sql`select n from one`)], [{ n: 1 }])
    await Promise.all(others.map(one => one.end()))
  })

  test('rejects a file that was changed after it was applied', async () => {
    await migrate(sql, dir, NOW)
    write('0002_two.sql', `${TWO}-- an afterthought\n`)
    await assert.rejects(migrate(sql, dir, NOW), saying(/0002_two\.sql was changed/))
    await assert.rejects(listPendingMigrations(sql, dir), saying(/0002_two\.sql was changed/))
  })

  test('accepts a file that names the checksum with which it was applied', async () => {
    await migrate(sql, dir, NOW)
    const checksum = createHash('sha256').update(TWO).digest('hex')
    write('0002_two.sql', `-- formerly ${checksum}\n${TWO}`)
    assert.deepEqual(await migrate(sql, dir, NOW), { applied: [], version: 2 })
    write('0002_two.sql', `-- formerly ${checksum.replace(/^./, '-')}\n${TWO}`)
    await assert.rejects(migrate(sql, dir, NOW), saying(/0002_two\.sql was changed/))
  })

  test('treats a file with other line ends as the same file', async () => {
    await migrate(sql, dir, NOW)
    write('0001_one.sql', ONE.replaceAll('\n', '\r\n'))
    assert.deepEqual(await listPendingMigrations(sql, dir), [])
  })

  test('rejects a database that a newer version has migrated', async () => {
    write('0003_three.sql', 'create table three ();')
    await migrate(sql, dir, NOW)
    rmSync(join(dir, '0003_three.sql'))
    await assert.rejects(
      migrate(sql, dir, NOW),
      saying(/newer Carnet/, /0003_three\.sql/, /never downgraded/),
    )
  })

  test('rejects a new file that sorts before an applied one', async () => {
    rmSync(join(dir, '0001_one.sql'))
    await migrate(sql, dir, NOW)
    write('0001_one.sql', ONE)
    await assert.rejects(migrate(sql, dir, NOW), saying(/0001_one\.sql/, /higher number/))
  })

  test('a file that fails leaves no change, and those before it stay applied', async () => {
    write('0002_two.sql', `${TWO}\ncreate table three (n nonsense);\n`)
    await assert.rejects(migrate(sql, dir, NOW), saying(/0002_two\.sql, line 3/, /nonsense/))
    assert.deepEqual(await tables(), ['one', 'schema_migration'])
    write('0002_two.sql', TWO)
    assert.deepEqual(await migrate(sql, dir, NOW), { applied: ['0002_two.sql'], version: 2 })
  })

  test('a migration that waits for a table does not block others, and is applied when the table is free', async () => {
    await migrate(sql, dir, NOW)
    write('0003_three.sql', 'alter table one add column more integer;')
    const reader = connect(database.target)
    await reader`begin`
    await reader`select n from one`
    const migrator = connect(database.target)
    const migrating = migrate(migrator, dir, NOW)
    await until(() => sql`select 1 from pg_locks where not granted and relation = 'one'::regclass`)
    assert.deepEqual([...(await sql`select n from one`)], [{ n: 1 }], 'while the reader is still at it')
    await reader`commit`
    assert.deepEqual(await migrating, { applied: ['0003_three.sql'], version: 3 })
    await Promise.all([reader.end(), migrator.end()])
  })

  test('a migration that loses a deadlock is applied when the other transaction ends', async () => {
    await migrate(sql, dir, NOW)
    const text = `
      set local deadlock_timeout = '10ms';
      alter table one add column more integer;
      select pg_sleep(0.5);
      alter table two add column more integer;`
    write('0003_three.sql', text)
    const writer = connect(database.target)
    await writer`begin`
    await writer`insert into two values (1)`
    const migrator = connect(database.target)
    const migrating = migrate(migrator, dir, NOW)
    await until(() => sql`select 1 from pg_stat_activity where wait_event = 'PgSleep'`)
    await writer`insert into one values (2)`
    await writer`commit`
    assert.deepEqual(await migrating, { applied: ['0003_three.sql'], version: 3 })
    const rows = await sql`select n, more from one union all select n, more from two order by n`
    assert.equal(rows.length, 3)
    await Promise.all([writer.end(), migrator.end()])
  })

  test('after a kill within a file the next start applies the whole file', async () => {
    // The server notices within 20 ms that the killed client is gone.
    write(
      '0002_two.sql',
      `${TWO}
      set local client_connection_check_interval = 20;
      select pg_sleep(60) where current_setting('application_name') = 'doomed';`,
    )
    const child = migrateInAnotherProcess()
    const ended = once(child, 'exit')
    let asleep = 0
    while (asleep === 0) {
      await turn()
      const rows = await sql`
        select from pg_stat_activity where datname = current_database() and application_name = 'doomed' and wait_event = 'PgSleep'`
      asleep = rows.length
    }
    child.kill('SIGKILL')
    await ended
    assert.deepEqual(await migrate(sql, dir, NOW), { applied: ['0002_two.sql'], version: 2 })
    assert.deepEqual(await tables(), ['one', 'schema_migration', 'two'])
  })

  describe('functions', () => {
    const call = async () => (await sql<{ n: number }[]>`select carnet_double(2) as n`)[0]?.n
    const text = (body: string) =>
      `create or replace function public.carnet_double(n integer) returns integer language sql as $$ ${body} $$;\n`

    beforeEach(() => {
      mkdirSync(join(dir, 'functions'))
      write('functions/carnet_double.sql', text('select $1 * (select max(one.n) from one) + $1'))
      write('0003_three.sql', 'create table three as select carnet_double(1) as n;')
    })

    test('exist before the first migration, and may name tables of later ones', async () => {
      const applied = ['0001_one.sql', '0002_two.sql', '0003_three.sql']
      assert.deepEqual(await migrate(sql, dir, NOW), { applied, version: 3 })
      assert.deepEqual([...(await sql`select n from three`)], [{ n: 2 }])
      assert.deepEqual(await listPendingMigrations(sql, dir), [])
    })

    test('are replaced once, after the migrations, and by one of several processes', async () => {
      await migrate(sql, dir, NOW)
      write('functions/carnet_double.sql', text('select $1 * 10 + (select max(two.n) from two)'))
      write('functions/carnet_more.sql', text('select 1').replace('double', 'more'))
      write('0004_four.sql', 'insert into two values (3);')
      const names = ['functions/carnet_double.sql', 'functions/carnet_more.sql']
      assert.deepEqual(await listPendingMigrations(sql, dir), ['0004_four.sql', ...names])
      const others = Array.from({ length: 4 }, () => connect(database.target))
      const results = await Promise.all(others.map(one => migrate(one, dir, NOW)))
      await Promise.all(others.map(one => one.end()))
      const applied = results.flatMap(result => result.applied).sort()
      // It is missing, so it is there before the migration, which may need it.
      assert.deepEqual(applied, ['0004_four.sql', 'functions/carnet_double.sql'])
      assert.equal(await call(), 23)
      assert.deepEqual(await migrate(sql, dir, NOW), { applied: [], version: 4 })
    })

    test('that somebody has changed by hand, or an earlier version has created, get the text of the file', async () => {
      await migrate(sql, dir, NOW)
      await sql.unsafe(text('select 0'))
      assert.equal(await call(), 0)
      assert.deepEqual((await migrate(sql, dir, NOW)).applied, ['functions/carnet_double.sql'])
      assert.equal(await call(), 4)
    })

    test('wait for the last migration when only some are applied', async () => {
      await migrate(sql, dir, NOW, 3)
      write('functions/carnet_double.sql', text('select 7'))
      write('0004_four.sql', '')
      write('0005_five.sql', '')
      assert.deepEqual((await migrate(sql, dir, NOW, 4)).applied, ['0004_four.sql'])
      assert.equal(await call(), 4)
      assert.deepEqual((await migrate(sql, dir, NOW)).applied, [
        '0005_five.sql',
        'functions/carnet_double.sql',
      ])
    })

    test('with a mistake end the start with the name of the file', async () => {
      await migrate(sql, dir, NOW)
      write('functions/carnet_double.sql', text('select 7').replace('integer)', 'nonsense)'))
      await assert.rejects(migrate(sql, dir, NOW), saying(/functions\/carnet_double\.sql/, /nonsense/))
    })
  })

  test('a file name that is not a migration is an error', async () => {
    write('3_three.sql', '')
    await assert.rejects(migrate(sql, dir, NOW), /3_three\.sql is not a valid name of a migration/)
    rmSync(join(dir, '3_three.sql'))
    write('0002_also.sql', '')
    await assert.rejects(migrate(sql, dir, NOW), /another migration has the same number as 0002_two\.sql/)
  })
})

async function until(ask: () => Promise<readonly unknown[]>): Promise<void> {
  while ((await ask()).length === 0) await turn()
}

function migrateInAnotherProcess() {
  const at = (path: string) => pathToFileURL(join(import.meta.dirname, path)).href
  const code = `
    import { connect } from '${at('../database.ts')}'
    import { migrate } from '${at('../../src/kernel/db/migrate.ts')}'
    const sql = connect(${JSON.stringify(database.target)})
    await sql.unsafe("set application_name = 'doomed'")
    await migrate(sql, ${JSON.stringify(dir)}, new Date())`
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
