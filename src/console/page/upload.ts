/** Files that a form brings: read while they come and cut off where they are of no use any more, so that a film costs no memory. */
import type { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import { AppError } from '../../kernel/errors.ts'

/** Kept of each file: what is larger is refused by its size. */
const UPLOAD_KEPT_BYTES = 64 * 1024
/** Of a whole form. A photograph in place of a logo is read to its end, so that its sender is told what is wrong. */
export const MOST_UPLOADED_BYTES = 32 * 1024 * 1024

const LIMITS = { fields: 20, files: 4, parts: 24, fieldSize: 8_192, headerPairs: 20, headerSize: 4_096 }

/** `bytes` are the first 64 KiB, `size` counts all. */
export type Upload = { bytes: Buffer; size: number }
type UploadForm = { fields: URLSearchParams; uploads: ReadonlyMap<string, Upload> }

const unreadable = () => new AppError('bad_request', 'The form could not be read.')
const tooLarge = () =>
  new AppError('payload_too_large', `The form is larger than ${MOST_UPLOADED_BYTES} bytes.`)

/**
 * Reads a `multipart/form-data` body; a file whose field is not in `names`, or that is empty, is passed over. Throws
 * `bad_request`, `payload_too_large`; what is left of the body is then read by nobody.
 */
export function readUploads(
  body: Readable,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Promise<UploadForm> {
  const fields = new URLSearchParams()
  const uploads = new Map<string, Upload>()
  const { promise, resolve, reject } = Promise.withResolvers<UploadForm>()
  const parser = openParser(String(headers['content-type']))
  const fail = (error: AppError) => {
    body.unpipe(parser)
    // The answer is only read by a sender who could send everything.
    body.resume()
    reject(error)
  }
  let size = 0
  body.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MOST_UPLOADED_BYTES) fail(tooLarge())
  })
  body.once('error', () => fail(unreadable()))
  body.once('close', () => {
    if (!body.readableEnded) reject(unreadable())
  })
  parser.on('field', (name, value) => fields.append(name, value))
  parser.on('file', (name, file) => {
    if (names.includes(name)) keep(file, upload => uploads.set(name, upload))
    else file.resume()
  })
  parser.once('error', () => fail(unreadable()))
  parser.once('finish', () => resolve({ fields, uploads }))
  body.pipe(parser)
  return promise
}

function openParser(contentType: string) {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS })
  } catch {
    // Without a boundary, or with one that is none.
    throw unreadable()
  }
}

function keep(file: BusboyFileStream, done: (upload: Upload) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  file.on('data', (chunk: Buffer) => {
    if (size < UPLOAD_KEPT_BYTES) chunks.push(chunk)
    size += chunk.length
  })
  // The parser has the same error.
  file.on('error', () => undefined)
  file.on('end', () => {
    if (size > 0) done({ bytes: Buffer.concat(chunks).subarray(0, UPLOAD_KEPT_BYTES), size })
  })
}
