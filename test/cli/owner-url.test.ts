/** Tests DATABASE_OWNER_URL: one role migrates and restores, another serves requests. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ConfigError, readConfig } from '../../src/kernel/config/config.ts'
import { connect, emptyDatabase, type TestDatabase } from '../database.ts'
import { type Forwarder, startForwarder } from '../forwarder.ts'
import { newProduct } from '../harness.ts'
import { carnetJson, emptyFolder, endAll, type Settings, serve } from './processes.ts'

const suffix = randomUUID().replaceAll('-', '').slice(0, 12)
const [owner, traffic] = [`owner_${suffix}`, `traffic-${suffix}`]
let database: TestDatabase
let other: TestDatabase
let wires: Forwarder[]
let folder: Awaited<ReturnType<typeof emptyFolder>>

async function asAdmin(target: TestDatabase, text: string) {
  const sql = connect(target.target)
  const [row] = await sql`select quote_ident(current_database()) as name`
  await sql.unsafe(text.replaceAll('DATABASE', String(row?.name))).finally(() => sql.end())
}

before(async () => {
  ;[database, other] = [await emptyDatabase(), await emptyDatabase()]
  folder = await emptyFolder()
  wires = [await startForwarder(database.target), await startForwarder(other.target)]
  const roles = `create role ${owner} login password 'p'; create role "${traffic}" login password 'p';`
  await asAdmin(database, `${roles} alter database DATABASE owner to ${owner}`)
  await asAdmin(other, `alter database DATABASE owner to ${owner}`)
})
after(async () => {
  await endAll()
  for (const wire of wires) await wire.cut()
  await folder.remove()
  await database.drop()
  await asAdmin(other, `alter database DATABASE owner to current_user; drop owned by ${owner}, "${traffic}"`)
  await asAdmin(other, `drop role ${owner}; drop role "${traffic}"`)
  await other.drop()
})

function settingsOn(wire: Forwarder | undefined): Settings {
  const urlOf = (role: string) => {
    const url = new URL(wire?.target.url ?? '')
    url.username = role
    url.password = 'p'
    return url.href
  }
  const env = {
    DATABASE_URL: urlOf(traffic),
    DATABASE_OWNER_URL: urlOf(owner),
    SECRET_KEY: 'a key of tests, long enough to be one',
    DATA_DIR: join(folder.path, 'unused'),
    PORT: '0',
  }
  return { cwd: folder.path, env }
}

test('the owner migrates and restores; the other role does the rest and cannot change history', async () => {
  const settings = settingsOn(wires[0])
  const json = <T>(...words: string[]) => carnetJson<T>(words, settings)
  const migrated = await json<{ applied: string[] }>('migrate')
  assert.ok(migrated.applied.length > 20)
  const { id } = await json<{ id: string }>('accounts', 'create', '--name', 'Two roles', '--plan', 'pro')
  const { key } = await json<{ key: string }>('keys', 'create', '--account', id, '--scope', 'full')
  const server = await serve(settings)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify(newProduct())
  const made = await fetch(`${server.url}/api/v1/products`, { method: 'POST', headers, body })
  assert.equal(made.status, 201)
  const checks = await json<{ ok: boolean; name: string; detail: string }[]>('doctor', '--verify')
  const roles = checks.find(check => check.name === 'roles')
  assert.equal(roles?.detail, `"${traffic}" answers requests and cannot change history`)
  assert.deepEqual(
    checks.filter(check => !check.ok),
    [],
  )
  const file = join(folder.path, 'two-roles.backup')
  await json('backup', '--to', file)
  await server.stop('SIGTERM')
  assert.doesNotMatch(server.said.stderr, /"level":(50|60)/)
  const elsewhere = settingsOn(wires[1])
  const restored = await carnetJson<{ passports: number }>(['restore', '--from', file], elsewhere)
  assert.equal(restored.passports, 1)
  const again = await serve(elsewhere)
  assert.equal((await fetch(`${again.url}/api/v1/products`, { headers })).status, 200)
})

test('DATABASE_OWNER_URL is rejected without DATABASE_URL', () => {
  assert.throws(
    () => readConfig({ DATABASE_OWNER_URL: 'postgres://owner@127.0.0.1/carnet' }),
    (error: ConfigError) => error instanceof ConfigError && /DATABASE_OWNER_URL/.test(error.message),
  )
})
