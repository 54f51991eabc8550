/** Reads the bytes of a file from a request: the body itself, or the part `file` of a form. */
import type { Readable } from 'node:stream'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { readMultipartForm } from '../../kernel/http/multipart.ts'
import { MAX_MEDIA_BYTES } from '../../media/prepare/prepared-file.ts'

export class UploadedFile {
  readonly bytes: Buffer
  readonly declaredType: string | undefined
  constructor(bytes: Buffer, declaredType: string | undefined) {
    this.bytes = bytes
    this.declaredType = declaredType
  }
}

export const isUploadedFile = (body: unknown): body is UploadedFile => body instanceof UploadedFile

/** Of a form, its boundaries and headers included. */
export const MAX_UPLOAD_BYTES = MAX_MEDIA_BYTES + 64 * 1024

const LIMITS = { fields: 0, files: 1, parts: 2, headerPairs: 20, headerSize: 4_096 }

/** Throws `payload_too_large`, `bad_request`; `validation` for a form without a file. */
export async function readUpload(body: Readable, contentType: string): Promise<UploadedFile> {
  return /^multipart\/form-data\b/i.test(contentType)
    ? readFormFile(body, contentType)
    : new UploadedFile(await readBytes(body), contentType)
}

async function readFormFile(body: Readable, type: string): Promise<UploadedFile> {
  let file: Promise<UploadedFile> | undefined
  await readMultipartForm({ body, type, limits: LIMITS, maxBytes: MAX_UPLOAD_BYTES }, (name, stream) => {
    if (name !== 'file') {
      stream.resume()
      return
    }
    file = readBytes(stream).then(bytes => new UploadedFile(bytes, undefined))
    // Reported below, after the form has ended.
    file.catch(() => undefined)
  })
  if (file === undefined) throw invalidField(['file'], 'required', 'The form needs one part named file.')
  return file
}

async function readBytes(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_MEDIA_BYTES) throw tooLargeError()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export const tooLargeError = () =>
  new AppError(
    'payload_too_large',
    `The file has more than ${MAX_MEDIA_BYTES} bytes (20 MiB). Save it smaller.`,
    [{ path: [], code: 'media_too_large', message: `At most ${MAX_MEDIA_BYTES} bytes are accepted.` }],
  )
