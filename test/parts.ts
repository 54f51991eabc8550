/**
 * Splits a complete run into parts for machines beside each other: `npm test -- --part=1/2 --answers=FOLDER`
 * on each, and then `npm test -- --answers=FOLDER` where the files of all are.
 */
import { copyFileSync, existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entries } from './groups.ts'

/** `index` begins with 1. */
export type Part = { index: number; count: number }

/** Reads flags such as `--part=1/2`; undefined without, and for nonsense. */
export function findPart(flags: Iterable<string>): Part | undefined {
  for (const flag of flags) {
    const [, index = 0, count = 0] = (/^--part=(\d+)\/(\d+)$/.exec(flag) ?? []).map(Number)
    if (index >= 1 && index <= count) return { index, count }
  }
  return undefined
}

export const findAnswersFolder = (flags: Iterable<string>): string | undefined =>
  [...flags].find(flag => flag.startsWith('--answers='))?.slice('--answers='.length)

/** The entries of a part, of which each takes about as long. `entries`: the longest first. */
export function choosePart(
  entries: Entries,
  { index, count }: Part,
  secondsOf: (file: string) => number,
): Entries {
  const seconds = Array.from({ length: count }, () => 0)
  return new Map(
    [...entries].filter(([, files]) => {
      const shortest = seconds.indexOf(Math.min(...seconds))
      seconds[shortest] = files.reduce((sum, file) => sum + secondsOf(file), seconds[shortest] ?? 0)
      return shortest === index - 1
    }),
  )
}

/** Keeps the answers that a part has seen. */
export function keepAnswers(seen: string, folder: string, { index, count }: Part): void {
  mkdirSync(folder, { recursive: true })
  // Some parts may see no answer.
  writeFileSync(join(folder, `${index}-of-${count}-.txt`), '')
  for (const name of globSync('*.txt', { cwd: seen }))
    copyFileSync(join(seen, name), join(folder, `${index}-of-${count}-${name}`))
}

/** The parts that have kept no answers; undefined if none has. */
export function findMissingParts(folder: string): string[] | undefined {
  const names = existsSync(folder) ? globSync('*-of-*.txt', { cwd: folder }) : []
  const [, count] = /^\d+-of-(\d+)-/.exec(names[0] ?? '') ?? []
  if (count === undefined) return undefined
  const parts = Array.from({ length: Number(count) }, (_, n) => `${n + 1}-of-${count}`)
  return parts.filter(part => !names.some(name => name.startsWith(`${part}-`)))
}
