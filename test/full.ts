/** How long tests with many repetitions run: see `npm run test:full` and test/near.ts. */
import { fileURLToPath } from 'node:url'
import { NEAR_VARIABLE } from './near.ts'

/** Returns true if to run all tests at full length: `npm run test:full`. */
export const IS_FULL = process.env.CARNET_TEST_FULL !== undefined

const near = process.env[NEAR_VARIABLE]?.split(',')

/**
 * The repetitions of a test: `full` at full length, `near` if something near it has changed or somebody has
 * named the file, otherwise `few`. `url`: that of the test file.
 */
export function countRepetitions(url: string, counts: { few: number; near: number; full: number }): number {
  if (IS_FULL) return counts.full
  return hasChangeNear(url) ? counts.near : counts.few
}

/** True if something near a test file has changed, or somebody has named it. `url`: that of the test file. */
export const hasChangeNear = (url: string): boolean =>
  IS_FULL || near === undefined || near.includes(fileURLToPath(url))
