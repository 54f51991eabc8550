/** The real command line as real processes, each on a data directory of its own. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

/** An empty folder that goes away with the test. Others may enter: started by root, PostgreSQL runs as somebody else. */
export async function emptyFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'carnet-cli-'))
  await chmod(path, 0o755)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** `main`: of another tree than this one. */
export type Settings = { cwd: string; env?: Record<string, string>; main?: string }

/** What this test file started and has not ended yet, by child: nothing else is ever signalled. */
const running = new Set<ChildProcess>()

/** Ends in order whatever a failed test left running, the embedded database with it. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...running].map(async child => {
      const ended = once(child, 'close')
      child.kill('SIGINT')
      await ended
    }),
  )
}

/** What Node itself reads, and no setting of Carnet's. */
const { PATH = '', HOME = '/', NODE_COMPILE_CACHE = '' } = process.env

/** Starts `carnet` with none of this process's settings; what it prints is gathered. */
export function start(words: readonly string[], { cwd, env = {}, main = MAIN }: Settings) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...words], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
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

/** Runs a command to its end. */
export async function carnet(words: readonly string[], settings: Settings) {
  const { said, ended } = start(words, settings)
  const [code] = await ended
  return { code, ...said }
}

/** The JSON result of a command that is done. */
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
  /** Milliseconds from the start of the process to the word that it listens. */
  upAfterMs: number
  /** Sends a signal and waits for the end; milliseconds it took. */
  stop: (signal?: NodeJS.Signals) => Promise<number>
}

/** Starts `carnet serve` (or `demo`) and waits until it says where it listens; `said` is its JSON. */
export async function serve(settings: Settings, words: readonly string[] = ['serve']): Promise<Served> {
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
