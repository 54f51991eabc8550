/**
 * The face of a refusal at every address that is not the API's or the console's, whether anything stands there or not:
 * a page in their language for a person, the usual JSON for a machine, and on both what every answer of this door has.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../i18n/catalogue.ts'
import { isPerson, preferredForm } from '../http/accept.ts'
import { READABLE } from '../http/cors.ts'
import type { Headers } from '../http/ready-answer.ts'
import { pageHeaders, safetyHeaders } from '../page/shell.ts'
import { busyPage, errorPage, missingBody, notFoundBody } from './error-pages.ts'
import { languageOf, type Query } from './wish.ts'

/** `page` is undefined for a machine. */
export type Face = { headers: Headers; page: string | undefined }

/** `status` is that of the refusal. Of a failure everyone who may read HTML is told in it. */
export function refusalFace(publicUrl: string, request: FastifyRequest, status: number): Face {
  const { accept } = request.raw.headers
  const isPage = status < 500 ? isPerson(accept) : preferredForm(accept) === 'html'
  if (!isPage) {
    const headers = { ...READABLE, ...safetyHeaders(publicUrl), ...UNKEPT }
    return { headers, page: undefined }
  }
  const language = languageFor(request)
  return { headers: faceHeaders(publicUrl, language), page: pageFor(status)(language) }
}

function pageFor(status: number): (language: Language) => string {
  if (status === 429) return busyPage
  return status < 500 ? notFoundBody : errorPage
}

/** Tells a person that there is no such form or link of a product, and leads them to its passport. */
export function leadOn(
  publicUrl: string,
  { request, reply, status }: { request: FastifyRequest; reply: FastifyReply; status: 404 | 406 },
  passport: string,
): FastifyReply {
  const language = languageFor(request)
  return reply.code(status).headers(faceHeaders(publicUrl, language)).send(missingBody(language, passport))
}

/** What is not there now may be there the next time. */
const UNKEPT: Headers = { 'cache-control': 'no-store', vary: 'Accept, Accept-Language' }

const faceHeaders = (publicUrl: string, language: Language): Headers => ({
  ...pageHeaders(publicUrl),
  ...UNKEPT,
  'content-language': language,
  'x-robots-tag': 'noindex',
})

/** An address that cannot be read has no query. */
const languageFor = ({ raw, query }: FastifyRequest) =>
  languageOf(raw.headers, (query as Query | null) ?? {}, 'en')
