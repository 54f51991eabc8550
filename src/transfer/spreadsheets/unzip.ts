/**
 * The parts of an archive, unpacked a piece at a time and never further than allowed: an archive says of itself how
 * large its parts are, and a hostile one lies. Unpacking happens in zlib's own threads.
 */
import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { SpreadsheetError } from './spreadsheet-error.ts'

type Part = { method: number; start: number; size: number }

/** APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16. */
const END = 0x06054b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50
const LONGEST_COMMENT = 65_535
const MOST_PARTS = 5_000
const ENCRYPTED = 1

export class ZipParts {
  private readonly bytes: Buffer
  private readonly parts: ReadonlyMap<string, Part>
  /** How much may still be unpacked. */
  private room: number

  /** Throws `SheetFault`. */
  constructor(bytes: Buffer, room: number) {
    this.bytes = bytes
    this.room = room
    try {
      this.parts = directory(bytes)
    } catch (error) {
      throw error instanceof RangeError ? new SpreadsheetError('broken') : error
    }
  }

  has(name: string): boolean {
    return this.parts.has(name)
  }

  /** The unpacked bytes of a part; of one that is not there none. Throws `SheetFault`. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const part = this.parts.get(name)
    if (part === undefined) return
    const packed = this.bytes.subarray(part.start, part.start + part.size)
    if (part.method !== 0 && part.method !== 8) throw new SpreadsheetError('broken')
    const source = Readable.from([packed])
    const stream = part.method === 0 ? source : source.pipe(createInflateRaw({ chunkSize: 64 * 1024 }))
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        this.room -= piece.length
        if (this.room < 0) throw new SpreadsheetError('too_much')
        yield piece
      }
    } catch (error) {
      throw error instanceof SpreadsheetError ? error : new SpreadsheetError('broken')
    } finally {
      stream.destroy()
    }
  }

  /** The text of a small part. Throws `SheetFault` when it is larger than `most` bytes. */
  async text(name: string, most: number): Promise<string> {
    const pieces: Buffer[] = []
    let size = 0
    for await (const piece of this.read(name)) {
      size += piece.length
      if (size > most) throw new SpreadsheetError('too_much')
      pieces.push(piece)
    }
    return Buffer.concat(pieces).toString('utf8')
  }
}

function directory(bytes: Buffer): Map<string, Part> {
  const end = endOf(bytes)
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  if (count > MOST_PARTS) throw new SpreadsheetError('too_much')
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

function endOf(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - 22 - LONGEST_COMMENT)
  for (let at = bytes.length - 22; at >= first; at--) if (bytes.readUInt32LE(at) === END) return at
  throw new SpreadsheetError('broken')
}
