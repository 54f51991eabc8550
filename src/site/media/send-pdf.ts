/** Sends a PDF, or the part of it that the reader asks for. */
import type { FastifyReply } from 'fastify'
import { stripDirectionMarks } from '../../i18n/direction-marks.ts'
import { matchesAny } from '../../kernel/http/entity-tags.ts'
import type { ByteRange, ReadRange } from '../../media/store/byte-range.ts'
import type { Headers } from '../http/prepared-response.ts'

type SentDocument = {
  /** The source of the file's name. */
  name: string
  /** Undefined for a response that nobody may store. */
  etag: string | undefined
  headers: Headers
  /** Both throw `not_found` if the object is missing. */
  read: () => Promise<Buffer>
  readRange: (range: ByteRange) => Promise<ReadRange>
}

export async function sendPdf(
  reply: FastifyReply,
  { name, etag, headers, read, readRange }: SentDocument,
): Promise<FastifyReply> {
  const { method, headers: sent } = reply.request.raw
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = sent
  const common = {
    ...headers,
    'content-type': 'application/pdf',
    'content-disposition': buildDisposition(name),
    // It is another's content: it must not act as a page of this site.
    'content-security-policy': 'sandbox',
    'accept-ranges': 'bytes',
    ...(etag === undefined ? {} : { etag }),
  }
  if (etag !== undefined && matchesAny(ifNoneMatch, etag)) return reply.code(304).headers(common).send()
  // RFC 9110 §14.2: only GET has ranges.
  const isRange = method === 'GET' && (ifRange === undefined || ifRange === etag)
  const asked = isRange ? parseRange(range) : undefined
  // A response without the file must not have these headers, so they follow the reading.
  if (asked === undefined) {
    const body = await read()
    return reply.headers(common).send(body)
  }
  const { bytes, from, size } = await readRange(asked)
  reply.headers(common)
  if (bytes.length === 0)
    return reply
      .code(416)
      .headers({ 'content-range': `bytes */${size}`, 'cache-control': 'no-store' })
      .send()
  return reply
    .code(206)
    .header('content-range', `bytes ${from}-${from + bytes.length - 1}/${size}`)
    .send(bytes)
}

/** One range of bytes (RFC 9110 §14.1.2); undefined for none, several, or one of another form. */
function parseRange(header: string | undefined): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '') return last === '' ? undefined : { last: Number(last) }
  const [from, to] = [Number(first), last === '' ? undefined : Number(last)]
  return to !== undefined && to < from ? undefined : { from, to }
}

const MAX_NAME_LENGTH = 100

/** Characters that end the name in a header, or that file systems do not take. */
const removeReserved = (text: string): string => text.replace(/[\s\p{C}/\\:*?"<>|%]+/gu, ' ').trim()

/** RFC 6266: a name in ASCII for old programs, and one in UTF-8. */
function buildDisposition(title: string): string {
  const clean = Array.from(removeReserved(stripDirectionMarks(title)))
    .slice(0, MAX_NAME_LENGTH)
    .join('')
  const name = `${clean === '' ? 'document' : clean}.pdf`
  // Also after this: full-width quotation marks become ASCII.
  const ascii = removeReserved(name.normalize('NFKD')).replace(/[^\x20-\x7e]+/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, one => `%${one.charCodeAt(0).toString(16)}`)
  return `inline; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
