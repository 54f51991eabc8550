/**
 * Lets test files share a process in a complete run: to start one, with the server's modules, takes more
 * processor time than most files need for their tests.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** As many as take about as long together as one of the slow files, and far less than the heap's 512 MB. */
const MAX_FILES = 9

/**
 * What a file needs a process of its own for: browsers and other processes, which compete with its tests;
 * settings, signals, stand-ins and hooks, which would reach other files; durations, which other files change.
 */
const NEEDS_OWN_PROCESS = [
  /\/(?:chromium|browser-stand|whole-stand|processes|[a-z]+-process)\.ts'/,
  /node:child_process|process\.(?:env|on)\b|\bmock\.|performance\.now/,
  /^(?:before|after)Each\(/m,
]
const ALONE = [
  // They change the categories or labels that the whole process knows.
  ...['categories/every-reader', 'i18n/missing-label'],
  // It needs most of the heap: eight files with it exhausted 512 MB.
  'transfer/read-spreadsheet',
].map(name => join(import.meta.dirname, `${name}.test.ts`))

/**
 * The entry files of the processes: the files that must be alone, in their order, and a new file in `folder`
 * for each group, after those named in `first`.
 */
export function groupFiles(files: readonly string[], first: readonly string[], folder: string): Entries {
  const early = files.filter(file => first.includes(file))
  const others = files.filter(file => !first.includes(file))
  const alone = others.filter(needsOwnProcess)
  const shared = others.filter(file => !alone.includes(file))
  return new Map([...listAlone(early), ...writeGroups(shared, folder), ...listAlone(alone)])
}

/** Each entry file of a process, with the test files that it runs. */
export type Entries = ReadonlyMap<string, readonly string[]>

export const listAlone = (files: readonly string[]) => new Map(files.map(file => [file, [file]]))

function needsOwnProcess(file: string): boolean {
  const source = readFileSync(file, 'utf8')
  return ALONE.includes(file) || NEEDS_OWN_PROCESS.some(reason => reason.test(source))
}

function writeGroups(files: readonly string[], folder: string): [string, string[]][] {
  const count = Math.ceil(files.length / MAX_FILES)
  return Array.from({ length: count }, (_, group) => {
    // Files of a folder, which often take about as long as each other, are in different groups.
    const members = files.filter((_, n) => n % count === group)
    const path = join(folder, `group-${group + 1}.test.mjs`)
    writeFileSync(path, members.map(file => `import '${pathToFileURL(file).href}'\n`).join(''))
    return [path, members]
  })
}
