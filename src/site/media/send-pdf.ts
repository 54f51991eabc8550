/** Sends a PDF, or the part of it that the reader asks for. */
import type { FastifyReply } from 'fastify'
import { stripDirectionMarks } from '../../i18n/direction-marks.ts'
import type { Headers } from '../http/prepared-response.ts'

type SentDocument = {
  body: Buffer
  /** Of which the file's name is made. */
  name: string
  /** Undefined for a response that nobody may store. */
  etag: string | undefined
  headers: Headers
}

export function sendPdf(reply: FastifyReply, { body, name, etag, headers }: SentDocument): FastifyReply {
  const { method, headers: sent } = reply.request.raw
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = sent
  reply.headers({
    ...headers,
    'content-type': 'application/pdf',
    'content-disposition': buildDisposition(name),
    // It is another's content: it must not act as a page of this site.
    'content-security-policy': 'sandbox',
    'accept-ranges': 'bytes',
    ...(etag === undefined ? {} : { etag }),
  })
  if (etag !== undefined && matches(ifNoneMatch, etag)) return reply.code(304).send()
  // RFC 9110 §14.2: only GET has ranges.
  const isRange = method === 'GET' && (ifRange === undefined || ifRange === etag)
  const asked = isRange ? parseRange(range, body.length) : undefined
  if (asked === undefined) return reply.send(body)
  if (asked === 'unsatisfiable')
    return reply
      .code(416)
      .headers({ 'content-range': `bytes */${body.length}`, 'cache-control': 'no-store' })
      .send()
  const { from, to } = asked
  return reply
    .code(206)
    .header('content-range', `bytes ${from}-${to}/${body.length}`)
    .send(body.subarray(from, to + 1))
}

const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some(one => one.trim().replace(/^W\//, '') === etag))

/** One range of bytes (RFC 9110 §14.1.2); undefined for none, several, or one of another form. */
function parseRange(
  header: string | undefined,
  length: number,
): { from: number; to: number } | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const wanted = Number(last)
    return wanted === 0 ? 'unsatisfiable' : { from: Math.max(0, length - wanted), to: length - 1 }
  }
  const from = Number(first)
  const to = last === '' ? length - 1 : Math.min(Number(last), length - 1)
  if (last !== '' && Number(last) < from) return undefined
  return from >= length ? 'unsatisfiable' : { from, to }
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
