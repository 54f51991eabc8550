/** Runs commands in a process that is there already. */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { sha256Hex } from '../../src/kernel/crypto/crypto.ts'
import { findErrorCode } from '../../src/kernel/errors/errors.ts'

export type Command = {
  words: readonly string[]
  cwd: string
  env: Record<string, string>
  /** Written to both outputs after those of the command. */
  end: string
}
/** `open`: what would keep a process of its own from ending. */
export type Result = { code: number; open: readonly string[] }

/** The folder in which a run notes the commands that had a process of their own; set by `test/run.ts`. */
export const COMMANDS_VARIABLE = 'CARNET_TEST_COMMANDS'

let runner: ChildProcess | undefined
let isBusy = false
const known = new Set<string>()

/**
 * True for the first command of a name in a run, which shows that its process ends, and for those beside
 * another command.
 */
export function needsProcess(words: readonly string[]): boolean {
  const name = words.slice(0, 2).join(' ')
  return isFirst(name) || isBusy
}

function isFirst(name: string): boolean {
  if (known.has(name)) return false
  known.add(name)
  const folder = process.env[COMMANDS_VARIABLE]
  if (folder === undefined) return true
  try {
    // Created by one of all processes that try.
    writeFileSync(join(folder, `command-${sha256Hex(name)}`), name, { flag: 'wx' })
    return true
  } catch (error) {
    if (findErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** `words` and so on as in `carnet`. Fails if something would keep a process of its own from ending. */
export async function runCommand(words: readonly string[], cwd: string, env: Record<string, string>) {
  isBusy = true
  runner ??= startRunner()
  const child = runner
  const { stdout, stderr } = child
  assert.ok(stdout !== null && stderr !== null)
  hold(child, true)
  try {
    const end = `\n${randomUUID()}\n`
    const ended = once(child, 'message') as Promise<[Result]>
    const outputs = Promise.all([readUntil(stdout, end), readUntil(stderr, end)])
    child.send({ words, cwd, env, end } satisfies Command)
    const [[{ code, open }], [out, err]] = await Promise.all([ended, outputs])
    assert.deepEqual(open, [], `carnet ${words.join(' ')} leaves something open`)
    return { code, stdout: out, stderr: err }
  } finally {
    hold(child, false)
    isBusy = false
  }
}

function startRunner(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'commands-process.ts'), [], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  child.stdout?.setEncoding('utf8')
  child.stderr?.setEncoding('utf8')
  child.once('close', () => {
    runner = undefined
  })
  return child
}

/** Returns true if this process waits for the runner. */
function hold(child: ChildProcess, isWaiting: boolean): void {
  const method = isWaiting ? 'ref' : 'unref'
  child[method]()
  child.channel?.[method]()
  for (const output of [child.stdout, child.stderr] as (Readable & { ref(): void; unref(): void })[])
    output[method]()
}

function readUntil(stream: Readable, end: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const read = (more: string) => {
      text += more
      if (!text.endsWith(end)) return
      stop()
      resolve(text.slice(0, -end.length))
    }
    const fail = () => {
      stop()
      reject(new Error(`the process of the commands ended: ${text}`))
    }
    const stop = () => {
      stream.off('data', read)
      stream.off('close', fail)
    }
    stream.on('data', read)
    stream.on('close', fail)
  })
}
