/** The console's one style sheet, under an address that changes with it, so that a browser keeps it for good. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'

const STYLE = readFileSync(new URL('../../assets/console.css', import.meta.url))
const DIGEST = hash('sha256', STYLE, 'base64url').slice(0, 16)
const ETAG = `"${DIGEST}"`

export const STYLE_PATH = '/console/console.css'
export const STYLE_HREF = `${STYLE_PATH}?v=${DIGEST}`

export function sendStyle(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isNamed = (request.query as Readonly<Record<string, unknown>>).v === DIGEST
  reply.headers({
    etag: ETAG,
    'cache-control': isNamed ? 'public, max-age=31536000, immutable' : 'public, no-cache',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })
  const known = request.headers['if-none-match'] ?? ''
  if (known.split(',').some(tag => tag.trim().replace(/^W\//, '') === ETAG)) return reply.code(304).send()
  return reply.type('text/css; charset=utf-8').send(STYLE)
}
