/**
 * The file of a backup, whatever is in it: a line that says what it is, a line of JSON, a zstd stream of frames, and the
 * SHA-256 of everything before. Nothing of it is believed before that has been compared. Described in `docs/backup.md`.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { AppError } from '../kernel/errors.ts'

export type AppliedMigration = { number: number; name: string; checksum: string }

export type BackupHeader = {
  /** ISO, UTC: the moment whose state this is. */
  created_at: string
  /** Version of the Carnet that wrote it. */
  carnet: string
  /** Tells which SECRET_KEY belongs to it, and nothing about that key. */
  secret_key_fingerprint: string
  migrations: readonly AppliedMigration[]
}

export type BackupEnd = { rows: Readonly<Record<string, number>>; passports: number; versions: number }

/** `data` is a piece of what COPY writes as text, of the table before. */
export type Frame =
  | { type: 'table'; table: { name: string; columns: readonly string[] } }
  | { type: 'data'; data: Buffer }
  | { type: 'end'; end: BackupEnd }

const FIRST_LINE = 'carnet-backup 1\n'
const LONGEST_HEADER = 1_048_576
const TRAILER_BYTES = 73
const TRAILER_PATTERN = /^\nsha256 ([0-9a-f]{64})\n$/
/** A letter and four bytes of length. */
const FRAME_HEAD_BYTES = 5
const LONGEST_FRAME = 64 * 1_048_576
const LETTERS = { table: 'T', data: 'D', end: 'E' } as const
const NEWLINE = 0x0a

const refused = (message: string) => new AppError('validation', message)

/** Writes beside `path` and moves there when all is on disk: a file of that name is always whole. */
export async function writeBackupFile(
  path: string,
  header: BackupHeader,
  frames: AsyncIterable<Frame>,
  signal?: AbortSignal,
): Promise<{ sha256: string; bytes: number }> {
  const partial = `${path}.partial`
  try {
    const written = await write(partial, header, frames, signal)
    await rename(partial, path)
    await syncFolder(dirname(path))
    return written
  } catch (error) {
    await rm(partial, { force: true })
    throw asSentence(error, path, 'written')
  }
}

async function write(
  path: string,
  header: BackupHeader,
  frames: AsyncIterable<Frame>,
  signal: AbortSignal | undefined,
): Promise<{ sha256: string; bytes: number }> {
  const out = createWriteStream(path, { mode: 0o600, flush: true })
  const digest = createHash('sha256')
  let bytes = 0
  const put = async (piece: string | Buffer) => {
    const chunk = Buffer.from(piece)
    digest.update(chunk)
    bytes += chunk.length
    if (!out.write(chunk)) await once(out, 'drain')
  }
  const failed = once(out, 'error').then(([error]) => {
    throw error
  })
  const closed = once(out, 'close')
  closed.catch(() => undefined)
  const work = async () => {
    await once(out, 'open')
    await put(FIRST_LINE)
    await put(`${JSON.stringify(header)}\n`)
    const packed = async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) await put(piece)
    }
    await pipeline(Readable.from(encode(frames), { objectMode: false }), createZstdCompress(), packed, {
      ...(signal ? { signal } : {}),
    })
    const sha256 = digest.digest('hex')
    out.end(`\nsha256 ${sha256}\n`)
    await closed
    return { sha256, bytes: bytes + TRAILER_BYTES }
  }
  try {
    return await Promise.race([work(), failed])
  } finally {
    failed.catch(() => undefined)
    out.destroy()
  }
}

async function* encode(frames: AsyncIterable<Frame>): AsyncGenerator<Buffer> {
  for await (const frame of frames) {
    const body =
      frame.type === 'data'
        ? frame.data
        : Buffer.from(JSON.stringify(frame.type === 'table' ? frame.table : frame.end))
    const head = Buffer.alloc(FRAME_HEAD_BYTES)
    head.write(LETTERS[frame.type], 'latin1')
    head.writeUInt32BE(body.length, 1)
    yield head
    yield body
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function asSentence(error: unknown, path: string, what: 'written' | 'read'): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error && 'errno' in error)) return error
  return refused(`${path} cannot be ${what} (${error.code}).`)
}

export type BackupFile = {
  header: BackupHeader
  sha256: string
  bytes: number
  /** From the first to the last; throws when the file is no longer what was checked. */
  frames: () => AsyncGenerator<Frame>
}

/** Opens a backup after comparing its checksum. Throws `validation` when it is none, is cut off or is damaged. */
export async function openBackupFile(path: string): Promise<BackupFile> {
  try {
    const { bytes, head, trailer } = await readEnds(path)
    if (head.subarray(0, FIRST_LINE.length).toString('latin1') !== FIRST_LINE)
      throw refused(`${path} is no backup of Carnet, or is damaged at its very beginning.`)
    const sha256 = TRAILER_PATTERN.exec(trailer.toString('latin1'))?.[1]
    if (sha256 === undefined) throw refused(`${path} is not whole: its end is missing or damaged.`)
    const digest = createHash('sha256')
    const rest = { start: 0, end: bytes - TRAILER_BYTES - 1 }
    for await (const chunk of createReadStream(path, rest)) digest.update(chunk as Buffer)
    if (digest.digest('hex') !== sha256)
      throw refused(`${path} is damaged: it does not have the checksum at its end. Nothing was restored.`)
    const lineEnd = head.indexOf(NEWLINE, FIRST_LINE.length)
    const header = headerOf(head.subarray(FIRST_LINE.length, lineEnd).toString('utf8'))
    if (header === undefined)
      throw refused(`${path} is no backup that can be restored: its header is not whole.`)
    return { header, sha256, bytes, frames: () => decode(path, lineEnd + 1, bytes, sha256) }
  } catch (error) {
    throw asSentence(error, path, 'read')
  }
}

function headerOf(text: string): BackupHeader | undefined {
  try {
    const header = JSON.parse(text) as BackupHeader
    const texts = [header.created_at, header.carnet, header.secret_key_fingerprint]
    return texts.every(one => typeof one === 'string') && Array.isArray(header.migrations)
      ? header
      : undefined
  } catch {
    return undefined
  }
}

async function readEnds(path: string): Promise<{ bytes: number; head: Buffer; trailer: Buffer }> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const head = Buffer.alloc(Math.min(size, LONGEST_HEADER))
    await file.read(head, 0, head.length, 0)
    const trailer = Buffer.alloc(Math.min(size, TRAILER_BYTES))
    await file.read(trailer, 0, trailer.length, size - trailer.length)
    return { bytes: size, head, trailer }
  } finally {
    await file.close()
  }
}

async function* decode(path: string, start: number, bytes: number, sha256: string): AsyncGenerator<Frame> {
  const digest = createHash('sha256')
  const changed = () => refused(`${path} was changed while it was read.`)
  let left = start
  const packed = async function* () {
    for await (const chunk of createReadStream(path, { end: bytes - TRAILER_BYTES - 1 })) {
      const piece = chunk as Buffer
      digest.update(piece)
      const skipped = Math.min(left, piece.length)
      left -= skipped
      yield piece.subarray(skipped)
    }
  }
  const unpacked = Readable.from(packed(), { objectMode: false }).pipe(createZstdDecompress())
  try {
    yield* framesOf(unpacked, changed)
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error)) throw error
    throw refused(`${path} has the right checksum, but what it holds cannot be unpacked: ${error.message}.`)
  }
  if (digest.digest('hex') !== sha256) throw changed()
}

async function* framesOf(chunks: AsyncIterable<Buffer>, fault: () => Error): AsyncGenerator<Frame> {
  let held: Buffer[] = []
  let length = 0
  let wanted = FRAME_HEAD_BYTES
  let letter = ''
  for await (const chunk of chunks) {
    held.push(chunk)
    length += chunk.length
    if (length < wanted) continue
    let all = held.length === 1 ? chunk : Buffer.concat(held)
    while (all.length >= wanted) {
      if (letter === '') {
        letter = all.toString('latin1', 0, 1)
        wanted = all.readUInt32BE(1)
        if (wanted > LONGEST_FRAME) throw fault()
        all = all.subarray(FRAME_HEAD_BYTES)
        continue
      }
      yield frameOf(letter, all.subarray(0, wanted), fault)
      all = all.subarray(wanted)
      letter = ''
      wanted = FRAME_HEAD_BYTES
    }
    held = [all]
    length = all.length
  }
  if (letter !== '' || length > 0) throw fault()
}

function frameOf(letter: string, body: Buffer, fault: () => Error): Frame {
  if (letter === LETTERS.data) return { type: 'data', data: body }
  if (letter === LETTERS.table) return { type: 'table', table: JSON.parse(body.toString('utf8')) }
  if (letter === LETTERS.end) return { type: 'end', end: JSON.parse(body.toString('utf8')) }
  throw fault()
}
