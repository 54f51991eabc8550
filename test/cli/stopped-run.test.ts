/** Tests that a stopped test run also ends everything that it and its test files started. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sendSignal, waitForEnd } from '../../src/kernel/process/processes.ts'
import { descendantsOf } from '../descendants.ts'
import { emptyFolder } from './processes.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const ENDED_WITHIN_MS = 15_000

/**
 * A test file that ignores SIGTERM, like a browser driver, and starts a child that ignores signals in its own
 * process group, like a browser.
 */
const fileThat = (waits: string) => `
import { spawn } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
test('never ends', async () => {
  process.on('SIGTERM', () => {})
  const deaf = 'for (const name of ["SIGTERM", "SIGINT"]) process.on(name, () => {}); setInterval(() => {}, 1_000)'
  const child = spawn(process.execPath, ['-e', deaf], { detached: true, stdio: 'ignore' })
  writeFileSync(import.meta.filename + '.new', child.pid + ' ' + process.pid)
  renameSync(import.meta.filename + '.new', import.meta.filename + '.pids')
  ${waits}
})
`

test('npm test ended by SIGTERM leaves no process behind, neither its own nor the database nor those of the tests', async t => {
  const folder = await emptyFolder()
  t.after(folder.remove)
  const files = {
    'waits.test.ts': 'await new Promise(() => {})',
    'blocks.test.ts': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
  }
  const paths = Object.entries(files).map(([name, waits]) => {
    const path = join(folder.path, name)
    writeFileSync(path, fileThat(waits))
    return path
  })
  const { PATH = '', HOME = '/', NODE_COMPILE_CACHE = '' } = process.env
  const npm = spawn('npm', ['test', '--', ...paths], {
    cwd: ROOT,
    env: { PATH, HOME, NODE_COMPILE_CACHE, TMPDIR: tmpdir() },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const output of [npm.stdout, npm.stderr]) output.setEncoding('utf8').on('data', text => (said += text))
  const ended = once(npm, 'close')

  const written = paths.map(path => `${path}.pids`)
  while (!written.every(path => existsSync(path)) && npm.exitCode === null) await pause(20)
  assert.equal(npm.exitCode, null, said)
  const started = descendantsOf(npm.pid ?? 0)
  const ofFiles = written.flatMap(path => readFileSync(path, 'utf8').split(' ').map(Number))
  assert.deepEqual(
    ofFiles.filter(pid => !started.some(one => one.pid === pid)),
    [],
  )
  assert.ok(started.some(({ command }) => command.endsWith('postgres')))

  npm.kill('SIGTERM')
  const left = (
    await Promise.all(started.map(async one => ((await waitForEnd(one.pid, ENDED_WITHIN_MS)) ? [] : [one])))
  ).flat()
  for (const { pid } of left) sendSignal(pid, 'SIGKILL')
  assert.deepEqual(left, [], said)
  await ended
})
