/** Which encodings of a JSON body are supported. */
import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../../kernel/errors/errors.ts'

/** Throws `unsupported_media_type` for another character set than UTF-8, and for a compressed body. */
export function requireUtf8Json(headers: IncomingHttpHeaders): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw new AppError(
      'unsupported_media_type',
      `The body is declared as ${charset.slice(0, 40)}. Send JSON encoded as UTF-8.`,
    )
  }
  if (headers['content-encoding'] !== undefined) {
    throw new AppError('unsupported_media_type', 'Compressed bodies are not supported. Send plain JSON.')
  }
}
