/** Malformed HTTP requests: those the parser cannot read, and those it reads but we reject. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '../../kernel/errors/errors.ts'
import { defaultHeaders } from '../../kernel/http/default-headers.ts'
import { LINGER_MS } from '../../kernel/http/expect.ts'
import { errorJson } from '../endpoint/errors.ts'
import { countByAddress } from '../endpoint/limits.ts'

const MAX_URL_LENGTH = 8_192

type Setup = Parameters<typeof countByAddress>[0] & { addresses: { publicUrl: string } }

/**
 * Headers that may be sent once; Node would use the first (RFC 9112 §3.2). Indexed by the length of the name,
 * so that other headers cost one look-up.
 */
const SINGLE_HEADERS: readonly (string | undefined)[] = Object.assign([], {
  4: 'Host',
  12: 'Content-Type',
  13: 'Authorization',
})
const HOST = 1 << 'Host'.length

/** The error of a parsed but invalid request: a repeated header, no host, a very long address. */
export function findMalformed(request: IncomingMessage): AppError | undefined {
  if (request.socket.writableEnded) {
    return new AppError('bad_request', 'The previous response closed this connection.')
  }
  const headers = request.rawHeaders
  let seen = 0
  for (let i = 0; i < headers.length; i += 2) {
    const sent = headers[i] ?? ''
    const name = SINGLE_HEADERS[sent.length]
    if (name === undefined || sent.toLowerCase() !== name.toLowerCase()) continue
    const bit = 1 << name.length
    if ((seen & bit) !== 0)
      return new AppError('bad_request', `The request has more than one ${name} header.`)
    seen |= bit
  }
  if ((seen & HOST) === 0 && request.httpVersion === '1.1') {
    return new AppError('bad_request', 'The request has no Host header.')
  }
  if (request.url && request.url.length > MAX_URL_LENGTH) {
    return new AppError('uri_too_long', `The address is longer than ${MAX_URL_LENGTH} characters.`)
  }
  return undefined
}

/** By the parser's error code: our code, the status line, the message. */
const PARSER_ERRORS: Record<string, [ErrorCode, string, string]> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    '431 Request Header Fields Too Large',
    'The headers are longer than 16 KiB.',
  ],
  URI_OVERFLOW: [
    'uri_too_long',
    '414 URI Too Long',
    `The address is longer than ${MAX_URL_LENGTH} characters.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['timeout', '408 Request Timeout', 'The request did not arrive in time.'],
}

export type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

/** The parser counts the address as headers. If it stopped in the first line, the address is too long. */
function findParserErrorCode({ code = '', rawPacket, bytesParsed }: ParserError): string {
  if (code !== 'HPE_HEADER_OVERFLOW' || rawPacket === undefined) return code
  return /^[A-Z-]+ \S*$/.test(rawPacket.toString('latin1', 0, bytesParsed)) ? 'URI_OVERFLOW' : code
}

/**
 * Writes the error to the socket, because there is no request object yet. Node calls this again for every
 * further chunk of the request. Closing the socket at once could lose the response on its way.
 */
export function sendParserError(setup: Setup, error: ParserError, socket: Socket, id: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) {
    socket.destroy()
    return
  }
  if (!socket.writable) return
  const [code, status, message] = PARSER_ERRORS[findParserErrorCode(error)] ?? [
    'bad_request',
    '400 Bad Request',
    'The request is not valid HTTP/1.1.',
  ]
  const body = errorJson(new AppError(code, message), id)
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    ...defaultHeaders(setup.addresses.publicUrl),
    'X-Request-Id': id,
    ...countByAddress(setup, socket.remoteAddress),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
  const closing = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(closing))
}
