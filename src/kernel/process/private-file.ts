/** Writes files that only their owner may read and that appear complete: backups, exports. */
import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Version 0.1 wrote `NAME.partial`. */
const PARTIAL = /(\.[0-9a-f]{16})?\.partial$/

export type WriteChunk = (piece: Buffer | string) => Promise<void>

/**
 * Writes a file under a random name beside `path` and renames it when it is completely on disk. The random
 * name is opened with O_EXCL, so a symlink or file that somebody put there in advance has no effect.
 */
export async function writePrivateFile<T>(path: string, write: (put: WriteChunk) => Promise<T>): Promise<T> {
  const partial = `${path}.${randomBytes(8).toString('hex')}.partial`
  const file = await open(partial, 'wx', 0o600)
  try {
    // The umask reduces open()'s mode and never extends it, but a default ACL of the folder can extend it.
    await file.chmod(0o600)
    const result = await write(piece => file.writeFile(piece))
    await file.sync()
    await file.close()
    await rename(partial, path)
    await syncFolder(dirname(path))
    return result
  } catch (error) {
    await file.close()
    await rm(partial, { force: true })
    throw error
  }
}

/** Creates a folder under a random name beside `path` and renames it when `write` has put its files there. */
export async function writePrivateFolder<T>(path: string, write: (folder: string) => Promise<T>): Promise<T> {
  const partial = `${path}.${randomBytes(8).toString('hex')}.partial`
  await mkdir(partial, { mode: 0o700 })
  try {
    const result = await write(partial)
    await rename(partial, path)
    await syncFolder(dirname(path))
    return result
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r')
  await folder.sync()
}

/** Returns true if anything has this name, even a broken symlink. */
export async function pathExists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined
}

/**
 * Deletes the leftovers of this user's killed processes in a folder of files named `name`: files, and folders
 * that `isOurs` knows by the names of their files.
 */
export async function deletePartialFiles(
  folder: string,
  name: RegExp,
  isOurs: (names: readonly string[]) => boolean,
): Promise<void> {
  for (const entry of await readdir(folder)) {
    if (!PARTIAL.test(entry) || !name.test(entry.replace(PARTIAL, ''))) continue
    const path = join(folder, entry)
    const found = await lstat(path).catch(() => undefined)
    if (found === undefined || !isOwnedByUser(found)) continue
    if (found.isFile() || (found.isDirectory() && isOurs(await readdir(path))))
      await rm(path, { recursive: true, force: true })
  }
}

/** Returns true if a file or folder belongs to this process's user. Always true on Windows. */
export const isOwnedByUser = ({ uid }: { uid: number }): boolean =>
  process.geteuid === undefined || uid === process.geteuid()
