/**
 * Files that are being sent. Readers of the same file share its bytes, and all files together have a limit:
 * a reader who takes a minute for 20 MiB must not cost 20 MiB of memory.
 */
import type { ServerResponse } from 'node:http'
import { unavailable } from '../../kernel/errors.ts'

type SharedFile = { bytes: Promise<Buffer | undefined>; readers: number; size: number }

export type SharedReads = {
  /**
   * The bytes of an object, which stay counted until the response has ended. Undefined if it does not exist.
   * Throws `unavailable` if too many bytes are being sent.
   */
  read(key: string, response: ServerResponse): Promise<Buffer | undefined>
  /** How many are being sent; those that several readers share count once. */
  usedBytes(): number
}

export function createSharedReads(
  read: (key: string) => Promise<Buffer | undefined>,
  maxBytes: number,
): SharedReads {
  const files = new Map<string, SharedFile>()
  let usedBytes = 0
  const open = (key: string): SharedFile => {
    const file: SharedFile = { bytes: read(key), readers: 0, size: 0 }
    files.set(key, file)
    file.bytes.then(
      bytes => {
        if (files.get(key) !== file) return
        file.size = bytes?.length ?? 0
        usedBytes += file.size
      },
      () => undefined,
    )
    return file
  }
  const release = (key: string, file: SharedFile) => {
    file.readers--
    if (file.readers > 0) return
    files.delete(key)
    usedBytes -= file.size
  }
  return {
    read(key, response) {
      if (!files.has(key) && usedBytes >= maxBytes)
        throw unavailable('Too many large files are being sent. Try again in a moment.')
      const file = files.get(key) ?? open(key)
      file.readers++
      if (response.closed) release(key, file)
      else response.once('close', () => release(key, file))
      return file.bytes
    },
    usedBytes: () => usedBytes,
  }
}
