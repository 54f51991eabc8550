/** Files in a folder: written under a temporary name, synced, then renamed. */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { findErrorCode } from '../../kernel/errors.ts'
import { syncNewFolders } from '../../kernel/process/new-folders.ts'
import { writePrivateFile } from '../../kernel/process/private-file.ts'
import type { MediaStore } from './media-store.ts'

export function openFolder(path: string): MediaStore {
  const root = resolve(path)
  return {
    place: root,
    async write(key, bytes) {
      const file = join(root, key)
      const folder = dirname(file)
      await syncNewFolders(folder, await mkdir(folder, { recursive: true, mode: 0o700 }))
      await writePrivateFile(file, put => put(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
    },
    async read(key) {
      try {
        return await readFile(join(root, key))
      } catch (error) {
        if (findErrorCode(error) === 'ENOENT') return undefined
        throw error
      }
    },
    delete: key => rm(join(root, key), { force: true }),
  }
}
