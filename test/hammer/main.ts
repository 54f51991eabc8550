/**
 * `npm run hammer -- --count 1000000 --seed 7`: runs any number of the random requests of `hammer.test.ts`.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { count: { type: 'string' }, seed: { type: 'string' } } })
const { count = '1000000', seed = String(Date.now() % 1_000_000) } = values
if (!/^[1-9]\d{0,8}$/.test(count) || !/^\d{1,9}$/.test(seed)) {
  process.stderr.write('--count and --seed are whole numbers; a count of at least 1.\n')
  process.exit(2)
}
const run = spawn(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    join(import.meta.dirname, '../run.ts'),
    join(import.meta.dirname, 'hammer.test.ts'),
  ],
  { stdio: 'inherit', env: { ...process.env, CARNET_HAMMER_COUNT: count, CARNET_HAMMER_SEED: seed } },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.kill(signal))
run.on('exit', code => {
  process.exitCode = code ?? 1
})
