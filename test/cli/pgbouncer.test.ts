/**
 * Tests Carnet behind PgBouncer in transaction mode with its default settings: commands, server, an
 * idempotent transaction.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { probePort } from '../../src/cli/server/ports.ts'
import { openPool } from '../../src/kernel/db/database.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { newProduct } from '../harness.ts'
import { carnet, carnetJson, emptyFolder, endAll, type Settings, serve } from './processes.ts'

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync)
const skip = PROGRAM === undefined ? 'there is no pgbouncer on this machine' : false
/** PgBouncer refuses to run as root. */
const NOBODY = 65_534

let database: TestDatabase
let folder: Awaited<ReturnType<typeof emptyFolder>>
let bouncer: ChildProcess | undefined
let settings: Settings

/** `target` as a line of PgBouncer's `[databases]`. */
function databaseLine(target: TestDatabase['target']): string {
  if (!('url' in target)) {
    return `host=${target.socketDir} port=${target.port} dbname=${target.database} user=${target.user}`
  }
  const { hostname, port, pathname, username, password } = new URL(target.url)
  const secret = password === '' ? '' : ` password=${decodeURIComponent(password)}`
  return `host=${hostname} port=${port || 5432} dbname=${pathname.slice(1)} user=${username}${secret}`
}

before(async () => {
  if (PROGRAM === undefined) return
  database = await cloneDatabase()
  folder = await emptyFolder()
  const port = await probePort('127.0.0.1', 0)
  const file = join(folder.path, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `carnet = ${databaseLine(database.target)}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 5',
    'max_client_conn = 100',
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  await chmod(file, 0o644)
  const isRoot = process.getuid?.() === 0
  bouncer = spawn(PROGRAM, ['-q', file], { stdio: 'ignore', ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) })
  const url = `postgres://carnet@127.0.0.1:${port}/carnet`
  await untilItAnswers(url)
  const env = {
    DATABASE_URL: url,
    SECRET_KEY: 'a key of tests, long enough to be one',
    PORT: '0',
    SLOW_QUERY_MS: '0',
    DATA_DIR: folder.path,
  }
  settings = { cwd: folder.path, env }
})
after(async () => {
  if (PROGRAM === undefined) return
  await endAll()
  bouncer?.kill('SIGKILL')
  await folder.remove()
  await database.drop()
})

async function untilItAnswers(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const sql = openPool({ url }, { max: 1, hasPooler: true })
    try {
      await sql`select 1`
      return
    } catch {
      await pause(100)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
  assert.fail('PgBouncer does not answer')
}

test('doctor reports a role whose statements PostgreSQL compiles', { skip }, async () => {
  const sql = openPool(database.target, { max: 1 })
  const set = async (jit: string) => {
    const [row] = await sql`select quote_ident(current_database()) as name`
    await sql.unsafe(`alter database ${row?.name} ${jit}`)
    // The pooler's open connections still have the old setting.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    const { stdout } = await carnet(['doctor', '--json'], settings)
    return (JSON.parse(stdout) as { ok: boolean; name: string; detail: string }[]).find(
      check => check.name === 'jit',
    )
  }
  const on = await set('set jit = on')
  assert.equal(on?.ok, false)
  assert.match(on.detail, /alter role \w+ set jit = off/)
  assert.equal((await set('set jit = off'))?.ok, true)
  await sql.end({ timeout: 1 })
})

test('an account, a key, an idempotent create and a page work, and doctor finds no problem', {
  skip,
}, async () => {
  const account = await carnetJson<{ id: string }>(
    ['accounts', 'create', '--name', 'Pooled', '--plan', 'pro'],
    settings,
  )
  const { key } = await carnetJson<{ key: string }>(
    ['keys', 'create', '--account', account.id, '--scope', 'full'],
    settings,
  )
  const server = await serve(settings)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify(newProduct())
  const create = () =>
    fetch(`${server.url}/api/v1/products`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': 'once' },
      body,
    })
  const first = await create()
  assert.equal(first.status, 201)
  const { data } = (await first.json()) as { data: { id: string } }
  assert.equal((await create()).headers.get('idempotency-replayed'), 'true')
  const many = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      fetch(`${server.url}/api/v1/products${n % 2 === 0 ? `/${data.id}` : ''}`, {
        headers,
        ...(n % 2 === 0 ? {} : { method: 'POST', body }),
      }),
    ),
  )
  assert.deepEqual([...new Set(many.map(({ status }) => status))].sort(), [200, 201])
  assert.equal((await fetch(`${server.url}/p/${data.id}`)).status, 200)
  const checks = await carnetJson<{ ok: boolean; name: string }[]>(['doctor', '--verify'], settings)
  assert.deepEqual(
    checks.filter(check => !check.ok),
    [],
  )
  await server.stop('SIGTERM')
  assert.doesNotMatch(server.said.stderr, /"level":(40|50|60)/)
})
