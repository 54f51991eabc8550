/** Tests a log that cannot be written, as on a full disk: the server keeps serving, and stops on request. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { assertWithin, STUCK_MS } from '../waiting.ts'
import { emptyFolder } from './processes.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const FULL = '/dev/full'
const STOPPED_WITHIN_MS = 6_000

let folder: Awaited<ReturnType<typeof emptyFolder>>
before(async () => {
  folder = await emptyFolder()
})
after(() => folder.remove())

describe('a server whose log cannot be written because the disk is full', {
  skip: existsSync(FULL) ? false : `no ${FULL} here`,
}, () => {
  for (const [format, workers] of [
    ['json', '1'],
    ['pretty', '1'],
    ['json', '2'],
  ] as const) {
    test(`as ${format}, WORKERS=${workers}`, { timeout: STUCK_MS }, async context => {
      const { PATH = '', HOME = '/' } = process.env
      const env = {
        PATH,
        HOME,
        DATA_DIR: folder.path,
        PORT: '0',
        WORKERS: workers,
        LOG_LEVEL: 'debug',
        LOG_FORMAT: format,
      }
      const child = spawn(process.execPath, [MAIN, 'serve', '--json'], {
        cwd: folder.path,
        env,
        stdio: ['ignore', 'pipe', openSync(FULL, 'w')],
      })
      const ended = once(child, 'exit')
      context.after(() => child.kill('SIGKILL'))
      let said = ''
      for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
        said += chunk
        if (said.endsWith('}\n')) break
      }
      const { url } = JSON.parse(said) as { url: string }
      for (let i = 0; i < 200; i++) assert.equal((await fetch(`${url}/healthz`)).status, 200)
      await assertWithin(STOPPED_WITHIN_MS, async () => {
        child.kill('SIGTERM')
        const [code] = await ended
        assert.equal(code, 0)
      })
    })
  }
})
