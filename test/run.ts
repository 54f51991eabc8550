/**
 * `npm test`: one PostgreSQL for the whole run, one process for each test file, a copy of the migrated database for
 * each that asks. `npm test -- FILE…` runs some; `--full` leaves nothing out and runs everything on Debian's
 * PostgreSQL 15 too, where it is found; `--pg15` runs on that alone.
 */
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startEmbeddedPostgres } from '../src/kernel/postgres-server/embedded-postgres.ts'
import { findPostmaster, shutDown } from '../src/kernel/postgres-server/postmaster.ts'
import { sendSignal } from '../src/kernel/process/processes.ts'
import { compareAnswers, SEEN_VARIABLE } from './answers.ts'
import { dropAll, makeTemplate, type Target, TEST_SERVER_VARIABLE } from './database.ts'
import { childrenOf, endDescendants } from './descendants.ts'

const ROOT = resolve(import.meta.dirname, '..')
const DEBIAN_15 = '/usr/lib/postgresql/15/bin'
/** For two cores: one more than these, for the files that wait for processes to end. With two a sixth of the time is idle. */
const FILES_AT_ONCE = 3
/** A file that takes longer hangs. */
const FILE_WITHIN_MS = process.env.CARNET_HAMMER_COUNT ? 7_200_000 : 900_000
/** A file that is stopped ends what it has started, then itself; afterwards it is killed. */
const STOPPED_WITHIN_MS = 2_000
const END_CHECK_MS = 20
const WITH_DESCENDANTS = pathToFileURL(join(import.meta.dirname, 'end-with-descendants.ts')).href

/** Begins the name of a run's folder; the number of its process follows. */
const FOLDER = 'carnet-test-'

type Counts = { tests: number; passed: number; cancelled: number; skipped: number; todo: number }

type OpenServer = {
  /** For people: the version, and where it is. */
  name: string
  /** What the test files are told. */
  environment: Record<string, string>
  close: () => Promise<void>
}

const words = process.argv.slice(2)
const flags = new Set(words.filter(word => word.startsWith('--')))
/** Only a whole run can say what no test has seen. */
const isWhole = words.every(word => word.startsWith('--'))
const unknown = [...flags].find(flag => flag !== '--full' && flag !== '--pg15')
const stopped = new AbortController()

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopped.abort())
// Nobody reads on, as after `npm test | head`.
for (const output of [process.stdout, process.stderr]) output.on('error', () => stopped.abort())

if (unknown !== undefined) fail(`${unknown} is not known: there are --full and --pg15.`)
else await main()

async function main(): Promise<void> {
  const files = testFiles(words.filter(word => !word.startsWith('--')))
  if (files.length === 0) return fail('There is no such test file.')
  await sweepLeftovers()
  for (const binDir of servers()) {
    if (stopped.signal.aborted) break
    await runOn(await openServer(binDir), files)
  }
  // Ended by a signal: as a shell says it.
  if (stopped.signal.aborted) process.exitCode = 130
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

/** The folders of programs to run on, one after the other; undefined for the built-in ones, or TEST_DATABASE_URL. */
function servers(): (string | undefined)[] {
  const isFull = flags.has('--full')
  if (isFull) process.env.CARNET_TEST_FULL = '1'
  if (process.env.TEST_DATABASE_URL || !(isFull || flags.has('--pg15'))) return [undefined]
  const has15 = existsSync(DEBIAN_15)
  if (flags.has('--pg15')) {
    if (!has15) fail(`There is no PostgreSQL 15 in ${DEBIAN_15}.`)
    return has15 ? [DEBIAN_15] : []
  }
  if (!has15) process.stdout.write(`Left out: the run on PostgreSQL 15, which is not in ${DEBIAN_15}.\n`)
  return has15 ? [undefined, DEBIAN_15] : [undefined]
}

function testFiles(wanted: readonly string[]): string[] {
  const all = (folder: string) => globSync('**/*.test.ts', { cwd: folder }).map(file => resolve(folder, file))
  if (wanted.length === 0) return all(import.meta.dirname).sort()
  return wanted.flatMap(word => {
    const path = resolve(word)
    if (!existsSync(path)) {
      fail(`${word} is not there.`)
      return []
    }
    return statSync(path).isDirectory() ? all(path).sort() : [path]
  })
}

async function runOn(server: OpenServer, files: readonly string[]): Promise<void> {
  const seen = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-answers-`))
  try {
    process.stdout.write(`Tests on ${server.name}\n`)
    const counts = await runFiles(files, { ...server.environment, [SEEN_VARIABLE]: seen })
    conclude(server, counts)
    if (isWhole && !process.exitCode) concludeAnswers(seen)
  } finally {
    await server.close()
    rmSync(seen, { recursive: true, force: true })
  }
}

/** After all tests: what the API's document promises was seen, and nothing else. */
function concludeAnswers(seen: string): void {
  const differences = compareAnswers(seen)
  if (differences.length === 0) {
    process.stdout.write('Every answer that the OpenAPI document names was seen, and no other.\n')
  } else fail(`The OpenAPI document and the answers seen differ:\n${differences.join('\n')}`)
}

async function runFiles(
  files: readonly string[],
  environment: OpenServer['environment'],
): Promise<Counts | undefined> {
  let counts: Counts | undefined
  const before = new Set(childrenOf(process.pid).map(({ pid }) => pid))
  const stream = run({
    files: [...files],
    cwd: ROOT,
    concurrency: FILES_AT_ONCE,
    isolation: 'process',
    timeout: FILE_WITHIN_MS,
    env: { ...process.env, ...environment },
    execArgv: ['--import', WITH_DESCENDANTS],
    signal: stopped.signal,
  })
  stream.on('test:summary', summary => {
    // One for each file and, without a file, one for all.
    if (summary.file === undefined) counts = summary.counts
    if (!summary.success) process.exitCode = 1
  })
  for await (const text of stream.compose(new spec())) process.stdout.write(text)
  await endFiles(before)
  return counts
}

/** A run that is stopped does not wait for its files: they may still be ending, or unable to. */
async function endFiles(before: ReadonlySet<number>): Promise<void> {
  const left = () => childrenOf(process.pid).filter(({ pid }) => !before.has(pid))
  const until = performance.now() + STOPPED_WITHIN_MS
  while (left().length > 0 && performance.now() < until) await pause(END_CHECK_MS)
  for (const { pid } of left()) {
    endDescendants(pid)
    sendSignal(pid, 'SIGKILL')
  }
}

/** The lines that machines read. */
function conclude(server: OpenServer, counts: Counts | undefined): void {
  if (counts === undefined || counts.tests === 0) {
    fail('No test was run.')
    return
  }
  const { tests, passed, cancelled, skipped, todo } = counts
  const failed = tests - passed - cancelled - skipped - todo
  if (failed + cancelled > 0 || passed === 0) process.exitCode = 1
  const figures = { tests, pass: passed, fail: failed, cancelled, skipped, todo }
  process.stdout.write(`\nOn ${server.name}:\n`)
  for (const [name, figure] of Object.entries(figures)) process.stdout.write(`# ${name} ${figure}\n`)
}

/** Starts or reaches the server and makes the template. `binDir`: programs other than the built-in ones. */
async function openServer(binDir: string | undefined): Promise<OpenServer> {
  const url = process.env.TEST_DATABASE_URL
  return url ? openGiven(url) : openOwn(binDir)
}

async function openGiven(url: string): Promise<OpenServer> {
  const admin: Target = { url }
  const prefix = `carnet_test_${randomUUID().slice(0, 8)}`
  const close = () => dropAll(admin, prefix)
  try {
    const { server, version } = await makeTemplate(admin, prefix)
    const name = `PostgreSQL ${version} of TEST_DATABASE_URL`
    return { name, environment: { [TEST_SERVER_VARIABLE]: JSON.stringify(server) }, close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

async function openOwn(binDir: string | undefined): Promise<OpenServer> {
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`))
  // Started by root the server is another user, who has to get through.
  chmodSync(folder, 0o711)
  // Whoever gets into the folder of the socket is a test.
  const hbaFile = join(folder, 'hba.conf')
  writeFileSync(hbaFile, 'local all all trust\n')
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'run'),
    ...(binDir === undefined ? {} : { binDir }),
    log: () => {},
    // Only for this server, which nobody needs after a power cut. What tests start by themselves keeps fsync on.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', hba_file: hbaFile },
  })
  const { socketDir, port, user, database } = postgres
  const close = async () => {
    await postgres.stop()
    await removeFolder(folder)
  }
  try {
    const { server, version } = await makeTemplate({ socketDir, port, user, database }, 'carnet_test')
    const environment = {
      [TEST_SERVER_VARIABLE]: JSON.stringify(server),
      // What tests put into the temporary folder goes away with the run, whatever becomes of the test.
      TMPDIR: folder,
      ...(binDir === undefined ? {} : { PG_BIN_DIR: binDir }),
    }
    return { name: `PostgreSQL ${version}, ${binDir ?? 'embedded'}`, environment, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** What runs that were killed have left: a folder with the number of a process that is no more. */
async function sweepLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(FOLDER)
      ? Number(/^\d+(?=-)/.exec(name.slice(FOLDER.length))?.[0])
      : Number.NaN
    if (!Number.isNaN(pid) && !existsSync(`/proc/${pid}`) && process.platform === 'linux') {
      await removeFolder(join(tmpdir(), name))
    }
  }
}

/** Ends the servers that killed tests have left in there, then removes it. */
async function removeFolder(folder: string): Promise<void> {
  for (const file of globSync('{*,*/*,*/*/*}/postmaster.pid', { cwd: folder })) {
    const left = findPostmaster(dirname(join(folder, file)))
    if (left !== undefined) await shutDown(left)
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
