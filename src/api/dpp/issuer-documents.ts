/** Serves an issuer to verifiers: its keys, and which of its credentials are revoked. */
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/errors/errors.ts'
import { matchesAny } from '../../kernel/http/entity-tags.ts'
import { getPathParameters } from '../../kernel/http/request-input.ts'
import { buildIssuerDocument, buildJwtIssuerMetadata } from '../../passports/documents/issuer-document.ts'
import type { DocumentSetup } from '../../passports/documents/setup.ts'
import {
  buildSignedStatusList,
  STATUS_LIST_MAX_AGE_S,
} from '../../passports/documents/status-list-document.ts'
import type { StatusListForm } from '../../passports/signed/signed-status-lists.ts'
import type { ApiSetup } from '../endpoint/endpoint.ts'
import { limitAddress } from '../endpoint/limits.ts'
import { selectType } from './accept.ts'

type IssuerSetup = ApiSetup & DocumentSetup

const MAX_AGE = `public, max-age=${STATUS_LIST_MAX_AGE_S}`
/** All but the second have the same bytes. */
const LIST_TYPES = [
  'application/vc',
  'application/vc+jwt',
  'application/ld+json',
  'application/json',
] as const
const TOKEN_TYPE = 'application/statuslist+jwt'

export function registerIssuerDocuments(
  door: FastifyInstance,
  setup: IssuerSetup,
  headers: Readonly<Record<string, string>>,
): void {
  const limit = (request: FastifyRequest, reply: FastifyReply) => {
    limitAddress(setup, request, reply, { rejects: true })
    reply.headers(headers)
  }
  door.get('/issuers/:name/did.json', async (request, reply) => {
    limit(request, reply)
    const { name = '' } = getPathParameters(request)
    const document = await buildIssuerDocument(setup, name)
    if (document === undefined) throw new AppError('not_found', 'There is no such issuer.')
    reply.header('cache-control', MAX_AGE).type('application/did+json')
    return reply.send(Buffer.from(JSON.stringify(document)))
  })
  const metadataPath = findMetadataPath(setup.addresses.publicUrl)
  if (metadataPath !== undefined)
    door.get(metadataPath, async (request, reply) => {
      limit(request, reply)
      const { name = '' } = getPathParameters(request)
      const metadata = await buildJwtIssuerMetadata(setup, name)
      if (metadata === undefined) throw new AppError('not_found', 'There is no such issuer.')
      reply.header('cache-control', MAX_AGE).type('application/json')
      return reply.send(Buffer.from(JSON.stringify(metadata)))
    })
  door.get('/issuers/:name/status/:n', async (request, reply) => {
    limit(request, reply)
    const type = selectType(request.headers.accept, LIST_TYPES)
    const text = await requireList(setup, request, type === 'application/vc+jwt' ? 'vc-jwt' : 'vc')
    return sendList(request, reply.header('vary', 'Accept'), type, text)
  })
  door.get('/issuers/:name/messages/:n', async (request, reply) => {
    limit(request, reply)
    const type = selectType(request.headers.accept, LIST_TYPES)
    const form = type === 'application/vc+jwt' ? 'message-vc-jwt' : 'message-vc'
    return sendList(request, reply.header('vary', 'Accept'), type, await requireList(setup, request, form))
  })
  door.get('/issuers/:name/status/:n/token', async (request, reply) => {
    limit(request, reply)
    return sendList(request, reply, TOKEN_TYPE, await requireList(setup, request, 'token'))
  })
}

/**
 * The well-known part stands between the host and the path of an issuer, so also before the path of
 * `PUBLIC_URL`. Undefined if the router would read that path as a pattern.
 */
export function findMetadataPath(publicUrl: string): string | undefined {
  const path = new URL(publicUrl).pathname.replace(/\/$/, '')
  return /^[\w.~@/-]*$/.test(path) ? `/.well-known/jwt-vc-issuer${path}/issuers/:name` : undefined
}

async function requireList(
  setup: IssuerSetup,
  request: FastifyRequest,
  form: StatusListForm,
): Promise<string> {
  const { name = '', n = '' } = getPathParameters(request)
  const text = /^[1-9]\d{0,8}$/.test(n)
    ? await buildSignedStatusList(setup, name, Number(n), form)
    : undefined
  if (text === undefined) throw new AppError('not_found', 'This issuer has no such status list.')
  return text
}

function sendList(request: FastifyRequest, reply: FastifyReply, type: string, text: string) {
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
  reply.header('etag', etag).header('cache-control', MAX_AGE)
  if (matchesAny(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(type).send(Buffer.from(text))
}
