/** Finds and ends a process's descendants: killing a parent does not end them. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { sendSignal } from '../src/kernel/process/processes.ts'

export type Child = { pid: number; parent: number; command: string }

export const childrenOf = (pid: number): Child[] => listProcesses().filter(({ parent }) => parent === pid)

export function descendantsOf(pid: number, all: readonly Child[] = listProcesses()): Child[] {
  const children = all.filter(({ parent }) => parent === pid)
  return children.flatMap(child => [child, ...descendantsOf(child.pid, all)])
}

/**
 * Kills the descendants. PostgreSQL gets a normal shutdown, because a kill would leave its shared memory
 * behind.
 */
export function endDescendants(pid: number, all: readonly Child[] = listProcesses()): void {
  for (const child of all.filter(({ parent }) => parent === pid)) {
    if (/(?:^|\/)postgres$/.test(child.command)) sendSignal(child.pid, 'SIGINT')
    else {
      sendSignal(child.pid, 'SIGKILL')
      endDescendants(child.pid, all)
    }
  }
}

const listProcesses = () => (process.platform === 'linux' ? readProc() : askPs())

/**
 * Reads /proc, see proc(5): the name in parentheses may contain anything; state and parent follow the last
 * parenthesis.
 */
function readProc(): Child[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
        const close = stat.lastIndexOf(')')
        const [state = 'X', parent] = stat.slice(close + 2).split(' ')
        if (/[ZX]/.test(state)) return []
        return [
          { pid: Number(name), parent: Number(parent), command: stat.slice(stat.indexOf('(') + 1, close) },
        ]
      } catch {
        // The process has just ended.
        return []
      }
    })
}

function askPs(): Child[] {
  const { pid: ps, stdout } = spawnSync('/bin/ps', ['-A', '-o', 'stat=,pid=,ppid=,comm='], {
    encoding: 'utf8',
  })
  return [...stdout.matchAll(/^\s*[^Z\s]\S*\s+(\d+)\s+(\d+)\s+(.*\S)/gm)]
    .map(([, pid, parent, command = '']) => ({ pid: Number(pid), parent: Number(parent), command }))
    .filter(({ pid }) => pid !== ps)
}
