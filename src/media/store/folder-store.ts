/** Files in a folder: written under a temporary name, synced, then renamed. */
import { mkdir, open, opendir, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { findErrorCode, isDiskFull } from '../../kernel/errors/errors.ts'
import { syncNewFolders } from '../../kernel/process/new-folders.ts'
import { writePrivateFile } from '../../kernel/process/private-file.ts'
import { type ByteRange, type ReadRange, resolveRange } from './byte-range.ts'
import { type MediaStore, StoreFullError } from './media-store.ts'

export function openFolder(path: string): MediaStore {
  const root = resolve(path)
  return {
    place: root,
    async write(key, bytes) {
      const file = join(root, key)
      const folder = dirname(file)
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      try {
        syncNewFolders(folder, await mkdir(folder, { recursive: true, mode: 0o700 }))
        await writePrivateFile(file, put => put(content))
      } catch (error) {
        throw isDiskFull(error) ? new StoreFullError() : error
      }
    },
    read: key => unlessMissing(() => readFile(join(root, key))),
    readRange: (key, range) => unlessMissing(() => readFileRange(join(root, key), range)),
    /** Also what a killed process has left of it under a temporary name, and the folder if it is empty. */
    async delete(key) {
      const file = join(root, key)
      const folder = dirname(file)
      await rm(file, { force: true })
      for (const name of await listNames(folder))
        if (name.startsWith(`${basename(file)}.`) && name.endsWith('.partial'))
          await rm(join(folder, name), { force: true })
      if ((await listNames(folder)).length === 0) await removeEmptyFolder(folder)
    },
    async *listKeys() {
      for await (const path of listFiles(root)) yield relative(root, path).split(sep).join('/')
    },
  }
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function readFileRange(path: string, range: ByteRange): Promise<ReadRange> {
  await using file = await open(path)
  const { size } = await file.stat()
  const { from, end } = resolveRange(range, size) ?? { from: 0, end: 0 }
  const bytes = Buffer.alloc(end - from)
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, from + done)
    if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`)
    done += bytesRead
  }
  return { bytes, from, size }
}

const listNames = async (folder: string): Promise<string[]> =>
  (await unlessMissing(() => readdir(folder))) ?? []

async function removeEmptyFolder(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (error) {
    // Another process has removed it, or has just stored something in it.
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(findErrorCode(error) ?? '')) throw error
  }
}

async function* listFiles(folder: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) yield* listFiles(path)
      else yield path
    }
  } catch (error) {
    // Nothing has been stored yet, or the last file of the folder was deleted meanwhile.
    if (findErrorCode(error) !== 'ENOENT') throw error
  }
}
