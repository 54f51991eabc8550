/**
 * Which crash tests have a change near them. They repeat more in a complete run than those without one, whose
 * repetitions are left to each night's `npm run test:full`.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The test files that repeat more, separated by commas; not set if all do. */
export const NEAR_VARIABLE = 'CARNET_TEST_NEAR'

/** Whatever all crash tests go through: connections, transactions, the database's start, and the tests' setup. */
const OF_ALL = ['src/kernel/', 'src/cli/', 'migrations/', 'test/cli/processes.ts', 'test/database.ts']
const IMPORT = ['src/transfer/', 'src/passports/write/', 'src/console/spreadsheets/']
/** Where a change is near to a test file. */
export const NEAR: Readonly<Record<string, readonly string[]>> = {
  'cli/crash': ['src/passports/', 'src/accounts/', 'src/api/'],
  'cli/idempotency': ['src/accounts/', 'src/api/', 'src/passports/write/'],
  'cli/import-crash': IMPORT,
  'cli/refresh-crash': ['src/passports/', 'src/api/'],
  'webhooks/crash': ['src/webhooks/', 'src/worker/'],
}

/** Of files changed since main, as paths below the root; undefined if they are not known. */
export function findNear(changed: readonly string[] | undefined): string[] {
  return Object.entries(NEAR)
    .filter(([name, places]) => {
      const near = [`test/${name}.test.ts`, ...places, ...OF_ALL]
      return changed?.some(file => near.some(place => file.startsWith(place))) ?? true
    })
    .map(([name]) => join(import.meta.dirname, `${name}.test.ts`))
}

/**
 * The files that differ from main, or from the last commit's parent on main itself. Undefined outside of a
 * repository and for a copy without a history.
 */
export function listChanged(root: string): string[] | undefined {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const head = git('rev-parse', 'HEAD')
    const base = git('merge-base', 'HEAD', findMain(git))
    const lines = [
      git('diff', '--name-only', base === head ? 'HEAD~1' : base),
      git('ls-files', '--others', '--exclude-standard'),
    ]
    return lines.flatMap(one => one.split('\n')).filter(one => one !== '')
  } catch {
    return undefined
  }
}

function findMain(git: (...words: string[]) => string): string {
  const [main = 'main'] = git(
    'for-each-ref',
    '--format=%(refname)',
    'refs/remotes/origin/main',
    'refs/heads/main',
  )
    .split('\n')
    .toReversed()
  return main
}
