/** How long test files take, without the start of their process: by it they are put together in processes. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Written by `npm test -- --measure`, on a quiet machine. */
const FILE = join(import.meta.dirname, 'seconds.json')

/** The name of a test file in seconds.json and in the output. */
export const nameFile = (file: string) => relative(import.meta.dirname, file)

/** The seconds by name. */
export const readSeconds = (): Record<string, number | undefined> => JSON.parse(readFileSync(FILE, 'utf8'))

/** `times`: milliseconds by file. */
export function storeSeconds(times: ReadonlyMap<string, number>): void {
  const rows = [...times].map(([file, ms]) => [nameFile(file), Math.round(ms / 100) / 10] as const)
  const sorted = Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`)
}

export function formatSlowest(times: ReadonlyMap<string, number>, max: number): string {
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, max)
  return slowest
    .map(([file, ms]) => `${(ms / 1_000).toFixed(1).padStart(6)} s test/${nameFile(file)}\n`)
    .join('')
}
