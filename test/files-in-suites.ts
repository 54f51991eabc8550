/**
 * Runs several test files in one process, one after another, each as a suite of its name: what a file's
 * `before` opens is closed by its `after` before the next file begins.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe } from 'node:test'

const require = createRequire(import.meta.url)

/** `names`: paths of test files below this folder. */
export function runInSuites(names: readonly string[]): void {
  for (const name of names) describe(name, () => require(join(import.meta.dirname, name)))
}
