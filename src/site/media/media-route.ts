/**
 * The addresses of files: `/m/{id}/{width}.{type}` for pictures, `/d/{id}` for documents. They count no scan,
 * set no cookie and log no reader. A file that a reader may not have is answered as if it did not exist.
 */
import type { FastifyReply } from 'fastify'
import { notFound } from '../../kernel/errors.ts'
import { getPathParameters } from '../../kernel/http/request-input.ts'
import { MEDIA_ID, originalKey, variantKey } from '../../media/media-file.ts'
import {
  listWidths,
  type PictureWidth,
  VARIANT_TYPES,
  type VariantType,
  WIDTHS,
} from '../../media/prepare/prepared-file.ts'
import type { PublicMedia } from '../../media/public-media.ts'
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
import { authorizeReader, mayAuthorize } from './file-readers.ts'
import { sendPdf } from './send-pdf.ts'
import { createSharedReads, type SharedReads } from './shared-reads.ts'

const MAX_CACHE_BYTES = 64 * 1024 * 1024
/** Of files that are being sent and are not in the cache. */
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
      const response = files.find(url, setup.clock.now().getTime())
      return response !== undefined && trySendPrepared(exchange, response, 'identity')
    },
  }
}

const isWidth = (width: number): width is PictureWidth => WIDTHS.some(one => one === width)
const isVariantType = (type: string): type is VariantType => Object.hasOwn(VARIANT_TYPES, type)

async function handlePicture(context: MediaContext, reply: FastifyReply): Promise<unknown> {
  const { id = '', file = '' } = getPathParameters(reply.request)
  const [, digits = '', type = ''] = /^([1-9]\d{2,3})\.([a-z]{3,4})$/.exec(file) ?? []
  const width = Number(digits)
  if (!MEDIA_ID.test(id) || !isWidth(width) || !isVariantType(type)) throw notFound('file')
  const path = `${PICTURES}${id}/${file}`
  const { files, clock, addresses, sharedReads } = context
  const cached = files.find(path, clock.now().getTime())
  if (cached !== undefined) return sendPrepared(reply, cached)
  const send = async () => {
    const found = await findPublicFile(context.sql, id)
    const widths = found?.width == null ? [] : listWidths(found.width)
    if (found === undefined || !widths.includes(width)) throw notFound('file')
    const key = variantKey(found.accountId, id, width, type)
    const body = await sharedReads.read(key, reply.raw)
    if (body === undefined) throw notFound('file')
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
    const stale = isUnavailable(error) ? files.findStale(path, clock.now().getTime()) : undefined
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

/** What only some readers may have is not stored anywhere, and has no entity tag. */
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
  return context.uncachedLimit.run(reply, async () => {
    const { publicUrl } = context.addresses
    const open = await findPublicFile(context.sql, id)
    if (open !== undefined) {
      const headers = buildPublicHeaders(publicUrl)
      return sendPdf(reply, { ...openDocument(context, reply, open), etag: `"${id}"`, headers })
    }
    const file = mayAuthorize(reply.request) ? await authorizeReader(context, reply.request, id) : undefined
    if (file === undefined) throw notFound('file')
    context.uncachedLimit.refund(reply.request)
    const headers = { ...buildSecurityHeaders(publicUrl), ...PRIVATE_HEADERS }
    return sendPdf(reply, { ...openDocument(context, reply, file), etag: undefined, headers })
  })
}

/** Throws `not_found` for a picture: what was sent of it is never served. */
function openDocument(
  { sharedReads }: MediaContext,
  { raw }: FastifyReply,
  { accountId, id, width, name }: PublicMedia,
) {
  if (width !== null) throw notFound('file')
  const key = originalKey(accountId, id)
  const requireFound = <T>(found: T | undefined): T => {
    if (found === undefined) throw notFound('file')
    return found
  }
  return {
    name,
    read: async () => requireFound(await sharedReads.read(key, raw)),
    readRange: async (range: ByteRange) => requireFound(await sharedReads.readRange(key, range, raw)),
  }
}
