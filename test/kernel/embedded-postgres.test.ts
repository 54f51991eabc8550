import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { findAdvice } from '../../src/kernel/postgres-server/data-directory.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/kernel/postgres-server/embedded-postgres.ts'
import { findPostmaster, readPidFile } from '../../src/kernel/postgres-server/postmaster.ts'
import { acquireServerLock } from '../../src/kernel/postgres-server/presence.ts'
import { chooseSocketDirectory, getSocketPath } from '../../src/kernel/postgres-server/socket-directory.ts'
import { withProcessLock } from '../../src/kernel/process/process-lock.ts'
import { waitForEnd } from '../../src/kernel/process/processes.ts'
import { connect } from '../database.ts'
import { assertWithin } from '../waiting.ts'

const SERVER_FOLDER = pathToFileURL(join(import.meta.dirname, '../../src/kernel/postgres-server')).href
const isRoot = process.getuid?.() === 0
const binDir = process.env.PG_BIN_DIR
const programs = binDir === undefined ? {} : { binDir }
/** For databases that only need to start; the tests that kill keep fsync on. */
const QUICK = { settings: { fsync: 'off' } }
const STOP_WITHIN_MS = 4_000

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder that only its owner may enter. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'carnet-pg-test-'))
  folders.push(folder)
  return folder
}

const start = (dataDir: string, options = {}) =>
  startEmbeddedPostgres({ dataDir, log: () => {}, ...programs, ...options })

type Said = EmbeddedPostgres & { lines: string[]; hasSeat: boolean }

/** Another process that follows commands: start the server, report its result, and leave. */
async function otherProcess(dataDir: string) {
  const code = `
    import { startEmbeddedPostgres } from '${SERVER_FOLDER}/embedded-postgres.ts'
    import { acquireServerLock } from '${SERVER_FOLDER}/presence.ts'
    const lines = []
    const options = { ...${JSON.stringify({ dataDir, ...programs })}, log: line => lines.push(line) }
    let server, seat
    const words = {
      async start() {
        server = await startEmbeddedPostgres(options)
        seat = await acquireServerLock(server)
        console.log(JSON.stringify({ ...server, lines, hasSeat: seat !== undefined }))
      },
      async leave() {
        await seat?.release()
        await server.stop()
        process.exit()
      },
    }
    process.stdin.on('data', word => words[String(word).trim()]())
    console.log('here')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const said = createInterface(child.stdout)
  await once(said, 'line')
  return {
    async start(): Promise<Said> {
      child.stdin.write('start\n')
      const [line] = await once(said, 'line')
      return JSON.parse(line)
    },
    async leave() {
      child.stdin.write('leave\n')
      await ended
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function query<T extends object>(server: EmbeddedPostgres, text: string): Promise<T[]> {
  const sql = connect(server)
  try {
    return [...(await sql.unsafe<T[]>(text))]
  } finally {
    await sql.end()
  }
}

const stopInTime = (server: EmbeddedPostgres) => assertWithin(STOP_WITHIN_MS, () => server.stop())

/** Waits for another process, one turn of the event loop at a time. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn()
}

const saying =
  (...words: RegExp[]) =>
  (error: unknown) => {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, 'unavailable')
    for (const word of words) assert.match(error.message, word)
    return true
  }

describe('startEmbeddedPostgres', () => {
  const dataDir = join(newFolder(), 'data')
  const pgDir = join(dataDir, 'pg')

  test('two concurrent processes on a new directory: one creates the database, and the last to leave stops it', async () => {
    const [first, second] = await Promise.all([otherProcess(dataDir), otherProcess(dataDir)])
    const [one, other] = await Promise.all([first.start(), second.start()])
    assert.deepEqual([one.adopted, other.adopted].sort(), [false, true])
    assert.equal([...one.lines, ...other.lines].filter(line => line.startsWith('created')).length, 1)
    assert.equal(one.socketDir, other.socketDir)
    assert.deepEqual([one.hasSeat, other.hasSeat].sort(), [false, true], 'one of them may be the server')
    await first.leave()
    await query(other, `create table kept (n integer); insert into kept values (1)`)
    const pid = findPostmaster(pgDir)?.pid
    assert.ok(pid)
    await second.leave()
    assert.equal(await waitForEnd(pid, 0), true)
    assert.equal(existsSync(other.socketDir), false)
    assert.equal(existsSync(join(dataDir, 'pg.lock')), false)
  })

  test('the database is durable, private and has a fixed sort order', async () => {
    const server = await start(dataDir)
    const settings = await query<{ name: string; setting: string }>(
      server,
      `select name, setting from pg_settings where name in
       ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses', 'unix_socket_permissions')`,
    )
    assert.deepEqual(Object.fromEntries(settings.map(({ name, setting }) => [name, setting])), {
      data_checksums: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      listen_addresses: '',
      synchronous_commit: 'on',
      unix_socket_permissions: '0700',
    })
    const [text] = await query(server, `select upper('ä') as upper, 'Z' < 'a' as by_code_point`)
    assert.deepEqual(text, { upper: 'Ä', by_code_point: true })
    const [version] = await query<{ v: string }>(server, `select current_setting('server_version') as v`)
    assert.equal(version?.v.split(' ')[0], server.version)
    await stopInTime(server)
    await server.stop()
  })

  test('a server left by a killed process is reused, and that process’s slot is free', async () => {
    const killed = await otherProcess(dataDir)
    const { hasSeat } = await killed.start()
    assert.equal(hasSeat, true)
    await killed.kill()
    const server = await start(dataDir)
    assert.equal(server.adopted, true)
    const seat = await acquireServerLock(server)
    assert.ok(seat)
    assert.equal(await acquireServerLock(server), undefined)
    await seat.release()
    assert.deepEqual(await query(server, 'select n from kept'), [{ n: 1 }])
    await stopInTime(server)
    assert.equal(findPostmaster(pgDir), undefined)
  })

  test('a killed database is restarted with all acknowledged data', async () => {
    const lost = await start(dataDir)
    await query(lost, 'insert into kept values (2)')
    process.kill(findPostmaster(pgDir)?.pid ?? 0, 'SIGKILL')
    const server = await start(dataDir)
    assert.equal(server.adopted, false)
    assert.equal(server.socketDir, lost.socketDir)
    assert.deepEqual(await query(server, 'select n from kept order by n'), [{ n: 1 }, { n: 2 }])
    await stopInTime(server)
    await stopInTime(lost)
  })

  test('a pid file with the pid of another process is not mistaken for a running server', async t => {
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)'])
    t.after(() => stranger.kill())
    await once(stranger, 'spawn')
    writeFileSync(
      join(pgDir, 'postmaster.pid'),
      `${stranger.pid}\n${pgDir}\n1\n5432\n/nowhere\n\n1 1\nready   \n`,
    )
    const server = await start(dataDir)
    assert.equal(server.adopted, false)
    assert.notEqual(readPidFile(pgDir)?.pid, stranger.pid)
    await stopInTime(server)
  })

  test('a process that starts while another stops gets a server that works', async () => {
    for (let round = 0; round < 3; round++) {
      const coming = await otherProcess(dataDir)
      const leaving = await start(dataDir)
      const [server] = await Promise.all([coming.start(), leaving.stop()])
      assert.equal((await query(server, 'select n from kept')).length, 2)
      await coming.leave()
      assert.equal(findPostmaster(pgDir), undefined)
    }
  })

  test('shows PostgreSQL’s own error when it cannot start', async () => {
    const settings = { shared_buffers: 'much' }
    await assert.rejects(start(dataDir, { settings }), saying(/did not start: .*shared_buffers/, /log/))
  })

  test('after a kill during the creation of the database no incomplete one is used', async () => {
    const folder = newFolder()
    const killed = await otherProcess(folder)
    void killed.start()
    await until(() => readdirSync(folder).some(name => name.startsWith('pg.new-')))
    await killed.kill()
    const server = await start(folder, QUICK)
    assert.equal(server.adopted, false)
    await stopInTime(server)
    assert.deepEqual(
      readdirSync(folder)
        .filter(name => !name.startsWith('pg.new-'))
        .sort(),
      ['database-password', 'pg', 'postgres.log'],
    )
  })

  test('the socket path is short, even if the path of the data is long', async () => {
    const open = newFolder()
    chmodSync(open, 0o755)
    const folder = join(open, ...Array.from({ length: 6 }, () => 'a folder with quite a long name'))
    const server = await start(folder, QUICK)
    assert.ok(Buffer.byteLength(getSocketPath(server.socketDir)) <= 100)
    assert.deepEqual(await query(server, 'select 1 as n'), [{ n: 1 }])
    await stopInTime(server)
  })
})

describe('startEmbeddedPostgres rejects', () => {
  /** A folder that is no data directory, with a file in it. */
  function folderWith(name: string, content: string): string {
    const folder = newFolder()
    mkdirSync(join(folder, 'pg'))
    writeFileSync(join(folder, 'pg', name), content)
    return folder
  }

  test('data of another major version, with instructions', async () => {
    const folder = folderWith('PG_VERSION', '12\n')
    await assert.rejects(start(folder), saying(/created by PostgreSQL 12/, /PG_BIN_DIR/, /backup/))
  })

  test('a folder with other files in it', async () => {
    const folder = folderWith('holiday.jpg', '')
    await assert.rejects(start(folder), saying(/not empty/, /DATA_DIR/))
  })

  test('a file at the path of the data directory', async () => {
    const file = join(newFolder(), 'data')
    writeFileSync(file, '')
    await assert.rejects(start(file), saying(/cannot be used/))
  })

  test('a folder without PostgreSQL’s programs', async () => {
    await assert.rejects(start(newFolder(), { binDir: '/nowhere' }), saying(/no PostgreSQL in \/nowhere/))
  })

  test('a socket folder that another user has created', {
    skip: !isRoot && 'only root can make one',
  }, async () => {
    const folder = newFolder()
    const socketDir = chooseSocketDirectory(join(folder, 'pg'), undefined)
    folders.push(socketDir)
    mkdirSync(socketDir)
    chownSync(socketDir, 12_345, 12_345)
    await assert.rejects(start(folder, QUICK), saying(/created by another user/, /TMPDIR/))
  })
})

describe('startEmbeddedPostgres reports what a machine lacks', () => {
  test('a folder for temporary files', async () => {
    const { TMPDIR } = process.env
    const folder = newFolder()
    // A longer one could not hold the socket's path, and would not be used.
    process.env.TMPDIR = join(tmpdir(), 'missing')
    try {
      await assert.rejects(
        start(folder, QUICK),
        saying(/folder for temporary files, does not exist/, /TMPDIR/),
      )
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = TMPDIR
    }
  })

  test('a user name, and shared memory', async () => {
    for (const [output, way] of [
      ['initdb: error: could not look up effective user ID 12345: user does not exist', /\/etc\/passwd/],
      [
        'FATAL:  could not resize shared memory segment "/PostgreSQL.1": No space left on device',
        /--shm-size/,
      ],
      ['PANIC:  cannot abort transaction 1, it was already committed', /--shm-size/],
    ] as const) {
      assert.match(findAdvice(output), way)
    }
    assert.equal(findAdvice('initdb: error: invalid locale settings'), '')
  })
})

describe('withProcessLock', () => {
  const HELD = 'Somebody else has it.'
  test('the lock of a dead process is free, and only one of many waiting processes gets it', async () => {
    const path = join(newFolder(), 'lock')
    writeFileSync(path, JSON.stringify({ token: 'dead', pid: process.pid, identity: 'an earlier one' }))
    let inside = 0
    const most: number[] = []
    const work = async () => {
      most.push(++inside)
      await turn()
      inside--
    }
    const lock = { path, timeoutMs: 10_000, message: HELD }
    await Promise.all(Array.from({ length: 12 }, () => withProcessLock(lock, work)))
    assert.deepEqual(most, Array(12).fill(1))
    assert.equal(existsSync(path), false)
  })

  for (const text of ['', '123', 'null', '{"token":"../x","pid":1}', '{"token":7}']) {
    test(`a lock file without a holder, as after a power cut, locks nobody out: ${text || 'empty'}`, async () => {
      const path = join(newFolder(), 'lock')
      writeFileSync(path, text)
      let inside = 0
      const work = async () => {
        assert.equal(++inside, 1)
        await turn()
        inside--
      }
      const lock = { path, timeoutMs: 10_000, message: HELD }
      await Promise.all([1, 2, 3, 4].map(() => withProcessLock(lock, work)))
      assert.equal(existsSync(path), false)
    })
  }

  test('a running process keeps the lock', async () => {
    const path = join(newFolder(), 'lock')
    await withProcessLock({ path, timeoutMs: 0, message: HELD }, () =>
      assert.rejects(
        withProcessLock({ path, timeoutMs: 50, message: HELD }, async () => {}),
        saying(/^Somebody else has it\.$/),
      ),
    )
  })
})
