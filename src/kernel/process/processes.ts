/**
 * Looks up processes in the system, because the number of an ended process may be reused by another program.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { findErrorCode } from '../errors/errors.ts'

type RunningProcess = {
  /** Differs between all processes that ever had the same number. */
  identity: string
  command: string
  /** Working directory; undefined if the system does not report it. */
  cwd: string | undefined
}

/** The process with this number, if it runs and is not a zombie. */
export function findProcess(pid: number): RunningProcess | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  return process.platform === 'linux' ? readProc(pid) : askPs(pid)
}

/**
 * See proc(5): the name in parentheses may contain anything, so fields are counted from the last parenthesis.
 */
function readProc(pid: number): RunningProcess | undefined {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (stat === undefined) return undefined
  const close = stat.lastIndexOf(')')
  const fields = stat.slice(close + 2).split(' ')
  const [state = 'X'] = fields
  if (/[ZX]/.test(state)) return undefined
  const boot = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? ''
  const startTime = fields[19] ?? ''
  return {
    identity: `${boot} ${startTime}`,
    command: stat.slice(stat.indexOf('(') + 1, close),
    cwd: tryRead(() => readlinkSync(`/proc/${pid}/cwd`)),
  }
}

function tryRead(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function askPs(pid: number): RunningProcess | undefined {
  const line = tryRead(() =>
    execFileSync('/bin/ps', ['-o', 'stat=,lstart=,comm=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const match = /^\s*(\S+)\s+(\w+ +\w+ +\d+ +\S+ +\d+)\s+(.*\S)/.exec(line ?? '')
  if (!match || match[1]?.startsWith('Z')) return undefined
  return { identity: match[2] ?? '', command: match[3] ?? '', cwd: undefined }
}

const POLL_MS = 10

/** Waits until the process has ended; false if it still runs after `timeoutMs`. */
export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs
  while (findProcess(pid) !== undefined) {
    if (performance.now() > until) return false
    await pause(POLL_MS)
  }
  return true
}

/** Sends a signal, unless the process has ended. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (findErrorCode(error) !== 'ESRCH') throw error
  }
}
