/** The files of one passport in a mirror, or those that passports share: writes those that differ. */
import { hash } from 'node:crypto'
import { findErrorCode } from '../../kernel/errors/errors.ts'
import type { StaticFile } from '../static/passport-pages.ts'
import type { SafeFolder } from '../static/safe-folder.ts'

export type HashedFile = [path: string, sha256: string]

/** One for each group whose files changed; the last one of a group counts. */
export type JournalLine = { of: string; writing?: string[]; files?: HashedFile[] }

/** Shared by the groups of a folder. */
export type GroupStore = {
  folder: SafeFolder
  /** JSON of the files of each group. */
  groups: Map<string, string>
  /** Files that a killed run may have written. */
  unsure: Map<string, Set<string>>
  append: (line: JournalLine) => Promise<void>
  countWritten: (path: string, bytes: number) => void
  countRemoved: (path: string) => void
}

export type MirrorGroup = Awaited<ReturnType<typeof openMirrorGroup>>

/** `keeps`: files that are not put again stay. `reads`: compares with the files, not with known hashes. */
export type GroupOptions = { keeps: boolean; reads: boolean }

export async function openMirrorGroup(
  { folder, groups, unsure, append, countWritten, countRemoved }: GroupStore,
  of: string,
  { keeps, reads }: GroupOptions,
) {
  const known = new Map(parseFiles(groups.get(of)))
  for (const path of unsure.get(of) ?? []) known.set(path, '')
  unsure.delete(of)
  if (reads) for (const path of known.keys()) known.set(path, (await hashFile(folder, path)) ?? '')
  const put = new Set<string>()
  const next = new Map(keeps ? known : [])
  const store = async (files: HashedFile[]) => {
    const text = JSON.stringify(files.sort(compareFiles))
    if (text === groups.get(of)) return
    groups.set(of, text)
    await append({ of, files })
  }
  return {
    wasKnown: (path: string): boolean => (known.get(path) ?? '') !== '',
    has: (path: string): boolean => put.has(path),
    /** Keeps a file as it is. */
    keep(path: string): void {
      put.add(path)
      next.set(path, known.get(path) ?? '')
    },
    async put(...files: readonly StaticFile[]): Promise<void> {
      const changed: StaticFile[] = []
      for (const { path, body } of files) {
        const sha256 = hash('sha256', body, 'hex')
        if ((next.get(path) ?? known.get(path)) !== sha256) changed.push({ path, body })
        put.add(path)
        next.set(path, sha256)
      }
      if (changed.length === 0) return
      // First the journal: after a kill it is unknown which of these files are written.
      await append({ of, writing: changed.map(({ path }) => path) })
      await Promise.all(changed.map(({ path, body }) => folder.replace(path, body)))
      for (const { path, body } of changed) countWritten(path, Buffer.byteLength(body))
    },
    /** Before it is closed: what a run after a kill has to know. */
    remember: () => store([...new Map([...known, ...next])]),
    /** Removes files that were not put, and remembers the others. */
    async close(): Promise<void> {
      const gone = [...known.keys()].filter(path => !next.has(path) || next.get(path) === '')
      if (gone.length > 0) await append({ of, writing: gone })
      for (const path of gone) {
        next.delete(path)
        for (const name of [path, `${path}.partial`]) await folder.remove(name)
        countRemoved(path)
      }
      known.clear()
      await store([...next])
    },
  }
}

export const parseFiles = (text: string | undefined): HashedFile[] =>
  text === undefined ? [] : JSON.parse(text)

export const compareFiles = ([a]: HashedFile, [b]: HashedFile) => (a < b ? -1 : a > b ? 1 : 0)

/** Undefined if there is no such file. */
async function hashFile(folder: SafeFolder, path: string): Promise<string | undefined> {
  try {
    await using file = await folder.open(path, 'read')
    return hash('sha256', await file.readFile(), 'hex')
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
