/** Tests faults in the first moments of a start with the embedded database: it fails, or everything is killed. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { childrenOf } from '../descendants.ts'
import { waitUntil } from '../waiting.ts'
import { postmasterPid } from './postmaster.ts'
import { emptyFolder, endAll, type Served, type Settings, serve, start } from './processes.ts'

const BLINK_MS = 50
const BLINKS = 40
/** The moments at which everything is killed, as parts of the time that a first start takes. */
const MOMENTS = [0.2, 0.5, 0.8]

let folder: Awaited<ReturnType<typeof emptyFolder>>
let firstStartMs: number
before(async () => {
  folder = await emptyFolder()
  // The database exists already, so that its first moments are those of the server.
  const server = await serve(settings('1'))
  firstStartMs = server.upAfterMs
  await server.stop()
})
afterEach(endAll)
after(() => folder.remove())

const settings = (WORKERS: string, path = folder.path): Settings => ({
  cwd: path,
  env: { DATA_DIR: path, PORT: '0', LOG_LEVEL: 'info', WORKERS },
})

/** The processes of connections; others of PostgreSQL have no user in their title. */
function listBackends(postmaster: number): number[] {
  return childrenOf(postmaster)
    .map(({ pid }) => pid)
    .filter(pid => {
      try {
        return /^postgres: carnet\S* \S+ /.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
      } catch {
        return false
      }
    })
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended.
    }
  }
}

type Fault = { name: string; workers: readonly string[]; cause: (postmaster: number) => Promise<void> | void }

const FAULTS: readonly Fault[] = [
  {
    name: 'loses its connections again and again',
    workers: ['1', '2'],
    async cause(postmaster) {
      for (let n = 0; n < BLINKS; n++) {
        signal(listBackends(postmaster), 'SIGTERM')
        await pause(BLINK_MS)
      }
    },
  },
  {
    name: 'restarts because a connection crashed',
    workers: ['1'],
    cause: postmaster => signal(listBackends(postmaster).slice(0, 1), 'SIGKILL'),
  },
  { name: 'is killed', workers: ['1'], cause: postmaster => signal([postmaster], 'SIGKILL') },
]

async function assertReady({ url }: Pick<Served, 'url'>): Promise<void> {
  await waitUntil('it is ready', async () => (await fetch(`${url}/readyz`)).status === 200)
}

describe('an embedded database that in the first moments of a start', {
  skip: !existsSync('/proc/self'),
}, () => {
  for (const { name, workers, cause } of FAULTS) {
    for (const WORKERS of workers) {
      test(`${name}: the server serves in the end; WORKERS=${WORKERS}`, async () => {
        const { child, said, ended } = start(['serve', '--json'], settings(WORKERS))
        let postmaster = 0
        await waitUntil('it connects', async () => {
          assert.equal(child.exitCode, null, said.stderr)
          postmaster = await postmasterPid(folder.path).catch(() => 0)
          return postmaster > 0 && listBackends(postmaster).length > 0
        })
        await cause(postmaster)
        await waitUntil('the server serves', () => {
          assert.equal(child.exitCode, null, said.stderr)
          return said.stdout.endsWith('}\n')
        })
        await assertReady(JSON.parse(said.stdout))
        assert.doesNotMatch(said.stderr, /unexpected error/i)
        child.kill('SIGTERM')
        assert.deepEqual(await ended, [0, null], said.stderr)
      })
    }
  }
})

describe('a first start that is killed with its database', () => {
  for (const part of MOMENTS) {
    test(`after ${part * 100} % of its time: the next start serves`, async () => {
      const own = await emptyFolder()
      try {
        const { child, ended } = start(['serve', '--json'], {
          ...settings('1', own.path),
          hasOwnGroup: true,
        })
        await pause(firstStartMs * part)
        signal(
          [await postmasterPid(own.path).catch(() => 0)].filter(pid => pid > 0),
          'SIGKILL',
        )
        signal([-(child.pid ?? 0)], 'SIGKILL')
        await ended
        const again = await serve(settings('1', own.path))
        await assertReady(again)
        await again.stop()
      } finally {
        await own.remove()
      }
    })
  }
})
