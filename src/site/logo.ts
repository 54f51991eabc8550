/** `/brand/{digest}.{kind}`: an account's logo. The address has its digest, so the content never changes. */
import type { FastifyReply } from 'fastify'
import { findLogo } from '../accounts/brand/brand.ts'
import { LOGO_TYPES } from '../accounts/brand/logo.ts'
import { notFound } from '../kernel/errors.ts'
import { getPathParameters } from '../kernel/http/request-input.ts'
import { SVG_HEADERS } from '../qr/svg.ts'
import type { SiteSetup } from './http/setup.ts'
import { buildSecurityHeaders } from './page/shell.ts'

/** Throws `not_found`. */
export async function sendLogo({ sql, addresses }: SiteSetup, reply: FastifyReply): Promise<FastifyReply> {
  const { file = '' } = getPathParameters(reply.request)
  const logo = await findLogo(sql, file)
  if (logo === undefined) throw notFound('logo')
  const etag = `"${file}"`
  reply.headers({
    ...buildSecurityHeaders(addresses.publicUrl),
    ...SVG_HEADERS,
    'content-type': LOGO_TYPES[logo.type],
    'cache-control': 'public, max-age=31536000, immutable',
    // A shop may show the logo beside its link to the passport.
    'cross-origin-resource-policy': 'cross-origin',
    etag,
  })
  return reply.request.raw.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(logo.bytes)
}
