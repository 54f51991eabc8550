/** Parses a form with one file and a few short fields (RFC 7578) into memory, within limits. */

import { readMultipartForm } from '../../kernel/http/multipart.ts'
import type { UnreadBody } from '../page/route.ts'

type UploadedSpreadsheet = {
  category: string
  file: { name: string; bytes: Buffer } | undefined
  /** The file was larger than allowed; `file` is then undefined. */
  isTooLarge: boolean
}

/** For the form's other fields and the multipart headers. */
const MAX_FRAME_BYTES = 64 * 1024
const LIMITS = { files: 1, fields: 20, fieldSize: 2_000, parts: 21 }

/** Throws `bad_request` if the body is not a form. */
export async function readUploadedSpreadsheet(
  body: UnreadBody,
  maxBytes: number,
): Promise<UploadedSpreadsheet> {
  if ((body.length ?? 0) > maxBytes + MAX_FRAME_BYTES)
    return { category: '', file: undefined, isTooLarge: true }
  const received = collectBytes(body.length, maxBytes)
  let name: string | undefined
  let isTooLarge = false
  const fields = await readMultipartForm(
    { body: body.stream, type: body.type, limits: { ...LIMITS, fileSize: maxBytes } },
    (_, file, fileName, end) => {
      name = fileName
      file.on('data', received.add)
      file.on('limit', () => {
        isTooLarge = true
        received.forget()
        end()
      })
    },
  )
  const bytes = received.bytes()
  const isThere = !isTooLarge && name !== undefined && !(name === '' && bytes.length === 0)
  return {
    category: fields.getAll('category').at(-1)?.trim() ?? '',
    file: isThere ? { name: name ?? '', bytes } : undefined,
    isTooLarge,
  }
}

/** A body of known length gets its memory at once; joining its pieces would need twice as much. */
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
