/** Runs the tests of writes beside each other for longer than `npm test` does. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { say } from './look-through.ts'

const TESTS = [
  'test/api/order-of-locks.test.ts',
  'test/api/order-of-locks-shards.test.ts',
  'test/api/revert-race.test.ts',
]

/** Returns 1 if a test failed. */
export async function writesBeside(seconds: number): Promise<number> {
  const root = join(import.meta.dirname, '..')
  const more = { CARNET_LOCKS_SECONDS: String(seconds), CARNET_REVERT_ROUNDS: '1000' }
  const run = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'run.ts'), ...TESTS],
    { stdio: 'inherit', env: { ...process.env, ...more } },
  )
  const code = await new Promise<number>(resolve => run.on('exit', ended => resolve(ended ?? 1)))
  say(`writes beside each other: ${code === 0 ? 'no deadlock, no 503, each revert whole' : 'failed'}`)
  return code === 0 ? 0 : 1
}
