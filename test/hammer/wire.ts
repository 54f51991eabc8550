/** HTTP/1.1 without a library: builds valid and invalid requests as bytes, and parses responses. */
import type { Chance } from './chance.ts'
import type { Request } from './requests.ts'

/** `isSound`: the server can tell where the request ends, so it must respond. */
export type Bytes = { bytes: Buffer; isSound: boolean }

type Framing =
  | 'length'
  | 'chunked'
  | 'both'
  | 'too long'
  | 'garbage'
  | 'bad header'
  | 'huge header'
  | 'two lengths'

const FRAMINGS: readonly (readonly [number, Framing])[] = [
  [900, 'length'],
  [60, 'chunked'],
  [3, 'both'],
  [6, 'too long'],
  [8, 'garbage'],
  [8, 'bad header'],
  [5, 'huge header'],
  [5, 'two lengths'],
]

const GARBAGE = [
  '\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET /api/v1/health\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET / HTTP/1.1\nHost: a\n\n',
  'GET / HTTP/1.0\r\n\r\n',
  '\0\0\0\0',
  'get / http/1.1\r\n\r\n',
  'POST /api/v1/products HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'CONNECT a:1 HTTP/1.1\r\n\r\n',
]

const BAD_HEADERS = [
  'No Colon Here',
  'Bad Name: x',
  'X-A: a\0b',
  ': empty',
  'X-Fold: a\r\n b',
  'X\u0001Y: z',
  'Content-Length: -1',
]

export function toBytes(request: Request, chance: Chance): Bytes {
  const framing = chance.weighted(FRAMINGS)
  if (framing === 'garbage') {
    Object.assign(request, { method: 'GET', path: '' })
    return { bytes: Buffer.from(chance.of(GARBAGE), 'latin1'), isSound: false }
  }
  const lines = request.headers.map(([name, value]) => `${name}: ${value}`)
  if (framing === 'bad header') lines.push(chance.of(BAD_HEADERS))
  if (framing === 'huge header') lines.push(`X-Huge: ${'h'.repeat(20_000)}`)
  const body = bodyBytes(request.body, framing, lines, chance)
  const head = `${request.method} ${request.path} HTTP/1.1\r\n${lines.map(line => `${line}\r\n`).join('')}\r\n`
  return {
    bytes: Buffer.concat([Buffer.from(head, 'latin1'), body]),
    isSound: framing === 'length' || framing === 'chunked',
  }
}

function bodyBytes(body: Buffer | undefined, framing: Framing, lines: string[], chance: Chance): Buffer {
  const bytes = body ?? Buffer.alloc(0)
  if (framing === 'two lengths') lines.push('Content-Length: 1', 'Content-Length: 2')
  if (framing === 'too long') lines.push(`Content-Length: ${bytes.length + 1 + chance.below(1_000)}`)
  const isChunked = framing === 'both' || (framing === 'chunked' && body !== undefined)
  if (framing === 'both' || (body !== undefined && !isChunked && !lines.some(isLength))) {
    lines.push(`Content-Length: ${bytes.length}`)
  }
  if (!isChunked) return bytes
  lines.push('Transfer-Encoding: chunked')
  return chunks(bytes, chance)
}

const isLength = (line: string) => line.startsWith('Content-Length')

function chunks(bytes: Buffer, chance: Chance): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = Math.min(bytes.length - at, 1 + chance.below(4_000))
    parts.push(Buffer.from(`${size.toString(16)}\r\n`), bytes.subarray(at, at + size), Buffer.from('\r\n'))
    at += size
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

export type Heard = { status: number; headers: Map<string, string>; body: Buffer }

/** Splits the bytes of one connection into responses. */
export class Listener {
  private held: Buffer = Buffer.alloc(0)

  hear(chunk: Buffer): void {
    this.held = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk])
  }

  /** The next complete response; a response to HEAD has no body. Skips interim responses (1xx). */
  next(method: string): Heard | undefined {
    const end = this.held.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const [first = '', ...lines] = this.held.toString('latin1', 0, end).split('\r\n')
    const status = Number(first.slice(9, 12))
    const headers = new Map(
      lines.map(line => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    if (status >= 100 && status < 200) {
      this.held = this.held.subarray(end + 4)
      return this.next(method)
    }
    const isBare = method === 'HEAD' || status === 304 || status === 204
    const found = isBare ? { body: Buffer.alloc(0), to: end + 4 } : this.body(headers, end + 4)
    if (found === undefined) return undefined
    this.held = this.held.subarray(found.to)
    return { status, headers, body: found.body }
  }

  private body(headers: Map<string, string>, from: number): { body: Buffer; to: number } | undefined {
    if (headers.get('transfer-encoding') === 'chunked') return this.chunked(from)
    const to = from + Number(headers.get('content-length') ?? 0)
    return this.held.length < to ? undefined : { body: this.held.subarray(from, to), to }
  }

  private chunked(from: number): { body: Buffer; to: number } | undefined {
    const parts: Buffer[] = []
    for (let at = from; ; ) {
      const line = this.held.indexOf('\r\n', at)
      if (line < 0) return undefined
      const size = Number.parseInt(this.held.toString('latin1', at, line), 16)
      const to = line + 2 + size + 2
      if (this.held.length < to) return undefined
      if (size === 0) return { body: Buffer.concat(parts), to }
      parts.push(this.held.subarray(line + 2, line + 2 + size))
      at = to
    }
  }
}
