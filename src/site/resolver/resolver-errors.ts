/** Headers of all resolver responses, and its errors: a page for people, JSON for programs. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type DigitalLink, gs1Path } from '../../gs1/digital-link.ts'
import { LANGUAGES, type Language } from '../../i18n/catalogue.ts'
import { negotiateLanguage } from '../../i18n/negotiate.ts'
import type { AppError } from '../../kernel/errors.ts'
import { CORS_HEADERS } from '../http/cors.ts'
import {
  type Headers,
  type PreparedResponse,
  prepareResponse,
  sendPrepared,
} from '../http/prepared-response.ts'
import { htmlHeaders, securityHeaders } from '../page/shell.ts'
import { renderNotFoundPage } from '../passport/error-pages.ts'
import { prefersHtml } from '../passport/formats.ts'

export const RESOLVER_VARY = 'Accept, Accept-Language'

/** Nothing may cache the response: an address can resolve to another passport at any moment. */
export const buildResolverHeaders = (publicUrl: string): Headers => ({
  ...CORS_HEADERS,
  ...securityHeaders(publicUrl),
  'cache-control': 'no-store',
  vary: RESOLVER_VARY,
})

/** The path is written anew, because a header must not contain what a stranger typed. */
export function buildLinksetLink(publicUrl: string, { gtin14, ...qualifiers }: DigitalLink): string {
  return `<${publicUrl}${gs1Path(gtin14, qualifiers)}?linkType=linkset>; rel="linkset"; type="application/linkset+json"`
}

/** Sends people the error page. Throws for programs. */
export async function sendResolverError(
  publicUrl: string,
  request: FastifyRequest,
  reply: FastifyReply,
  error: AppError,
): Promise<void> {
  const { accept, 'accept-language': acceptLanguage } = request.raw.headers
  if (!prefersHtml(accept)) {
    reply.headers(buildResolverHeaders(publicUrl))
    throw error
  }
  const status = error.code === 'bad_request' ? 400 : 404
  await sendPrepared(
    request,
    reply,
    prepareErrorPage(status, negotiateLanguage({ acceptLanguage }), publicUrl),
  )
}

const pages = new Map<string, PreparedResponse>()

function prepareErrorPage(status: 400 | 404, language: Language, publicUrl: string): PreparedResponse {
  const key = `${status} ${language} ${publicUrl}`
  const cached = pages.get(key)
  if (cached !== undefined) return cached
  const page = prepareResponse({
    status,
    body: renderNotFoundPage(language),
    tag: `${status}.${language}`,
    headers: {
      ...buildResolverHeaders(publicUrl),
      ...htmlHeaders(publicUrl),
      'content-language': language,
      'x-robots-tag': 'noindex',
      vary: `${RESOLVER_VARY}, Accept-Encoding`,
    },
  })
  if (pages.size >= 4 * LANGUAGES.length) pages.clear()
  pages.set(key, page)
  return page
}
