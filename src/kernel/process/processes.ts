/** What the system says of a process: a number alone may by now be another program's. */

import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { findErrorCode } from '../errors.ts'

type RunningProcess = {
  /** Differs from that of every other process that had or will have the same number. */
  identity: string
  command: string
  /** Working directory; undefined where the system does not tell. */
  cwd: string | undefined
}

/** The running process of that number; undefined when there is none, or one that has ended and was not reaped. */
export function findProcess(pid: number): RunningProcess | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  return process.platform === 'linux' ? readProc(pid) : askPs(pid)
}

/** proc(5): the name in parentheses may hold anything, so fields are counted behind the last one. */
function readProc(pid: number): RunningProcess | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  const close = stat.lastIndexOf(')')
  const fields = stat.slice(close + 2).split(' ')
  const [state = 'X'] = fields
  if (/[ZX]/.test(state)) return undefined
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  const startTime = fields[19] ?? ''
  return {
    identity: `${boot} ${startTime}`,
    command: stat.slice(stat.indexOf('(') + 1, close),
    cwd: cwdOf(pid),
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function cwdOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

function askPs(pid: number): RunningProcess | undefined {
  try {
    const line = execFileSync('/bin/ps', ['-o', 'stat=,lstart=,comm=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const match = /^\s*(\S+)\s+(\w+ +\w+ +\d+ +\S+ +\d+)\s+(.*\S)/.exec(line)
    if (!match || match[1]?.startsWith('Z')) return undefined
    return { identity: match[2] ?? '', command: match[3] ?? '', cwd: undefined }
  } catch {
    return undefined
  }
}

const POLL_MS = 10

/** Waits until the process has ended; false when it still runs after `timeoutMs`. */
export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs
  while (findProcess(pid) !== undefined) {
    if (performance.now() > until) return false
    await pause(POLL_MS)
  }
  return true
}

/** Sends a signal; a process that has ended in the meantime is none to complain about. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (findErrorCode(error) !== 'ESRCH') throw error
  }
}
