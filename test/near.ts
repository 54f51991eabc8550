/**
 * Which tests with many repetitions have a change near them. They repeat more in a complete run than those
 * without one, whose repetitions are left to each night's `npm run test:full`.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The test files that repeat more, separated by commas; not set if all do. */
export const NEAR_VARIABLE = 'CARNET_TEST_NEAR'

/** Whatever all crash tests go through: connections, transactions, the database's start, and the tests' setup. */
const OF_CRASHES = ['src/kernel/', 'src/cli/', 'migrations/', 'test/cli/processes.ts', 'test/database.ts']
const IMPORT = ['src/transfer/', 'src/passports/write/', 'src/console/spreadsheets/']
const afterCrashes = (...places: readonly string[]) => [...places, ...OF_CRASHES]
/** Where data is checked, stored and inherited, and random data made. */
const DATA = ['src/categories/', 'src/passports/', 'test/categories/']
/** Where requests are read and answered. */
const ROUTES = [
  'src/kernel/',
  'src/api/',
  'src/console/',
  'src/site/',
  'src/cli/server/',
  'test/faults/worst/',
]
/** Where a change is near to a test file. */
export const NEAR: Readonly<Record<string, readonly string[]>> = {
  'cli/crash': afterCrashes('src/passports/', 'src/accounts/', 'src/api/'),
  'cli/idempotency': afterCrashes('src/accounts/', 'src/api/', 'src/passports/write/'),
  'cli/import-crash': afterCrashes(...IMPORT),
  'cli/refresh-crash': afterCrashes('src/passports/', 'src/api/'),
  'webhooks/crash': afterCrashes('src/webhooks/', 'src/worker/'),
  'api/random-bodies': [...DATA, 'src/api/', 'src/kernel/', 'migrations/'],
  'faults/worst-calls': ROUTES,
  'passports/inheritance': [...DATA, 'src/kernel/db/', 'migrations/', 'test/passports/'],
  'site/random': [...DATA, 'src/site/', 'src/api/', 'locales/'],
}

/** Lists files changed since main, as paths below the root; undefined if they are not known. */
export function findNear(changed: readonly string[] | undefined): string[] {
  return Object.entries(NEAR)
    .filter(([name, places]) => {
      const near = [`test/${name}.test.ts`, ...places]
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
