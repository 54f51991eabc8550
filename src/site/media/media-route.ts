/**
 * The addresses of files: `/m/{id}/{width}.{type}` for pictures, `/d/{id}` for documents. They count no scan,
 * set no cookie and log no reader. A file that a reader may not have is answered as if it did not exist, and
 * one that the operator has withdrawn with 410.
 */
import type { FastifyReply } from 'fastify'
import type { Sql } from '../../kernel/db/database.ts'
import { type AppError, notFound } from '../../kernel/errors/errors.ts'
import { getPathParameters } from '../../kernel/http/request-input.ts'
import { MEDIA_ID, originalKey, variantKey } from '../../media/files/media-file.ts'
import {
  listWidths,
  type PictureWidth,
  VARIANT_TYPES,
  type VariantType,
  WIDTHS,
} from '../../media/files/prepared-file.ts'
import type { PublicMedia } from '../../media/files/public-media.ts'
import { findPublicWithdrawal, goneError, isKnownAsWithdrawn } from '../../media/files/withdrawn-media.ts'
import type { ByteRange } from '../../media/store/byte-range.ts'
import { findPublicFile } from '../../passports/access/find-file.ts'
import { ALLOW_ANY_ORIGIN, type PublicHandler } from '../http/cors.ts'
import {
  type Exchange,
  type Headers,
  prepareResponse,
  sendPrepared,
  trySendPrepared,
} from '../http/prepared-response.ts'
import type { SiteContext } from '../http/setup.ts'
import { isUnavailable } from '../http/stale-if-error.ts'
import { buildSecurityHeaders } from '../page/shell.ts'
import { createFileCache, type FileCache } from './file-cache.ts'
import { authorizeReader, describeReader, mayAuthorize } from './file-readers.ts'
import { sendPdf } from './send-pdf.ts'
import { createSharedReads, type SharedReads } from './shared-reads.ts'

const MAX_CACHE_BYTES = 64 * 1024 * 1024
/** For files that are being sent and are not in the cache. */
const MAX_SENT_BYTES = 192 * 1024 * 1024
const PICTURES = '/m/'

export type MediaRoute = {
  handlers: Record<string, PublicHandler>
  /** Sends a cached picture and returns true; else sends nothing. */
  answerFromCache: (exchange: Exchange) => boolean
}

type MediaContext = SiteContext & { files: FileCache; sharedReads: SharedReads }

export function createMediaRoute(setup: SiteContext): MediaRoute {
  const files = createFileCache(MAX_CACHE_BYTES)
  const sharedReads = createSharedReads(setup.media.mediaStore, MAX_SENT_BYTES)
  const context = { ...setup, files, sharedReads }
  return {
    handlers: {
      '/m/:id/:file': (_request, reply) => handlePicture(context, reply),
      '/d/:id': (_request, reply) => handleDocument(context, reply),
    },
    answerFromCache(exchange) {
      const { url = '' } = exchange.request
      if (!url.startsWith(PICTURES)) return false
      const response = findCached(context, url)
      return response !== undefined && trySendPrepared(exchange, response, 'identity')
    },
  }
}

/** Nothing of a file of which this process knows that it is withdrawn. */
function findCached({ files, clock, sql }: MediaContext, path: string, find: 'find' | 'findStale' = 'find') {
  const found = files[find](path, clock.now().getTime())
  if (found === undefined) return undefined
  const [id = ''] = path.slice(PICTURES.length).split('/', 1)
  return isKnownAsWithdrawn(sql, id) ? undefined : found
}

/** A file that had a public address and was withdrawn is gone; any other was never there. */
async function missingFile(sql: Sql, id: string): Promise<AppError> {
  const withdrawal = await findPublicWithdrawal(sql, id)
  return withdrawal === undefined ? notFound('file') : goneError(withdrawal)
}

const isWidth = (width: number): width is PictureWidth => WIDTHS.some(one => one === width)
const isVariantType = (type: string): type is VariantType => Object.hasOwn(VARIANT_TYPES, type)

async function handlePicture(context: MediaContext, reply: FastifyReply): Promise<unknown> {
  const { id = '', file = '' } = getPathParameters(reply.request)
  const [, digits = '', type = ''] = /^([1-9]\d{2,3})\.([a-z]{3,4})$/.exec(file) ?? []
  const width = Number(digits)
  if (!MEDIA_ID.test(id) || !isWidth(width) || !isVariantType(type)) throw notFound('file')
  const path = `${PICTURES}${id}/${file}`
  const { files, clock, addresses, sharedReads, sql } = context
  const cached = findCached(context, path)
  if (cached !== undefined) return sendPrepared(reply, cached)
  const send = async () => {
    const found = await findPublicFile(sql, id)
    if (found === undefined) throw await missingFile(sql, id)
    const widths = found.width === null ? [] : listWidths(found.width)
    if (!widths.includes(width)) throw notFound('file')
    const key = variantKey(found.accountId, id, width, type)
    const body = await sharedReads.read(key, reply.raw)
    if (body === undefined) throw await missingFile(sql, id)
    const response = prepareResponse({
      body,
      etagPrefix: `${width}`,
      hasStrongEtag: true,
      isCompressed: true,
      headers: { ...buildPublicHeaders(addresses.publicUrl), 'content-type': VARIANT_TYPES[type] },
    })
    files.put(path, response, clock.now().getTime())
    return sendPrepared(reply, response)
  }
  try {
    return await context.uncachedLimit.run(reply, send)
  } catch (error) {
    const stale = isUnavailable(error) ? findCached(context, path, 'findStale') : undefined
    if (stale === undefined || reply.sent) throw error
    return sendPrepared(reply, stale)
  }
}

/** Shops may show the pictures, and scripts on other sites may read them. */
const buildPublicHeaders = (publicUrl: string): Headers => ({
  ...buildSecurityHeaders(publicUrl),
  ...ALLOW_ANY_ORIGIN,
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=31536000, immutable',
})

/** Caches may not store a file for some readers only, and it has no entity tag. */
const PRIVATE_HEADERS: Headers = {
  'cache-control': 'private, no-store',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  vary: 'Cookie, Authorization',
}

async function handleDocument(context: MediaContext, reply: FastifyReply): Promise<unknown> {
  const { id = '' } = getPathParameters(reply.request)
  if (!MEDIA_ID.test(id)) throw notFound('file')
  const work = async () => {
    const { publicUrl } = context.addresses
    const open = await findPublicFile(context.sql, id)
    if (open !== undefined) {
      const headers = buildPublicHeaders(publicUrl)
      return sendPdf(reply, { ...openDocument(context, reply, open), etag: `"${id}"`, headers })
    }
    const file = mayAuthorize(reply.request) ? await authorizeReader(context, reply.request, id) : undefined
    if (file === undefined) throw await missingFile(context.sql, id)
    context.uncachedLimit.refund(reply.request)
    const headers = { ...buildSecurityHeaders(publicUrl), ...PRIVATE_HEADERS }
    return sendPdf(reply, { ...openDocument(context, reply, file), etag: undefined, headers })
  }
  return context.uncachedLimit.run(reply, work, describeReader(context, reply.request))
}

/** Throws `not_found` for a picture: what was sent of it is never served. */
function openDocument(
  { sharedReads, sql }: MediaContext,
  { raw }: FastifyReply,
  { accountId, id, width, name }: PublicMedia,
) {
  if (width !== null) throw notFound('file')
  const key = originalKey(accountId, id)
  const requireFound = async <T>(found: T | undefined): Promise<T> => {
    if (found === undefined) throw await missingFile(sql, id)
    return found
  }
  return {
    name,
    read: async () => requireFound(await sharedReads.read(key, raw)),
    readRange: async (range: ByteRange) => requireFound(await sharedReads.readRange(key, range, raw)),
  }
}
