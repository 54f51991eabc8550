/** Answers for addresses below `/p/` that name no passport: a redirect if the id was mistyped, else a 404. */
import type { FastifyReply } from 'fastify'
import { parseId } from '../../kernel/crypto/ids.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { getPathParameters } from '../../kernel/http/request-input.ts'
import { type Headers, sendPrepared } from '../http/prepared-response.ts'
import { getBasePath, type SiteSetup } from '../http/setup.ts'
import { buildSecurityHeaders } from '../page/shell.ts'
import { PRIVATE_HEADERS } from './access.ts'
import { prepareNotFoundPage } from './errors.ts'
import { HTML } from './formats.ts'
import { negotiatePageLanguage } from './languages.ts'
import type { AnyRequest } from './passport-request.ts'

/** An id in capitals, as older scanners send it, or followed by slashes or spaces. */
const MISTYPED_ID = /^([0-9a-z]{26})[/\s]*$/i

const REDIRECT_HEADERS: Headers = { 'cache-control': 'public, max-age=86400' }

/** Caches revalidate the page each time, so that a passport created later is found. */
const PAGE_HEADERS: Headers = {
  'cache-control': 'no-cache',
  vary: 'Accept, Accept-Language, Accept-Encoding',
}

/** Redirects without a look-up, and keeps the query unchanged. Throws `not_found` for programs. */
export async function sendNotFound(
  { addresses: { publicUrl } }: SiteSetup,
  reply: FastifyReply,
  { format, query }: AnyRequest,
): Promise<unknown> {
  const { request } = reply
  const { id, '*': rest = '' } = getPathParameters(request)
  const typed = id || rest
  const corrected = MISTYPED_ID.exec(typed)?.[1]?.toLowerCase()
  if (corrected === undefined || corrected === typed || parseId(corrected) === undefined) {
    if (format !== HTML) throw notFound('passport')
    const language = negotiatePageLanguage(request.raw.headers, query, 'en')
    return sendPrepared(
      reply,
      prepareNotFoundPage(publicUrl, language, { status: 404, etagPrefix: language, headers: PAGE_HEADERS }),
    )
  }
  const [, search] = /^[^?#]*\?([^#]*)/.exec(request.raw.url ?? '') ?? []
  const cachingHeaders = query.access === undefined ? REDIRECT_HEADERS : PRIVATE_HEADERS
  return reply
    .code(301)
    .headers({ ...buildSecurityHeaders(publicUrl), ...cachingHeaders })
    .header('location', `${getBasePath(publicUrl)}/p/${corrected}${search ? `?${search}` : ''}`)
    .send('')
}
