/** Stores for servers and commands of tests: copies of one that a run makes once, because that takes seconds. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withProcessLock } from '../../src/kernel/process/process-lock.ts'
import { HANG_MS } from '../waiting.ts'
import { emptyFolder, start } from './processes.ts'

/** The folder for the run's store; set by `test/run.ts`. */
export const STORE_VARIABLE = 'CARNET_TEST_STORE'

const run = promisify(execFile)

/**
 * Like `emptyFolder`, with a migrated store without accounts in `place`. For tests about something else than
 * the first start on an empty data directory.
 */
export async function folderWithStore(place = '.') {
  const folder = await emptyFolder()
  const within = process.env[STORE_VARIABLE]
  if (within === undefined) return folder
  const store = await makeStore(within)
  const target = join(folder.path, place)
  await mkdir(target, { recursive: true })
  const files = (await readdir(store)).map(name => join(store, name))
  // Keeps the owner, which is another user if the tests run as root.
  await run('cp', ['-a', ...files, target])
  return folder
}

async function makeStore(within: string): Promise<string> {
  const store = join(within, 'store')
  const message = 'Another test has been making the store for tests for too long.'
  if (!existsSync(store))
    await withProcessLock({ path: join(within, 'lock'), timeoutMs: HANG_MS, message }, async () => {
      if (existsSync(store)) return
      const unfinished = `${store}-${process.pid}`
      await mkdir(unfinished)
      await chmod(unfinished, 0o755)
      const { said, ended } = start(['migrate'], { cwd: within, env: { DATA_DIR: unfinished } })
      const [code] = await ended
      if (code !== 0) throw new Error(`no store could be made: ${said.stderr}`)
      await rename(unfinished, store)
    })
  return store
}
