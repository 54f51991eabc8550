/**
 * Decompresses the parts of a ZIP archive in chunks, up to a limit, because the declared sizes may be wrong.
 */
import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { SpreadsheetError } from './spreadsheet-error.ts'

type Part = { method: number; start: number; size: number }

/** APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16. */
const END = 0x06054b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50
const MAX_COMMENT_BYTES = 65_535
const MAX_PARTS = 5_000
/** Security bounds: 100,000 rows of 40 columns decompress to about 250 MB. */
const MAX_UNPACKED_BYTES = 400 * 1024 * 1024
const MAX_SMALL_PART_BYTES = 8 * 1024 * 1024
const ENCRYPTED = 1

export type ZipParts = ReturnType<typeof openZip>

/** Throws `SpreadsheetError`. */
export function openZip(bytes: Buffer) {
  const parts = readDirectory(bytes)
  let remainingBytes = MAX_UNPACKED_BYTES
  /**
   * Yields the decompressed bytes of a part; nothing if the part does not exist. Throws `SpreadsheetError`.
   */
  async function* read(name: string): AsyncGenerator<Buffer> {
    const part = parts.get(name)
    if (part === undefined) return
    const packed = bytes.subarray(part.start, part.start + part.size)
    if (part.method !== 0 && part.method !== 8) throw new SpreadsheetError('broken')
    const source = Readable.from([packed])
    const stream = part.method === 0 ? source : source.pipe(createInflateRaw({ chunkSize: 64 * 1024 }))
    const pieces: AsyncIterable<Buffer> = stream
    try {
      for await (const piece of pieces) {
        remainingBytes -= piece.length
        if (remainingBytes < 0) throw new SpreadsheetError('too_much')
        yield piece
      }
    } catch (error) {
      throw error instanceof SpreadsheetError ? error : new SpreadsheetError('broken')
    } finally {
      stream.destroy()
    }
  }

  return {
    has: (name: string) => parts.has(name),
    read,
    /** Returns the text of a small part. Throws `SpreadsheetError` if the part is too large. */
    async text(name: string): Promise<string> {
      const pieces: Buffer[] = []
      let size = 0
      for await (const piece of read(name)) {
        size += piece.length
        if (size > MAX_SMALL_PART_BYTES) throw new SpreadsheetError('too_much')
        pieces.push(piece)
      }
      return Buffer.concat(pieces).toString('utf8')
    },
  }
}

function readDirectory(bytes: Buffer): Map<string, Part> {
  try {
    return listParts(bytes)
  } catch (error) {
    throw error instanceof RangeError ? new SpreadsheetError('broken') : error
  }
}

function listParts(bytes: Buffer): Map<string, Part> {
  const end = findDirectoryEnd(bytes)
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  if (count > MAX_PARTS) throw new SpreadsheetError('too_much')
  const parts = new Map<string, Part>()
  for (let n = 0; n < count; n++) {
    if (bytes.readUInt32LE(at) !== CENTRAL) throw new SpreadsheetError('broken')
    if ((bytes.readUInt16LE(at + 8) & ENCRYPTED) !== 0) throw new SpreadsheetError('old_excel')
    const nameLength = bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const local = bytes.readUInt32LE(at + 42)
    if (bytes.readUInt32LE(local) !== LOCAL) throw new SpreadsheetError('broken')
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    parts.set(name.replaceAll('\\', '/'), {
      method: bytes.readUInt16LE(at + 10),
      start,
      size: bytes.readUInt32LE(at + 20),
    })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return parts
}

function findDirectoryEnd(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - 22 - MAX_COMMENT_BYTES)
  for (let at = bytes.length - 22; at >= first; at--) if (bytes.readUInt32LE(at) === END) return at
  throw new SpreadsheetError('broken')
}
