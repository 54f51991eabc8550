/**
 * `npm test`: runs all test files on one PostgreSQL, small ones together in a process. `npm test -- FILE…`
 * runs some, each in its own process. Files that fail run once more, alone. Crash tests repeat less in a
 * complete run if nothing near them has changed (near.ts). `--full` skips and shortens nothing, and also uses
 * Debian's PostgreSQL 15 if installed; `--pg15` uses only that, `--citus` only the cluster of CARNET_CITUS.
 * `--measure` stores how long each file takes (seconds.json), by which files are put together. `--part=1/2`
 * and `--answers=…` split a complete run (parts.ts).
 */
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startEmbeddedPostgres } from '../src/kernel/postgres-server/embedded-postgres.ts'
import { sendSignal } from '../src/kernel/process/processes.ts'
import { compareAnswers, SEEN_VARIABLE } from './answers.ts'
import { dropOnAllNodes, makeCitusTemplate } from './citus/template.ts'
import { COMMANDS_VARIABLE } from './cli/command-runner.ts'
import { STORE_VARIABLE } from './cli/prepared-store.ts'
import { dropAll, makeTemplate, type Target, TEST_SERVER_VARIABLE } from './database.ts'
import { childrenOf, endDescendants } from './descendants.ts'
import { type Entries, groupFiles, listAlone, secondsOf } from './groups.ts'
import { findNear, listChanged, NEAR_VARIABLE } from './near.ts'
import { choosePart, findAnswersFolder, findMissingParts, findPart, keepAnswers } from './parts.ts'
import { FOLDER, removeFolder, sweepLeftovers, TEMPORARY } from './run-folders.ts'
import { formatSlowest, storeSeconds } from './seconds.ts'

const ROOT = resolve(import.meta.dirname, '..')
const DEBIAN_15 = '/usr/lib/postgresql/15/bin'
/** Folders that run on Citus unless files are named, except tests in a browser. */
const CITUS_FOLDERS = ['accounts', 'api', 'console', 'scans', 'site', 'transfer', 'webhooks']
/** For two cores: two more, because many files wait for processes, timeouts or a browser. */
const FILES_AT_ONCE = 4
/**
 * Failed files are repeated up to this number, which is more than a process has: more have a common reason.
 */
const MAX_REPEATED = 30
/** The slowest files that are printed at the end. */
const MAX_PRINTED = 10
/** A process with test files that runs for longer is taken to hang. */
const FILE_WITHIN_MS = process.env.CARNET_HAMMER_COUNT ? 7_200_000 : 1_800_000
/** A stopped test file ends what it has started, then itself. After this time it is killed. */
const STOPPED_WITHIN_MS = 2_000
const END_CHECK_MS = 20
const WITH_DESCENDANTS = pathToFileURL(join(import.meta.dirname, 'end-with-descendants.ts')).href
const UNTRACKED_PROMISES = pathToFileURL(join(import.meta.dirname, 'untracked-promises.ts')).href
/** Test files end soon: rare collections, by one thread, cost a fifth less CPU. */
const MEMORY_FLAGS = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
  '--initial-old-space-size=384',
  '--single-threaded-gc',
]

type Counts = { tests: number; passed: number; cancelled: number; skipped: number; todo: number }

type OpenServer = {
  /** Version and location, to be printed. */
  name: string
  /** Environment variables for the test files. */
  environment: Record<string, string>
  close: () => Promise<void>
}

type TestRun = { open: () => Promise<OpenServer>; files: readonly string[]; isWhole: boolean }

const words = process.argv.slice(2)
const flags = new Set(words.filter(word => word.startsWith('--')))
/** Only a complete run can tell which responses no test has seen. */
const isWhole = words.every(word => word.startsWith('--'))
const FLAGS = ['--full', '--pg15', '--citus', '--measure']
/** Flags with a value. */
const MORE_FLAGS = ['--part=1/2', '--answers=FOLDER']
const part = findPart(flags)
const answers = findAnswersFolder(flags)
const unknown = [...flags].find(
  flag => !FLAGS.includes(flag) && !flag.startsWith('--answers=') && !(part && flag.startsWith('--part=')),
)
const stopped = new AbortController()

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopped.abort())
// The reader has closed the pipe, as in `npm test | head`.
for (const output of [process.stdout, process.stderr]) output.on('error', () => stopped.abort())

if (unknown !== undefined) fail(`${unknown} is not known: there are ${[...FLAGS, ...MORE_FLAGS].join(', ')}.`)
else if (answers !== undefined && part === undefined) compareKept(answers)
else await main()

async function main(): Promise<void> {
  const files = testFiles(words.filter(word => !word.startsWith('--')))
  if (files.length === 0) return fail('There is no such test file.')
  await sweepLeftovers()
  for (const one of listRuns(files)) {
    if (stopped.signal.aborted) break
    await runOn(await one.open(), one)
  }
  // The exit code of shells for a run ended by a signal.
  if (stopped.signal.aborted) process.exitCode = 130
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

function listRuns(files: readonly string[]): TestRun[] {
  if (flags.has('--citus')) return listCitusRuns(files)
  return servers().map(binDir => ({ open: () => openServer(binDir), files, isWhole }))
}

/** At most one. */
function listCitusRuns(files: readonly string[]): TestRun[] {
  const url = process.env.CARNET_CITUS
  if (url === undefined) {
    fail('CARNET_CITUS is not set: scripts/citus.sh starts a cluster and prints it, see docs/scale.md.')
    return []
  }
  const chosen = isWhole ? files.filter(isForCitus) : files
  return [{ open: () => openCitus(url), files: chosen, isWhole: false }]
}

function isForCitus(file: string): boolean {
  const isInFolder = CITUS_FOLDERS.some(folder => file.startsWith(join(import.meta.dirname, folder, '/')))
  return isInFolder && !readFileSync(file, 'utf8').includes("/chromium.ts'")
}

/**
 * The program folders to test, one after another; undefined for the built-in programs or TEST_DATABASE_URL.
 */
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

async function runOn(server: OpenServer, { files, isWhole }: TestRun): Promise<void> {
  const seen = mkdtempSync(join(TEMPORARY, `${FOLDER}${process.pid}-answers-`))
  const store = mkdtempSync(join(TEMPORARY, `${FOLDER}${process.pid}-store-`))
  // When started by root, PostgreSQL runs as another user, who needs access.
  chmodSync(store, 0o711)
  try {
    process.stdout.write(`Tests on ${server.name}\n`)
    const all = isWhole && canGroup() ? groupFiles(files, seen) : listAlone(files)
    const entries = part === undefined ? all : choosePart(all, part, secondsOf)
    const near = isWhole ? { [NEAR_VARIABLE]: findNear(listChanged(ROOT)).join() } : {}
    const folders = { [SEEN_VARIABLE]: seen, [STORE_VARIABLE]: store, [COMMANDS_VARIABLE]: seen }
    const environment = { ...server.environment, ...near, ...folders }
    const { counts, failed, times } = await runFiles(entries, environment, FILES_AT_ONCE)
    if (flags.has('--measure')) storeSeconds(times)
    conclude(server, counts)
    if (failed.length > 0) await repeat(failed, environment)
    if (part !== undefined && answers !== undefined) keepAnswers(seen, answers, part)
    if (isWhole && part === undefined && !process.exitCode) concludeAnswers(seen)
  } finally {
    await server.close()
    rmSync(seen, { recursive: true, force: true })
    await removeFolder(store)
  }
}

/**
 * A full run shows that no file needs what another one has left behind. A given server may have too few
 * connections.
 */
function canGroup(): boolean {
  return !flags.has('--full') && process.env.TEST_DATABASE_URL === undefined
}

/** After all parts, whose answers are in the folder. */
function compareKept(folder: string): void {
  const missing = findMissingParts(folder)
  if (missing === undefined) fail(`No part of a run has kept its answers in ${folder}.`)
  else if (missing.length > 0) fail(`The answers of ${missing.join(', ')} are missing in ${folder}.`)
  else concludeAnswers(folder)
}

/** After all tests: every documented response was seen, and no other. */
function concludeAnswers(seen: string): void {
  const differences = compareAnswers(seen)
  if (differences.length === 0) {
    process.stdout.write('Every answer that the OpenAPI document names was seen, and no other.\n')
  } else fail(`The OpenAPI document and the answers seen differ:\n${differences.join('\n')}`)
}

/**
 * Runs failed files again, one after another. A file that passes now is reported as flaky; otherwise the run
 * has failed.
 */
async function repeat(files: readonly string[], environment: OpenServer['environment']): Promise<void> {
  const name = (file: string) => relative(ROOT, file)
  const isRepeated = files.length <= MAX_REPEATED && !stopped.signal.aborted
  if (isRepeated) process.stdout.write(`\nOnce more, alone: ${files.map(name).join(', ')}\n`)
  const { failed } = isRepeated ? await runFiles(listAlone(files), environment, 1) : { failed: files }
  const flaky = files.filter(file => !failed.includes(file))
  if (flaky.length > 0) process.stdout.write(`# flaky ${flaky.length}: ${flaky.map(name).join(', ')}\n`)
  if (failed.length > 0) fail(`# failed files: ${failed.map(name).join(', ')}`)
}

type FileResults = {
  counts: Counts | undefined
  failed: string[]
  times: ReadonlyMap<string, number>
}

/** `failed`: the files with a test that failed, or that did not end well. */
async function runFiles(
  entries: Entries,
  environment: OpenServer['environment'],
  concurrency: number,
): Promise<FileResults> {
  const files = [...entries.keys()]
  const failed = new Set<string>()
  let counts: Counts | undefined
  const times = new Map<string, number>()
  const before = new Set(childrenOf(process.pid).map(({ pid }) => pid))
  const stream = run({
    files,
    cwd: ROOT,
    concurrency,
    isolation: 'process',
    timeout: FILE_WITHIN_MS,
    env: { ...process.env, ...environment },
    execArgv: [...MEMORY_FLAGS, '--import', UNTRACKED_PROMISES, '--import', WITH_DESCENDANTS],
    signal: stopped.signal,
  })
  const groups = new Set([...entries].flatMap(([, members]) => (members.length > 1 ? members : [])))
  const fileOf = ({ name, nesting, file = '' }: { name: string; nesting: number; file?: string }) => {
    const member = resolve(import.meta.dirname, name)
    return nesting === 0 && groups.has(member) ? member : file
  }
  stream.on('test:fail', event => failed.add(fileOf(event)))
  stream.on('test:summary', summary => {
    // There is one summary for each file, and one without a file for all.
    if (summary.file === undefined) counts = summary.counts
  })
  for (const end of ['test:pass', 'test:fail'] as const) {
    stream.on(end, event => {
      const file = fileOf(event)
      if (event.nesting === 0) times.set(file, (times.get(file) ?? 0) + event.details.duration_ms)
    })
  }
  for await (const text of stream.compose(new spec())) process.stdout.write(text)
  await endFiles(before)
  if (files.length > MAX_PRINTED)
    process.stdout.write(`\nThe slowest files:\n${formatSlowest(times, MAX_PRINTED)}`)
  return { counts, times, failed: [...new Set([...failed].flatMap(file => entries.get(file) ?? [file]))] }
}

/** A stopped run does not wait for its files: they may still be ending, or unable to end. */
async function endFiles(before: ReadonlySet<number>): Promise<void> {
  const left = () => childrenOf(process.pid).filter(({ pid }) => !before.has(pid))
  const until = performance.now() + STOPPED_WITHIN_MS
  while (left().length > 0 && performance.now() < until) await pause(END_CHECK_MS)
  for (const { pid } of left()) {
    endDescendants(pid)
    sendSignal(pid, 'SIGKILL')
  }
}

/** Prints the summary that scripts parse. */
function conclude(server: OpenServer, counts: Counts | undefined): void {
  if (counts === undefined || counts.tests === 0) {
    fail('No test was run.')
    return
  }
  const { tests, passed, cancelled, skipped, todo } = counts
  const failed = tests - passed - cancelled - skipped - todo
  if (passed === 0) process.exitCode = 1
  const figures = { tests, pass: passed, fail: failed, cancelled, skipped, todo }
  process.stdout.write(`\nOn ${server.name}:\n`)
  for (const [name, figure] of Object.entries(figures)) process.stdout.write(`# ${name} ${figure}\n`)
}

/** Starts or reaches the server and creates the template. `binDir`: programs other than the built-in ones. */
async function openServer(binDir: string | undefined): Promise<OpenServer> {
  const url = process.env.TEST_DATABASE_URL
  return url ? openGiven(url) : openOwn(binDir)
}

/** Accounts of tests are on a shard there. */
async function openCitus(url: string): Promise<OpenServer> {
  const prefix = `carnet_test_${randomUUID().slice(0, 8)}`
  const close = () => dropOnAllNodes(url, prefix)
  try {
    const { server, version } = await makeCitusTemplate(url, prefix)
    const environment = {
      [TEST_SERVER_VARIABLE]: JSON.stringify(server),
      CARNET_TEST_SHARDED: '1',
      CARNET_TEST_CITUS: '1',
    }
    return { name: version.split(' on ')[0] ?? version, environment, close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
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
  const folder = mkdtempSync(join(TEMPORARY, `${FOLDER}${process.pid}-`))
  // When started by root, the server runs as another user, who needs access.
  chmodSync(folder, 0o711)
  // Only tests can enter the socket's folder.
  const hbaFile = join(folder, 'hba.conf')
  writeFileSync(hbaFile, 'local all all trust\n')
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'run'),
    ...(binDir === undefined ? {} : { binDir }),
    log: () => {},
    // No data of this server must survive a power cut. Servers started by the tests keep fsync on.
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      hba_file: hbaFile,
      // The servers of all files of a process are open together.
      max_connections: '500',
      // For test/faults/plans.test.ts: only its database has the extension.
      shared_preload_libraries: 'pg_stat_statements',
      'pg_stat_statements.track': 'none',
    },
  })
  const { socketDir, port, user, database } = postgres
  const close = async () => {
    await postgres.stop()
    await removeFolder(folder)
  }
  try {
    const { server, version } = await makeTemplate({ socketDir, port, user, database }, 'carnet_test')
    const environment = {
      [TEST_SERVER_VARIABLE]: JSON.stringify({ ...server, hasCheapCheckpoints: true }),
      // The tests' temporary files are removed with this folder, even after a crash.
      TMPDIR: folder,
      ...(binDir === undefined ? {} : { PG_BIN_DIR: binDir }),
    }
    return { name: `PostgreSQL ${version}, ${binDir ?? 'embedded'}`, environment, close }
  } catch (error) {
    await close()
    throw error
  }
}
