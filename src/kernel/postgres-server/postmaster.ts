/** The server process of a data directory: found by what it writes there, started, waited for, ended in bounded time. */
import { readFileSync, realpathSync } from 'node:fs'
import { open, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError, findErrorCode } from '../errors.ts'
import { findProcess, sendSignal, waitForEnd } from '../process/processes.ts'
import type { Launcher } from './launcher.ts'
import { SOCKET_PORT } from './socket-directory.ts'

export type Postmaster = { pid: number; socketDir: string; isReady: boolean }

const PID_FILE = 'postmaster.pid'
const POLL_MS = 10

/** What `postmaster.pid` says (pidfile.h: a line each), of whatever process that was. */
export function readPidFile(pgDir: string): Postmaster | undefined {
  let lines: string[]
  try {
    lines = readFileSync(join(pgDir, PID_FILE), 'utf8').split('\n')
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
  const [pid, , , , socketDir = '', , , status = ''] = lines
  return { pid: Number(pid), socketDir, isReady: status.trim() === 'ready' }
}

/** The server that runs on this data directory, ready or not; undefined when the file speaks of a dead process. */
export function findPostmaster(pgDir: string): Postmaster | undefined {
  const written = readPidFile(pgDir)
  if (written === undefined) return undefined
  const found = findProcess(written.pid)
  const isOurs =
    found !== undefined &&
    /postgres|postmaster/.test(found.command) &&
    (found.cwd === undefined || found.cwd === realpathSync(pgDir))
  return isOurs ? written : undefined
}

/**
 * PostgreSQL does not start while any process of its user has the number in the file, even another program that got
 * it after a crash. In every other case the file stays: PostgreSQL looks in it for children that outlived a killed
 * server. Only under the process lock, and when `findPostmaster` has found none.
 */
export async function removeMisleadingPidFile(pgDir: string): Promise<void> {
  const written = readPidFile(pgDir)
  if (written !== undefined && isTaken(written.pid)) await rm(join(pgDir, PID_FILE), { force: true })
}

/** Also by a process that has ended and was not reaped. */
function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * Waits until this process serves the data; undefined when it ends instead.
 * Throws AppError `unavailable` after `until` (of performance.now()).
 */
export async function waitUntilReady(
  pgDir: string,
  pid: number,
  until: number,
): Promise<Postmaster | undefined> {
  while (findProcess(pid) !== undefined) {
    const written = readPidFile(pgDir)
    if (written?.pid === pid && written.isReady) return written
    if (performance.now() > until) {
      throw new AppError('unavailable', `The database in ${pgDir} did not become ready in time.`)
    }
    await pause(POLL_MS)
  }
  return undefined
}

/** What may be overridden. Sized for a machine of two cores and a few GB. */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '128MB',
  max_connections: '100',
  work_mem: '8MB',
  maintenance_work_mem: '128MB',
  // Bounds crash recovery to a few seconds.
  max_wal_size: '1GB',
  random_page_cost: '1.1',
  jit: 'off',
  // Without statements that were refused: they quote values of passports.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

export type Start = {
  pgDir: string
  socketDir: string
  logFile: string
  binDir: string
  launcher: Launcher
  settings: Readonly<Record<string, string>>
}

/** Starts a server that outlives this process, and waits until it is ready, for as long as `waitUntilReady` does. */
export async function launchPostmaster(start: Start, until: number): Promise<Postmaster> {
  const { pgDir, launcher, binDir, logFile } = start
  const settings = { ...SETTINGS, ...start.settings, ...onlyByItsSocket(start.socketDir) }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  for (;;) {
    const log = await openLog(logFile, launcher)
    try {
      const pid = await launcher.launch(join(binDir, 'postgres'), ['-D', pgDir, ...args], log.fd)
      const ready = await waitUntilReady(pgDir, pid, until)
      if (ready) return ready
    } finally {
      await log.close()
    }
    const said = readFileSync(logFile).subarray(log.end).toString()
    if (!isTemporary(said) || performance.now() > until) throw startError(said, logFile)
    await pause(POLL_MS)
  }
}

const onlyByItsSocket = (socketDir: string) => ({
  listen_addresses: '',
  port: String(SOCKET_PORT),
  unix_socket_directories: socketDir,
  unix_socket_permissions: '0700',
})

/** After `kill -9` of the server its own children are given a moment to notice. */
const isTemporary = (said: string) => /pre-existing shared memory block/.test(said)

function startError(said: string, logFile: string): AppError {
  const lines = said.split('\n')
  const complaint = lines.findLast(line => /FATAL|PANIC/.test(line)) ?? lines.findLast(line => line !== '')
  const reason = complaint?.replace(/^.*?(FATAL|PANIC): +/, '') ?? 'it ended without a word'
  return new AppError(
    'unavailable',
    `The embedded PostgreSQL did not start: ${reason}. Its log is ${logFile}.`,
  )
}

const MAX_LOG_BYTES = 8 * 2 ** 20

async function openLog(path: string, { user }: Launcher) {
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  if (size > MAX_LOG_BYTES) await truncate(path)
  const handle = await open(path, 'a', 0o600)
  if (process.getuid?.() === 0) await handle.chown(user.uid, user.gid)
  const { size: end } = await handle.stat()
  return { fd: handle.fd, end, close: () => handle.close() }
}

const FAST_SHUTDOWN_TIMEOUT_MS = 4_000
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 1_000

/** Ends the server: in good order within four seconds, else at once, which the next start recovers from. */
export async function shutDown({ pid }: { pid: number }): Promise<void> {
  sendSignal(pid, 'SIGINT')
  if (await waitForEnd(pid, FAST_SHUTDOWN_TIMEOUT_MS)) return
  sendSignal(pid, 'SIGQUIT')
  if (await waitForEnd(pid, IMMEDIATE_SHUTDOWN_TIMEOUT_MS)) return
  sendSignal(pid, 'SIGKILL')
}
