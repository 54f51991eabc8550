/** Runs the real command line in real processes, each on its own data directory. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needsProcess, runCommand } from './command-runner.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

/**
 * An empty folder, removed after the test. Other users may enter it: when started by root, PostgreSQL runs as
 * another user.
 */
export async function emptyFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'carnet-cli-'))
  await chmod(path, 0o755)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** `main`: the entry file of another source tree. `hasOwnGroup`: a process group, for `killGroup`. */
export type Settings = { cwd: string; env?: Record<string, string>; main?: string; hasOwnGroup?: boolean }

/** The running processes of this test file. No other process is ever signalled. */
const running = new Set<ChildProcess>()

/** Stops what a failed test left running, including the embedded database. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...running].map(async child => {
      const ended = once(child, 'close')
      child.kill('SIGINT')
      await ended
    }),
  )
}

/** Variables for Node itself, none of them Carnet's. */
const { PATH = '', HOME = '/', NODE_COMPILE_CACHE = '' } = process.env
const BASE = { PATH, HOME, NODE_COMPILE_CACHE, LOG_LEVEL: 'warn' }

/** Starts `carnet` without this process's settings and collects its output. */
export function start(
  words: readonly string[],
  { cwd, env = {}, main = MAIN, hasOwnGroup = false }: Settings,
) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...words], {
    cwd,
    env: { ...BASE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: hasOwnGroup,
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    said.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    said.stderr += text
  })
  return { child, said, ended: once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]> }
}

/** Runs a command to its end: the first of a name in a process of its own, more of them in one that is there. */
export async function carnet(words: readonly string[], settings: Settings) {
  const { cwd, env = {}, main, hasOwnGroup = false } = settings
  if (main === undefined && !hasOwnGroup && !needsProcess(words)) {
    return runCommand(words, cwd, { ...BASE, ...env })
  }
  const { said, ended } = start(words, settings)
  const [code] = await ended
  return { code, ...said }
}

/** The JSON result of a successful command. */
export async function carnetJson<T>(words: readonly string[], settings: Settings): Promise<T> {
  const { code, stdout, stderr } = await carnet([...words, '--json'], settings)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as T
}

export type Served = {
  child: ChildProcess
  url: string
  said: { stdout: string; stderr: string }
  ended: Promise<[number | null, NodeJS.Signals | null]>
  /** Milliseconds from the start of the process until it reports that it listens. */
  upAfterMs: number
  /** Sends a signal and waits for the end. Returns the milliseconds. */
  stop: (signal?: NodeJS.Signals) => Promise<number>
}

const MAX_STARTS = 5

/** Starts `carnet serve` (or `demo`) and waits for its address. `said` is its output. */
export async function serve(settings: Settings, words: readonly string[] = ['serve']): Promise<Served> {
  for (let starts = 1; ; starts++) {
    try {
      return await serveOnce(settings, words)
    } catch (error) {
      // Tests beside this one can take the free port before the server listens on it.
      const isPortTaken = settings.env?.PORT === '0' && /is used by another program/.test(String(error))
      if (!isPortTaken || starts === MAX_STARTS) throw error
    }
  }
}

async function serveOnce(settings: Settings, words: readonly string[]): Promise<Served> {
  const began = performance.now()
  const { child, said, ended } = start([...words, '--json'], settings)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.stdout?.on('data', () => {
    if (!said.stdout.endsWith('}\n')) return
    const { url } = JSON.parse(said.stdout) as { url: string }
    resolve(url)
  })
  ended.then(([code]) => reject(new Error(`carnet ${words.join(' ')} ended with ${code}: ${said.stderr}`)))
  const url = await promise
  return {
    child,
    url,
    said,
    ended,
    upAfterMs: performance.now() - began,
    async stop(signal = 'SIGINT') {
      const told = performance.now()
      child.kill(signal)
      await ended
      return performance.now() - told
    },
  }
}

/** Kills the server and all its processes at once, as a machine that stops does. */
export async function killGroup({ child, ended }: Served): Promise<void> {
  assert.ok(child.pid)
  process.kill(-child.pid, 'SIGKILL')
  await ended
}
