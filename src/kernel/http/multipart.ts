/** Reads `multipart/form-data` bodies as they arrive. */
import type { Readable } from 'node:stream'
import { Busboy, type BusboyConfig, type BusboyFileStream } from '@fastify/busboy'
import { AppError } from '../errors/errors.ts'

type MultipartForm = {
  body: Readable
  type: string
  limits: NonNullable<BusboyConfig['limits']>
  maxBytes?: number
}

/**
 * Reads a form's fields and passes its files to `take`, which may stop the reading. The type of a file is as
 * the form declares it, `text/plain` if it does not. Throws `bad_request` for an invalid form,
 * `payload_too_large` beyond `maxBytes`. The rest of the body stays unread, although most clients read a
 * response only after sending everything.
 */
export async function readMultipartForm(
  { body, type, limits, maxBytes = Number.POSITIVE_INFINITY }: MultipartForm,
  take: (name: string, file: BusboyFileStream, fileName: string, end: () => void, type: string) => void,
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
  parser.on('file', (name, file, fileName, _encoding, fileType) => {
    // The parser reports the same error.
    file.on('error', () => undefined)
    take(name, file, fileName, resolve, fileType)
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
