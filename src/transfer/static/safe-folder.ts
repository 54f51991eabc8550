/**
 * Writes and deletes below one folder, whatever somebody has put there: a path cannot lead out of it, no symlink is
 * followed, and nothing of another user is touched.
 */
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../kernel/errors.ts'
import { isOwnedByUser } from '../../kernel/process/private-file.ts'

export type SafeFolder = {
  /** Writes a file with the folders above it. `path` has slashes; one that leads out is refused with `validation`. */
  write: (path: string, body: Buffer | string) => Promise<void>
  /** Puts a whole file in the place of another, in one step. */
  replace: (path: string, body: string) => Promise<void>
  /** Deletes a file, if it is there. */
  remove: (path: string) => Promise<void>
  /** Opens a file of this user to read it, or to append. */
  open: (path: string, how: 'read' | 'append') => Promise<FileHandle>
}

const OTHERS_MAY_WRITE = 0o002
const { O_APPEND, O_CREAT, O_RDWR, O_RDONLY, O_NOFOLLOW = 0 } = constants
const FLAGS = { read: O_RDONLY | O_NOFOLLOW, append: O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW }

const refused = (message: string) => new AppError('validation', `${message} Name a folder that is new.`)

/** Makes the folder if it is not there. Throws `validation` for one of another user, or that everybody may write into. */
export async function openSafeFolder(root: string): Promise<SafeFolder> {
  await mkdir(root, { recursive: true })
  const found = await stat(root)
  if (!isOwnedByUser(found)) throw refused(`${root} belongs to another user (number ${found.uid}).`)
  if ((found.mode & OTHERS_MAY_WRITE) !== 0) throw refused(`Everybody may write into ${root}.`)
  const known = new Set<string>()
  const write = async (path: string, body: Buffer | string, sync = false) => {
    const at = await locate(root, path, known, true)
    const file = await openNew(at)
    try {
      await file.writeFile(body)
      if (sync) await file.sync()
    } finally {
      await file.close()
    }
  }
  return {
    write: (path, body) => write(path, body),
    async replace(path, body) {
      await write(`${path}.partial`, body, true)
      await rename(join(root, `${path}.partial`), join(root, path))
    },
    async remove(path) {
      await rm(await locate(root, path, known, false), { force: true })
    },
    async open(path, how) {
      const at = await locate(root, path, known, false)
      const file = await open(at, FLAGS[how]).catch(error => {
        throw error.code === 'ELOOP' ? notOurs(at) : error
      })
      const stats = await file.stat()
      if (stats.isFile() && isOwnedByUser(stats)) return file
      await file.close()
      throw notOurs(at)
    },
  }
}

/** Exclusively: what has the name already is deleted, not written into. */
async function openNew(at: string): Promise<FileHandle> {
  try {
    return await open(at, 'wx')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    await unlink(at)
    return open(at, 'wx')
  }
}

/** Where a path is, after a look at each folder above it. `known`: those that were looked at before. */
async function locate(root: string, path: string, known: Set<string>, make: boolean): Promise<string> {
  const names = path.split('/')
  if (names.some(name => name === '' || name === '.' || name === '..' || /[\0\\]/.test(name)))
    throw refused(`${JSON.stringify(path)} is no file below ${root}.`)
  let at = root
  for (const name of names.slice(0, -1)) {
    at = join(at, name)
    if (known.has(at)) continue
    if (make) await makeFolder(at)
    const found = await lstat(at).catch(() => undefined)
    if (found === undefined) continue
    if (!found.isDirectory() || !isOwnedByUser(found)) throw notOurs(at)
    known.add(at)
  }
  return join(at, names.at(-1) ?? '')
}

async function makeFolder(at: string): Promise<void> {
  await mkdir(at).catch(error => {
    if (error.code !== 'EEXIST') throw error
  })
}

const notOurs = (at: string) => refused(`${at} is a symlink, or something else that no export has put there.`)
