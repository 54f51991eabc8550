/** Parses a form with one file and a few short fields (RFC 7578) into memory, within limits. */
import { Busboy } from '@fastify/busboy'
import { AppError } from '../../kernel/errors.ts'
import type { UnreadBody } from '../page/route.ts'

type UploadedSpreadsheet = {
  field: (name: string) => string
  file: { name: string; bytes: Buffer } | undefined
  /** The file was larger than allowed; `file` is then undefined. */
  isTooLarge: boolean
}

/** For the parts around the file. */
const MAX_FRAME_BYTES = 64 * 1024
const MAX_FIELD_BYTES = 2_000
const MAX_FIELDS = 20

/** Throws `bad_request` if the body is not a form. */
export async function readUploadedSpreadsheet(
  body: UnreadBody,
  maxBytes: number,
): Promise<UploadedSpreadsheet> {
  if ((body.length ?? 0) > maxBytes + MAX_FRAME_BYTES)
    return { field: () => '', file: undefined, isTooLarge: true }
  const fields = new Map<string, string>()
  const received = collectBytes(body.length, maxBytes)
  let name: string | undefined
  let isTooLarge = false
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const form = openParser(body.type, maxBytes)
  form.on('field', (field, value) => fields.set(field, value))
  form.on('file', (_field, stream, fileName) => {
    name = fileName
    stream.on('data', received.add)
    stream.on('limit', () => {
      isTooLarge = true
      received.forget()
      resolve()
    })
    stream.on('error', reject)
  })
  form.on('finish', resolve)
  form.on('error', () => reject(malformedForm()))
  // The sender closed the connection before the end of the form.
  body.stream.on('close', () => {
    if (!body.stream.readableEnded) reject(malformedForm())
  })
  body.stream.pipe(form)
  try {
    await promise
  } finally {
    body.stream.unpipe(form)
    body.stream.resume()
  }
  const bytes = received.bytes()
  const isThere = !isTooLarge && name !== undefined && !(name === '' && bytes.length === 0)
  return {
    field: one => (fields.get(one) ?? '').trim(),
    file: isThere ? { name: name ?? '', bytes } : undefined,
    isTooLarge,
  }
}

/** A body that says how long it is gets its memory at once; joining its pieces would take as much again for a moment. */
function collectBytes(bodyLength: number | undefined, maxBytes: number) {
  let bytes = Buffer.allocUnsafeSlow(Math.min(bodyLength ?? 0, maxBytes))
  let length = 0
  return {
    add(piece: Buffer): void {
      if (length + piece.length > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, length + piece.length))
        bytes.copy(larger, 0, 0, length)
        bytes = larger
      }
      piece.copy(bytes, length)
      length += piece.length
    },
    forget(): void {
      bytes = Buffer.alloc(0)
      length = 0
    },
    bytes: () => bytes.subarray(0, length),
  }
}

function openParser(type: string, maxBytes: number): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: {
        fileSize: maxBytes,
        files: 1,
        fields: MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
        parts: MAX_FIELDS + 1,
      },
    })
  } catch {
    throw malformedForm()
  }
}

const malformedForm = () =>
  new AppError('bad_request', 'The form could not be read. Load the page again and try once more.')
