/**
 * Writes a backup file: a format line, a JSON line, a zstd stream of frames, the SHA-256 of everything
 * before, and a seal of that hash under SECRET_KEY. `docs/backup.md` describes the format.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import type { AppliedMigration } from '../../kernel/db/migrate.ts'
import { writeNewFile } from '../new-file.ts'
import type { BackupKey } from './backup-key.ts'
import type { BackupSet } from './backup-parts.ts'
import type { PackedFile } from './file-packs.ts'

export type BackupHeader = {
  created_at: string
  carnet: string
  secret_key_fingerprint: string
  migrations: readonly AppliedMigration[]
  /** Only in the files of a database with shards. */
  set?: BackupSet
}

export type BackupEnd = { rows: Readonly<Record<string, number>>; passports: number; versions: number }

/** `data` is a chunk of COPY text of the preceding table. */
export type BackupFrame =
  | { type: 'files'; files: readonly PackedFile[] }
  | { type: 'table'; table: { name: string; columns: readonly string[] } }
  | { type: 'data'; data: Buffer }
  | { type: 'end'; end: BackupEnd }

export const FIRST_LINE = 'carnet-backup 2\n'
/** One letter and four bytes of length. */
export const FRAME_HEAD_BYTES = 5
export const FRAME_TYPES = { files: 'F', table: 'T', data: 'D', end: 'E' } as const

type Target = { path: string; key: BackupKey; signal?: AbortSignal | undefined }

export async function writeBackupFile(
  { path, key, signal }: Target,
  header: BackupHeader,
  frames: AsyncIterable<BackupFrame>,
): Promise<{ sha256: string; bytes: number }> {
  return writeNewFile(path, async put => {
    const digest = createHash('sha256')
    let bytes = 0
    const add = async (chunk: string | Buffer) => {
      digest.update(chunk)
      bytes += Buffer.byteLength(chunk)
      await put(chunk)
    }
    await add(FIRST_LINE + `${JSON.stringify(header)}\n`)
    const packed = Readable.from(encode(frames), { objectMode: false })
    const addAll = async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await add(chunk)
    }
    await pipeline(packed, createZstdCompress(), addAll, signal === undefined ? {} : { signal })
    const sha256 = digest.digest('hex')
    const trailer = `\nsha256 ${sha256}\nseal ${key.seal(sha256)}\n`
    await put(trailer)
    return { sha256, bytes: bytes + trailer.length }
  })
}

const getContent = (frame: Exclude<BackupFrame, { type: 'data' }>) => {
  if (frame.type === 'files') return frame.files
  return frame.type === 'table' ? frame.table : frame.end
}

async function* encode(frames: AsyncIterable<BackupFrame>): AsyncGenerator<Buffer> {
  for await (const frame of frames) {
    const body = frame.type === 'data' ? frame.data : Buffer.from(JSON.stringify(getContent(frame)))
    const head = Buffer.alloc(FRAME_HEAD_BYTES)
    head.write(FRAME_TYPES[frame.type], 'latin1')
    head.writeUInt32BE(body.length, 1)
    yield head
    yield body
  }
}
