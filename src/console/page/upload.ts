/** Reads the files of a form as they arrive, and drops bytes that are not needed, to save memory. */
import type { Readable } from 'node:stream'
import { Busboy, type BusboyConfig, type BusboyFileStream } from '@fastify/busboy'
import { AppError } from '../../kernel/errors.ts'

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

type MultipartForm = {
  body: Readable
  type: string
  limits: NonNullable<BusboyConfig['limits']>
  maxBytes?: number
}

/**
 * Reads a form's fields and passes its files to `take`, which may stop the reading. Throws `bad_request` for
 * an invalid form, `payload_too_large` beyond `maxBytes`. The rest of the body stays unread, although most
 * clients read a response only after sending everything.
 */
export async function readMultipartForm(
  { body, type, limits, maxBytes = Number.POSITIVE_INFINITY }: MultipartForm,
  take: (name: string, file: BusboyFileStream, fileName: string, end: () => void) => void,
): Promise<URLSearchParams> {
  const fields = new URLSearchParams()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = () => reject(unreadable())
  const parser = openParser({ headers: { 'content-type': type }, limits })
  let size = 0
  body.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes)
      reject(new AppError('payload_too_large', `The form is larger than ${maxBytes} bytes.`))
  })
  body.once('error', fail)
  // The sender closed the connection before the end of the form.
  body.once('close', () => {
    if (!body.readableEnded) fail()
  })
  parser.on('field', (name, value) => fields.append(name, value))
  parser.on('file', (name, file, fileName) => {
    // The parser reports the same error.
    file.on('error', () => undefined)
    take(name, file, fileName, resolve)
  })
  parser.once('error', fail)
  parser.once('finish', resolve)
  body.pipe(parser)
  try {
    await promise
  } finally {
    body.unpipe(parser)
    body.resume()
  }
  return fields
}

const unreadable = () => new AppError('bad_request', 'The form could not be read.')

function openParser(config: BusboyConfig) {
  try {
    return new Busboy(config)
  } catch {
    // The boundary is missing or invalid.
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
  file.on('end', () => {
    if (size > 0) done({ bytes: Buffer.concat(chunks).subarray(0, UPLOAD_KEPT_BYTES), size })
  })
}
