/**
 * Security bound: writes and deletes only below one folder. No path leads outside, no symlink is followed,
 * and no file of another user is touched.
 */
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { findErrorCode, invalidInput } from '../../kernel/errors.ts'
import { isOwnedByUser } from '../../kernel/process/private-file.ts'

export type SafeFolder = Awaited<ReturnType<typeof openSafeFolder>>

const OTHERS_MAY_WRITE = 0o002
const { O_APPEND, O_CREAT, O_RDWR, O_RDONLY, O_NOFOLLOW = 0 } = constants
const FLAGS = { read: O_RDONLY | O_NOFOLLOW, append: O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW }

export const invalidFolder = (message: string) => invalidInput(`${message} Choose a new folder.`)

/** Creates the folder if needed. Throws `validation` if another user owns it or everybody may write to it. */
export async function openSafeFolder(root: string) {
  await mkdir(root, { recursive: true })
  const found = await stat(root)
  if (!isOwnedByUser(found)) throw invalidFolder(`${root} belongs to another user (number ${found.uid}).`)
  if ((found.mode & OTHERS_MAY_WRITE) !== 0) throw invalidFolder(`Everybody can write to ${root}.`)
  const known = new Set<string>()
  const write = async (path: string, body: Buffer | string, sync = false) => {
    await using file = await openNew(await locate(root, path, known, true))
    await file.writeFile(body)
    if (sync) await file.sync()
  }
  return {
    /** Writes a file and creates its folders. `path` has slashes. Throws `validation` if it leads outside. */
    write: (path: string, body: Buffer | string): Promise<void> => write(path, body),
    /** Replaces a file atomically: the new one is on disk before it gets the name. Creates its folders. */
    async replace(path: string, body: Buffer | string): Promise<void> {
      await write(`${path}.partial`, body, true)
      await rename(join(root, `${path}.partial`), join(root, path))
    },
    async remove(path: string): Promise<void> {
      await rm(await locate(root, path, known, false), { force: true })
    },
    async open(path: string, how: keyof typeof FLAGS): Promise<FileHandle> {
      const at = await locate(root, path, known, false)
      const file = await open(at, FLAGS[how]).catch(error => {
        throw error.code === 'ELOOP' ? foreignEntry(at) : error
      })
      const stats = await file.stat()
      if (stats.isFile() && isOwnedByUser(stats)) return file
      await file.close()
      throw foreignEntry(at)
    },
  }
}

/** Creates and opens a file; an existing file is deleted first, never overwritten in place. */
async function openNew(at: string): Promise<FileHandle> {
  try {
    return await open(at, 'wx')
  } catch (error) {
    if (findErrorCode(error) !== 'EEXIST') throw error
    await unlink(at)
    return open(at, 'wx')
  }
}

/** Resolves a path after checking each folder above it. `known`: folders checked before. */
async function locate(root: string, path: string, known: Set<string>, create: boolean): Promise<string> {
  const names = path.split('/')
  if (names.some(name => name === '' || name === '.' || name === '..' || /[\0\\]/.test(name)))
    throw invalidFolder(`${JSON.stringify(path)} is not a file below ${root}.`)
  let at = root
  for (const name of names.slice(0, -1)) {
    at = join(at, name)
    if (known.has(at)) continue
    if (create)
      await mkdir(at).catch(error => {
        if (error.code !== 'EEXIST') throw error
      })
    const found = await lstat(at).catch(() => undefined)
    if (found === undefined) continue
    if (!found.isDirectory() || !isOwnedByUser(found)) throw foreignEntry(at)
    known.add(at)
  }
  return join(at, names.at(-1) ?? '')
}

const foreignEntry = (at: string) =>
  invalidFolder(`${at} is a symlink, or something else that no export created.`)
