/** The server process of a data directory: finds, starts, awaits and stops it. */
import { readFileSync, realpathSync } from 'node:fs'
import { open, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AppError, findErrorCode, unavailable } from '../errors/errors.ts'
import { findProcess, sendSignal, waitForEnd } from '../process/processes.ts'
import type { Launcher } from './launcher.ts'
import { SOCKET_PORT } from './socket-directory.ts'

export type Postmaster = { pid: number; socketDir: string; isReady: boolean }

const PID_FILE = 'postmaster.pid'
const POLL_MS = 10

/** The content of `postmaster.pid` (see PostgreSQL's pidfile.h), whichever process wrote it. */
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

/** The server on this data directory, ready or not; undefined for a dead process. */
export function findPostmaster(pgDir: string): Postmaster | undefined {
  const written = readPidFile(pgDir)
  if (written === undefined) return undefined
  const found = findProcess(written.pid)
  if (found === undefined || !/postgres|postmaster/.test(found.command)) return undefined
  return found.cwd === undefined || found.cwd === realpathSync(pgDir) ? written : undefined
}

/**
 * PostgreSQL does not start while a process of its user has the number in the file, even another program that
 * got it after a crash. In all other cases the file stays, because PostgreSQL uses it to find children of a
 * killed server. Only under the process lock, and if `findPostmaster` finds none.
 */
export async function removeMisleadingPidFile(pgDir: string): Promise<void> {
  const written = readPidFile(pgDir)
  if (written !== undefined && isTaken(written.pid)) await rm(join(pgDir, PID_FILE), { force: true })
}

/** Also true for a zombie process. */
function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * Waits until this process serves the data; undefined if it ends instead. Throws AppError `unavailable` after
 * `until` (of performance.now()).
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
      throw unavailable(`The database in ${pgDir} did not become ready in time.`)
    }
    await pause(POLL_MS)
  }
  return undefined
}

/** Defaults, sized for a machine of two cores and a few GB. */
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
  // Rejected statements are not logged, because they contain passport data.
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

/** Starts a server that outlives this process, and waits until it is ready, like `waitUntilReady`. */
export async function launchPostmaster(start: Start, until: number): Promise<Postmaster> {
  const { pgDir, launcher, binDir, logFile } = start
  const settings = {
    ...SETTINGS,
    ...start.settings,
    listen_addresses: '',
    port: String(SOCKET_PORT),
    unix_socket_directories: start.socketDir,
    unix_socket_permissions: '0700',
  }
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
    const lines = readFileSync(logFile).subarray(log.end).toString()
    // After `kill -9` of a server, its children take a moment to notice.
    const isTemporary = lines.includes('pre-existing shared memory block')
    if (!isTemporary || performance.now() > until) throw startError(lines.split('\n'), logFile)
    await pause(POLL_MS)
  }
}

function startError(lines: readonly string[], logFile: string): AppError {
  const last = lines.findLast(line => /FATAL|PANIC/.test(line)) ?? lines.findLast(line => line !== '')
  const reason = last?.replace(/^.*?(FATAL|PANIC): +/, '') ?? 'it ended without a message'
  const advice = reason.includes('No space left')
    ? ' The disk is full: free some space where DATA_DIR is.'
    : ''
  return unavailable(`The embedded PostgreSQL did not start: ${reason}.${advice} Its log is ${logFile}.`)
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

/** Stops the server: normally within four seconds, else immediately, and the next start recovers. */
export async function shutDown({ pid }: { pid: number }): Promise<void> {
  sendSignal(pid, 'SIGINT')
  if (await waitForEnd(pid, FAST_SHUTDOWN_TIMEOUT_MS)) return
  sendSignal(pid, 'SIGQUIT')
  if (await waitForEnd(pid, IMMEDIATE_SHUTDOWN_TIMEOUT_MS)) return
  sendSignal(pid, 'SIGKILL')
}
