/**
 * Tests that errors of an installation give one sentence and exit code 1, without a stack trace or a
 * password.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { describeDatabaseError, explainOperatorProblem } from '../../src/cli/command-line/database-errors.ts'
import { cloneDatabase, connect, emptyDatabase, type TestDatabase } from '../database.ts'
import { type Forwarder, startForwarder } from '../forwarder.ts'
import { problemsOf } from '../kernel/problems-of.ts'
import { carnet, emptyFolder, endAll } from './processes.ts'

const KEY = 'a key of tests, long enough to be one'
const STACK = /\n\s+at /
const MAIN = join(import.meta.dirname, '../../src/main.ts')

let folder: Awaited<ReturnType<typeof emptyFolder>>
before(async () => {
  folder = await emptyFolder()
})
after(async () => {
  await endAll()
  await folder.remove()
})

describe('a database user without rights', () => {
  const role = `carnet_${randomUUID().replaceAll('-', '')}`
  const databases: TestDatabase[] = []
  const wires: Forwarder[] = []

  async function settingsOn(database: TestDatabase, change: (url: URL) => void) {
    databases.push(database)
    const wire = await startForwarder(database.target)
    wires.push(wire)
    const url = new URL(wire.target.url)
    change(url)
    const env = { DATABASE_URL: url.href, SECRET_KEY: KEY, DATA_DIR: join(folder.path, 'unused'), PORT: '0' }
    return { cwd: folder.path, env }
  }
  const asRole = (url: URL) => {
    url.username = role
    url.password = 'p'
  }
  async function asAdmin(database: TestDatabase, text: string) {
    const sql = connect(database.target)
    await sql.unsafe(text).finally(() => sql.end())
  }

  after(async () => {
    for (const wire of wires) await wire.cut()
    const [first] = databases
    if (first) await asAdmin(first, `drop role "${role}"`)
    for (const database of databases) await database.drop()
  })

  test('a database user who cannot create tables gets one clear line, also from doctor', async () => {
    const database = await emptyDatabase()
    await asAdmin(database, `create role "${role}" login password 'p'`)
    const settings = await settingsOn(database, asRole)
    const { code, stderr } = await carnet(['accounts', 'list'], settings)
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^The database's user may not do this: .*\(permission denied for schema public\)\.\n$/,
    )
    const looked = await carnet(['doctor'], settings)
    assert.equal(looked.code, 1)
    assert.match(looked.stdout, /BAD +migrations +\d+ to apply .* may not create tables here\n/)
    assert.doesNotMatch(looked.stderr, STACK)
  })

  test('a database user who cannot read the tables gets one clear line, also from doctor', async () => {
    const settings = await settingsOn(await cloneDatabase(), asRole)
    const { code, stderr } = await carnet(['accounts', 'list'], settings)
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^The database's user may not .*\(permission denied for table schema_migration\)\.\n$/,
    )
    const looked = await carnet(['doctor'], settings)
    assert.equal(looked.code, 1)
    assert.match(looked.stdout, /BAD +migrations +The database's user may not .*schema_migration/)
    assert.match(looked.stdout, /ok +clock/)
    assert.doesNotMatch(looked.stderr, STACK)
  })

  test('reports a read-only database as such', async () => {
    const settings = await settingsOn(await cloneDatabase(), url => {
      url.searchParams.set('default_transaction_read_only', 'on')
    })
    const { code, stderr } = await carnet(['accounts', 'create', '--name', 'A', '--plan', 'pro'], settings)
    assert.equal(code, 1)
    assert.match(stderr, /^The database is read-only, as a replica is: .*\(cannot execute .*\)\.\n$/)
  })
})

test('a full database disk is reported as such; no message on the command line mentions Idempotency-Key', () => {
  const full = Object.assign(new Error('could not extend file'), { code: '53100' })
  assert.match(
    explainOperatorProblem(full) ?? '',
    /^The database's disk is full: .* \(could not extend file\)\.$/,
  )
  const lost = Object.assign(new Error('gone'), { code: 'ECONNRESET' })
  assert.equal(explainOperatorProblem(lost), undefined)
  assert.match(
    describeDatabaseError(lost) ?? '',
    /^The database does not answer right now; .* Check before you repeat it\. \(gone\)$/,
  )
})

describe('DATABASE_URL', () => {
  const SECRET = 'geheim'
  for (const password of [
    `5%${SECRET}`,
    `5@${SECRET}`,
    `5/${SECRET}`,
    `5#${SECRET}`,
    `5?${SECRET}`,
    `5?a@${SECRET}`,
  ]) {
    for (const rest of ['@db.example:5432/carnet', '@db.example/carnet?sslmode=require']) {
      test(`with ${password}${rest} is rejected, without showing any of the password`, () => {
        const said = problemsOf({
          DATABASE_URL: `postgres://carnet:${password}${rest}`,
          SECRET_KEY: KEY,
        }).join()
        assert.match(said, /^DATABASE_URL cannot be read: .* written as %XX/)
        assert.doesNotMatch(said, /geheim/)
      })
    }
  }
  for (const url of [
    'postgres://carnet:a%40b%25%2F@db.example:5432/carnet',
    'postgresql://db.example/carnet?application_name=a@b',
    'postgres://carnet@[::1]/carnet?sslmode=require&application_name=a@b',
    'postgres://carnet:a:b^c@db/carnet',
  ]) {
    test(`as ${url} is accepted`, () =>
      assert.deepEqual(problemsOf({ DATABASE_URL: url, SECRET_KEY: KEY }), []))
  }
})

describe('.env', () => {
  test('a folder named .env gives one clear line', async () => {
    const at = await emptyFolder()
    await mkdir(join(at.path, '.env'))
    const { code, stderr } = await carnet(['doctor'], { cwd: at.path })
    assert.equal(code, 1)
    assert.match(stderr, /^\.env in the working directory cannot be read: EISDIR.*\.\n$/)
    await at.remove()
  })

  test('may begin with a byte order mark', async () => {
    const at = await emptyFolder()
    await writeFile(join(at.path, '.env'), '\uFEFFPUBLIC_URL=https://marked.example\n')
    const { code, stdout } = await carnet(['doctor'], { cwd: at.path, env: { PORT: '0' } })
    assert.match(stdout, /ok +settings +addresses begin with https:\/\/marked\.example\n/)
    assert.equal(code, 0)
    await at.remove()
  })
})

describe('stdout', () => {
  async function overviewTo(stdout: number | 'pipe') {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, '--help'], {
      cwd: folder.path,
      stdio: ['ignore', stdout, 'pipe'],
    })
    child.stdout?.destroy()
    let stderr = ''
    child.stderr?.setEncoding('utf8').on('data', text => {
      stderr += text
    })
    const [code] = await once(child, 'close')
    return { code, stderr }
  }

  test('closed by its reader ends the command silently', async () => {
    assert.deepEqual(await overviewTo('pipe'), { code: 1, stderr: '' })
  })

  test('on a full disk gives one clear line', { skip: process.platform !== 'linux' }, async () => {
    const full = await open('/dev/full', 'w')
    const { code, stderr } = await overviewTo(full.fd)
    await full.close()
    assert.equal(code, 1)
    assert.match(stderr, /^The output cannot be written: ENOSPC.*\.\n$/)
  })
})

describe('doctor for ROLE=worker', () => {
  test('does not check PORT, because a worker does not listen on it', async () => {
    const env = { DATA_DIR: join(folder.path, 'unused'), ROLE: 'worker', PORT: '1' }
    const { stdout } = await carnet(['doctor'], { cwd: folder.path, env })
    assert.match(stdout, /ok +port +none is used \(ROLE=worker without WORKER_PORT\)\n/)
  })
})
