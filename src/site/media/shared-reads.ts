/**
 * Files that are being sent. Readers of the same file share its bytes, and all files together have a limit:
 * a reader who takes a minute for 20 MiB must not cost 20 MiB of memory.
 */
import type { ServerResponse } from 'node:http'
import { unavailable } from '../../kernel/errors/errors.ts'
import {
  type ByteRange,
  countRangeBytes,
  formatRange,
  type ReadRange,
  sliceRange,
} from '../../media/store/byte-range.ts'
import type { MediaStore } from '../../media/store/media-store.ts'

/**
 * A longer range is cut from the whole file, which all its readers share. Otherwise a few readers of slightly
 * different ranges of a large file would use up the limit. PDF viewers mostly ask for 64 KiB.
 */
const MAX_RANGE_BYTES = 1024 * 1024

/** A whole file or a range of one. */
type SharedFile = { found: Promise<ReadRange | undefined>; readers: number; usedBytes: number }

export type SharedReads = {
  /**
   * The bytes of an object, which stay counted until the response has ended. Undefined if it does not exist.
   * Throws `unavailable` if too many bytes are being sent.
   */
  read(key: string, response: ServerResponse): Promise<Buffer | undefined>
  /** The same for a range. Reads the rest of the file only if the range is long. */
  readRange(key: string, range: ByteRange, response: ServerResponse): Promise<ReadRange | undefined>
  /** How many are being sent; those that several readers share count once. */
  usedBytes(): number
}

export function createSharedReads(
  store: Pick<MediaStore, 'read' | 'readRange'>,
  maxBytes: number,
): SharedReads {
  const files = new Map<string, SharedFile>()
  let usedBytes = 0
  const open = (name: string, found: SharedFile['found']): SharedFile => {
    const file: SharedFile = { found, readers: 0, usedBytes: 0 }
    files.set(name, file)
    found.then(
      part => {
        if (files.get(name) !== file) return
        file.usedBytes = part?.bytes.length ?? 0
        usedBytes += file.usedBytes
      },
      () => undefined,
    )
    return file
  }
  const release = (name: string, file: SharedFile) => {
    file.readers--
    if (file.readers > 0) return
    files.delete(name)
    usedBytes -= file.usedBytes
  }
  const share = (name: string, response: ServerResponse, read: () => SharedFile['found']) => {
    if (!files.has(name) && usedBytes >= maxBytes)
      throw unavailable('Too many large files are being sent. Try again in a moment.')
    const file = files.get(name) ?? open(name, read())
    file.readers++
    if (response.closed) release(name, file)
    else response.once('close', () => release(name, file))
    return file.found
  }
  const shareWhole = (key: string, response: ServerResponse) =>
    share(key, response, async () => {
      const bytes = await store.read(key)
      return bytes && { bytes, from: 0, size: bytes.length }
    })
  return {
    read: (key, response) => shareWhole(key, response).then(whole => whole?.bytes),
    async readRange(key, range, response) {
      if (!files.has(key) && countRangeBytes(range) <= MAX_RANGE_BYTES)
        return share(`${key} ${formatRange(range)}`, response, () => store.readRange(key, range))
      const whole = await shareWhole(key, response)
      return whole && sliceRange(whole.bytes, range)
    },
    usedBytes: () => usedBytes,
  }
}
