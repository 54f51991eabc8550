/** Reads the files of a form as they arrive, and drops bytes that are not needed, to save memory. */
import type { Readable } from 'node:stream'
import type { BusboyFileStream } from '@fastify/busboy'
import { readMultipartForm } from '../../kernel/http/multipart.ts'

/** Bytes kept of each file; larger files are rejected by their size. */
export const UPLOAD_KEPT_BYTES = 64 * 1024
/**
 * The limit of a whole form. A photograph as a logo is read completely, so that its sender gets the error.
 */
export const MAX_UPLOADED_BYTES = 32 * 1024 * 1024

const LIMITS = { fields: 20, files: 4, parts: 24, fieldSize: 8_192, headerPairs: 20, headerSize: 4_096 }

/** `bytes`: the first 64 KiB; `size`: of the whole file. */
export type Upload = { bytes: Buffer; size: number }

/**
 * Reads a `multipart/form-data` body. Skips empty files, and files whose field is not in `names`. Throws
 * `bad_request`, `payload_too_large`.
 */
export async function readUploads(
  body: Readable,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Promise<{ fields: URLSearchParams; uploads: ReadonlyMap<string, Upload> }> {
  const uploads = new Map<string, Upload>()
  const form = { body, type: String(headers['content-type']), limits: LIMITS, maxBytes: MAX_UPLOADED_BYTES }
  const fields = await readMultipartForm(form, (name, file) => {
    if (names.includes(name)) keep(file, upload => uploads.set(name, upload))
    else file.resume()
  })
  return { fields, uploads }
}

function keep(file: BusboyFileStream, done: (upload: Upload) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  file.on('data', (chunk: Buffer) => {
    if (size < UPLOAD_KEPT_BYTES) chunks.push(chunk)
    size += chunk.length
  })
  file.on('end', () => {
    if (size > 0) done({ bytes: Buffer.concat(chunks).subarray(0, UPLOAD_KEPT_BYTES), size })
  })
}
