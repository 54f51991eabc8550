/** Reads a backup file. Checksum and seal are checked before the content is used. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { isEqualInConstantTime } from '../../kernel/crypto/crypto.ts'
import { AppError, invalidInput } from '../../kernel/errors/errors.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import { explainFileError } from '../new-file.ts'
import type { BackupKey } from './backup-key.ts'
import {
  type BackupFrame,
  type BackupHeader,
  FIRST_LINE,
  FRAME_HEAD_BYTES,
  FRAME_TYPES,
} from './write-backup-file.ts'

const MAX_HEADER_BYTES = 1_048_576
const MAX_FRAME_BYTES = 64 * 1_048_576
/** Version 1 ends with the checksum, version 2 with a seal after it. */
const TRAILER = /\nsha256 ([0-9a-f]{64})\n(?:seal ([0-9a-f]{64})\n)?$/
const MAX_TRAILER_BYTES = 143
const FIRST_LINE_OF_VERSION_1 = 'carnet-backup 1\n'
const FIRST_LINE_BYTES = FIRST_LINE.length
const NEWLINE = 0x0a

export type BackupFile = {
  header: BackupHeader
  sha256: string
  bytes: number
  /**
   * True if the seal proves that the file is unchanged. False for files of version 0.1, which have no seal.
   */
  isSealed: boolean
  /** Reads all frames; throws if the file has changed since the check. `onRead` gets the bytes read. */
  frames: (onRead?: (bytes: number) => void) => AsyncGenerator<BackupFrame>
}

/** `keys` come from SECRET_KEY and, if set, OLD_SECRET_KEY. */
export type ReadOptions = { path: string; keys: readonly BackupKey[]; acceptUnsealed: boolean }

/**
 * Throws `validation` if the file is no backup, incomplete, damaged, sealed with another key, or changed
 * without the key.
 */
export async function openBackupFile(options: ReadOptions): Promise<BackupFile> {
  const { path } = options
  try {
    const { bytes, head, tail } = await readEnds(path)
    const firstLine = head.subarray(0, FIRST_LINE_BYTES).toString('latin1')
    const isVersion2 = firstLine === FIRST_LINE
    if (!isVersion2 && firstLine !== FIRST_LINE_OF_VERSION_1)
      throw invalidInput(`${path} is not a backup of Carnet, or its beginning is damaged.`)
    const [trailer = '', sha256, seal] = TRAILER.exec(tail) ?? []
    if (sha256 === undefined || isVersion2 !== (seal !== undefined))
      throw invalidInput(`${path} is incomplete: its end is missing or damaged.`)
    const dataEnd = bytes - trailer.length
    const digest = createHash('sha256')
    for await (const chunk of createReadStream(path, { end: dataEnd - 1 })) digest.update(chunk)
    if (digest.digest('hex') !== sha256)
      throw invalidInput(`${path} is damaged: its checksum does not match. Nothing was restored.`)
    const lineEnd = head.indexOf(NEWLINE, FIRST_LINE_BYTES)
    const header = parseHeader(head.subarray(FIRST_LINE_BYTES, lineEnd).toString('utf8'))
    if (header === undefined) throw invalidInput(`${path} cannot be restored: its header is incomplete.`)
    requireSeal(options, header, sha256, seal)
    const frames: BackupFile['frames'] = onRead =>
      decode(path, { start: lineEnd + 1, end: dataEnd, sha256, onRead })
    return { header, sha256, bytes, isSealed: seal !== undefined, frames }
  } catch (error) {
    throw explainFileError(error, path, 'read')
  }
}

function requireSeal(
  { path, keys, acceptUnsealed }: ReadOptions,
  { secret_key_fingerprint: fingerprint, carnet }: BackupHeader,
  sha256: string,
  seal: string | undefined,
): void {
  const key = keys.find(one => one.fingerprint === fingerprint)
  if (key === undefined) {
    const ours = keys.map(one => one.fingerprint).join(' or ')
    throw invalidInput(
      `The backup belongs to another SECRET_KEY (its fingerprint is ${fingerprint}, that of the key here is ${ours}). ` +
        'Set SECRET_KEY or OLD_SECRET_KEY to the key it was made with, or put the old file secret-key into DATA_DIR. Without that key, webhook secrets and cookies are lost.',
    )
  }
  if (seal === undefined) {
    if (acceptUnsealed) return
    throw invalidInput(
      `${path} was written by Carnet ${carnet}, whose backups have no seal: anybody with write access to this file may have changed it, including passwords. ` +
        'If you trust the place where it was stored, restore it with --accept-unsealed.',
    )
  }
  if (!isEqualInConstantTime(seal, key.seal(sha256))) {
    throw invalidInput(
      `${path} was changed by somebody without the SECRET_KEY: its seal does not match. Nothing was restored. Use another backup, and find out who can write to this one.`,
    )
  }
}

function parseHeader(text: string): BackupHeader | undefined {
  const header: BackupHeader | null | undefined = tryParseJson(text)
  const texts = [header?.created_at, header?.carnet, header?.secret_key_fingerprint]
  const isComplete = texts.every(one => typeof one === 'string') && Array.isArray(header?.migrations)
  return header && isComplete ? header : undefined
}

async function readEnds(path: string): Promise<{ bytes: number; head: Buffer; tail: string }> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const head = Buffer.alloc(Math.min(size, MAX_HEADER_BYTES))
  await file.read(head, 0, head.length, 0)
  const tail = Buffer.alloc(Math.min(size, MAX_TRAILER_BYTES))
  await file.read(tail, 0, tail.length, size - tail.length)
  return { bytes: size, head, tail: tail.toString('latin1') }
}

type Packed = {
  start: number
  end: number
  sha256: string
  onRead: ((bytes: number) => void) | undefined
}

async function* decode(path: string, { start, end, sha256, onRead }: Packed): AsyncGenerator<BackupFrame> {
  const digest = createHash('sha256')
  const fileChanged = () =>
    invalidInput(`${path} changed while it was read. Make sure that nobody writes to it, and try again.`)
  let left = start
  let read = 0
  const packed = async function* () {
    for await (const chunk of createReadStream(path, { end: end - 1 })) {
      const piece: Buffer = chunk
      digest.update(piece)
      read += piece.length
      onRead?.(read)
      const skipped = Math.min(left, piece.length)
      left -= skipped
      yield piece.subarray(skipped)
    }
  }
  const unpacked = Readable.from(packed(), { objectMode: false }).pipe(createZstdDecompress())
  try {
    yield* parseFrames(unpacked, fileChanged)
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error)) throw error
    throw invalidInput(
      `${path} has the right checksum, but its contents cannot be decompressed: ${error.message}.`,
    )
  }
  if (digest.digest('hex') !== sha256) throw fileChanged()
}

async function* parseFrames(chunks: AsyncIterable<Buffer>, fault: () => Error): AsyncGenerator<BackupFrame> {
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
        if (wanted > MAX_FRAME_BYTES) throw fault()
        all = all.subarray(FRAME_HEAD_BYTES)
        continue
      }
      yield parseFrame(letter, all.subarray(0, wanted), fault)
      all = all.subarray(wanted)
      letter = ''
      wanted = FRAME_HEAD_BYTES
    }
    held = [all]
    length = all.length
  }
  if (letter !== '' || length > 0) throw fault()
}

function parseFrame(letter: string, body: Buffer, fault: () => Error): BackupFrame {
  if (letter === FRAME_TYPES.data) return { type: 'data', data: body }
  if (letter === FRAME_TYPES.files) return { type: 'files', files: JSON.parse(body.toString('utf8')) }
  if (letter === FRAME_TYPES.table) return { type: 'table', table: JSON.parse(body.toString('utf8')) }
  if (letter === FRAME_TYPES.end) return { type: 'end', end: JSON.parse(body.toString('utf8')) }
  throw fault()
}
