/** Reads the bytes of a file from a request: the body itself, or the part `file` of a form. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { AppError, invalidField } from '../../kernel/errors/errors.ts'
import { readMultipartForm } from '../../kernel/http/multipart.ts'
import { joinChunks } from '../../kernel/values/join-chunks.ts'
import { MAX_MEDIA_BYTES } from '../../media/files/prepared-file.ts'

export class UploadedFile {
  readonly bytes: Buffer
  readonly declaredType: string | undefined
  constructor(bytes: Buffer, declaredType: string | undefined) {
    this.bytes = bytes
    this.declaredType = declaredType
  }
}

export const isUploadedFile = (body: unknown): body is UploadedFile => body instanceof UploadedFile

/** The limit of a form, its boundaries and headers included. */
export const MAX_UPLOAD_BYTES = MAX_MEDIA_BYTES + 64 * 1024

/** One file more than is taken, so that it is reported. */
const LIMITS = { fields: 0, files: 2, parts: 3, headerPairs: 20, headerSize: 4_096 }

/**
 * Throws `payload_too_large`, `bad_request`, `unsupported_media_type`, and `validation` for a form without
 * one file.
 */
export async function readUpload(body: Readable, headers: IncomingHttpHeaders): Promise<UploadedFile> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError(
      'unsupported_media_type',
      'Compressed bodies are not supported. Send the file as it is, without Content-Encoding.',
    )
  }
  return /^multipart\/form-data\b/i.test(type)
    ? readFormFile(body, type)
    : new UploadedFile(await readBytes(body), type)
}

/** The type of a part that declares none. */
const NO_TYPE = 'text/plain'

async function readFormFile(body: Readable, type: string): Promise<UploadedFile> {
  let file: Promise<UploadedFile> | undefined
  let count = 0
  const form = { body, type, limits: LIMITS, maxBytes: MAX_UPLOAD_BYTES }
  await readMultipartForm(form, (name, stream, _fileName, _end, fileType) => {
    count++
    if (name !== 'file' || count > 1) {
      stream.resume()
      return
    }
    const declared = fileType === NO_TYPE ? undefined : fileType
    file = readBytes(stream).then(bytes => new UploadedFile(bytes, declared))
    // Reported below, after the form has ended.
    file.catch(() => undefined)
  })
  if (count > 1)
    throw invalidField(['file'], 'length', 'The form has more than one file. Send a request for each file.')
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
  return joinChunks(chunks, size)
}

export const tooLargeError = () =>
  new AppError(
    'payload_too_large',
    `The file has more than ${MAX_MEDIA_BYTES} bytes (20 MiB). Save it smaller.`,
    [{ path: [], code: 'media_too_large', message: `At most ${MAX_MEDIA_BYTES} bytes are accepted.` }],
  )
