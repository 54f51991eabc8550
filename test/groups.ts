/**
 * Lets test files share a process in a complete run: to start one, with the server's modules, takes more
 * processor time than most files need for their tests.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nameFile, readSeconds } from './seconds.ts'

/** The seconds of a process: few enough that the last ones end at about the same time. */
const MAX_SECONDS = 90
/** A number that needs far less than the heap's 512 MB. */
const MAX_FILES = 20
/** For a file that `seconds.json` does not know. */
const UNKNOWN_SECONDS = 4

/**
 * Matches code that would reach the files that follow: hooks of the process, and changes of its environment
 * or modules.
 */
const NEEDS_OWN_PROCESS =
  /process\.on\('unhandledRejection'|process\.env(?:\.\w+|\[\w+\]) = |delete process\.env|\.prototype,/
const ALONE = [
  // They change the categories or labels that the whole process knows.
  'categories/every-reader',
  'i18n/missing-label',
  // It needs most of the heap: eight files with it exhausted 512 MB.
  'transfer/read-spreadsheet',
  // They import packages that load in several steps, which cannot happen within a suite.
  'qr/label-texts',
  'standards/signing/verifiers',
].map(name => join(import.meta.dirname, `${name}.test.ts`))
const measured = readSeconds()
const SUITES = pathToFileURL(join(import.meta.dirname, 'files-in-suites.ts')).href

/** Each entry file of a process, with the test files that it runs. */
export type Entries = ReadonlyMap<string, readonly string[]>

export const listAlone = (files: readonly string[]) => new Map(files.map(file => [file, [file]]))

/** The entry files of the processes, the longest first; new files in `folder` for groups. */
export function groupFiles(files: readonly string[], folder: string): Entries {
  const groups: Group[] = []
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const group = needsOwnProcess(file) ? undefined : groups.find(one => hasRoom(one, file))
    if (group === undefined) groups.push(startGroup(file))
    else add(group, file)
  }
  const longestFirst = groups.toSorted((a, b) => b.seconds - a.seconds)
  return new Map(longestFirst.map(({ files }, index) => writeEntry(files, index, folder)))
}

type Group = { files: string[]; seconds: number; isClosed: boolean }

const startGroup = (file: string): Group => ({
  files: [file],
  seconds: secondsOf(file),
  isClosed: needsOwnProcess(file),
})

const hasRoom = ({ files, seconds, isClosed }: Group, file: string) =>
  !isClosed && files.length < MAX_FILES && seconds + secondsOf(file) <= MAX_SECONDS

function add(group: Group, file: string): void {
  group.files.push(file)
  group.seconds += secondsOf(file)
}

/** How long a test file takes, without the start of its process. */
export const secondsOf = (file: string) => measured[nameFile(file)] ?? UNKNOWN_SECONDS

const needsOwnProcess = (file: string) =>
  ALONE.includes(file) || NEEDS_OWN_PROCESS.test(readFileSync(file, 'utf8'))

function writeEntry(files: readonly string[], index: number, folder: string): [string, readonly string[]] {
  const [only] = files
  if (only !== undefined && files.length === 1) return [only, files]
  const path = join(folder, `group-${index + 1}.test.mjs`)
  const names = JSON.stringify(files.map(nameFile))
  writeFileSync(path, `import { runInSuites } from '${SUITES}'\n\nrunInSuites(${names})\n`)
  return [path, files]
}
