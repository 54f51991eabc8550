/** Headers of all resolver responses, and its errors: a page for people, JSON for programs. */
import type { FastifyReply } from 'fastify'
import { buildGs1Path, type DigitalLink } from '../../gs1/digital-link.ts'
import { negotiateLanguage } from '../../i18n/negotiate.ts'
import type { AppError } from '../../kernel/errors/errors.ts'
import { CORS_HEADERS } from '../http/cors.ts'
import { type Headers, sendPrepared } from '../http/prepared-response.ts'
import { buildSecurityHeaders } from '../page/shell.ts'
import { prepareNotFoundPage } from '../passport/errors.ts'
import { prefersHtml } from '../passport/formats.ts'

export const RESOLVER_VARY = 'Accept, Accept-Language'

/** Nothing may cache the response: an address can resolve to another passport at any moment. */
export const buildResolverHeaders = (publicUrl: string): Headers => ({
  ...CORS_HEADERS,
  ...buildSecurityHeaders(publicUrl),
  'cache-control': 'no-store',
  vary: RESOLVER_VARY,
})

/** Builds the path from the parsed link: a header must not contain unchecked input. */
export function buildLinksetLink(publicUrl: string, { gtin14, ...qualifiers }: DigitalLink): string {
  return `<${publicUrl}${buildGs1Path(gtin14, qualifiers)}?linkType=linkset>; rel="linkset"; type="application/linkset+json"`
}

/** Sends people an error page. Throws the error for programs. */
export async function sendResolverError(
  publicUrl: string,
  reply: FastifyReply,
  error: AppError,
): Promise<void> {
  const { accept, 'accept-language': acceptLanguage } = reply.request.raw.headers
  if (!prefersHtml(accept)) {
    reply.headers(buildResolverHeaders(publicUrl))
    throw error
  }
  const language = negotiateLanguage({ acceptLanguage })
  const status = error.code === 'bad_request' ? 400 : 404
  const headers = {
    ...CORS_HEADERS,
    'cache-control': 'no-store',
    vary: `${RESOLVER_VARY}, Accept-Encoding`,
  }
  const page = prepareNotFoundPage(publicUrl, language, {
    status,
    etagPrefix: `${status}.${language}`,
    headers,
  })
  await sendPrepared(reply, page)
}
