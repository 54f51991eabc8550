/** `/sitemap.xml` and its files list the pages for search engines, without naming accounts. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { countIndexingChanges } from '../accounts/account/indexing.ts'
import { notFound } from '../kernel/errors/errors.ts'
import { getPathParameters } from '../kernel/http/request-input.ts'
import { BoundedMap } from '../kernel/values/bounded-map.ts'
import { passportUrl } from '../passports/core/record.ts'
import { MAX_STALE_MS } from '../passports/read/public-passport.ts'
import { listSitemapFile, listSitemapFiles } from '../passports/read/sitemap.ts'
import { type PreparedResponse, prepareResponse, sendPrepared } from './http/prepared-response.ts'
import type { SiteContext, SiteSetup } from './http/setup.ts'
import { isUnavailable } from './http/stale-if-error.ts'
import { buildSecurityHeaders } from './page/shell.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
/** Undefined if the file does not exist or would be empty; that is cached too. */
type Response = Promise<PreparedResponse | undefined>
/** `older`: what readers get while `response` is being made. */
type CachedFile = { response: Response; older: Response | undefined; at: number; change: number }
type FileCache = BoundedMap<number, CachedFile>
type Render = () => Promise<string | undefined>

const CACHE_MS = 60_000
/** A file has 1 MiB, and a tenth of that compressed. */
const MAX_CACHED_FILES = 8

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

export function createSitemapHandlers(setup: SiteContext): Record<string, Handler> {
  const cache: FileCache = new BoundedMap(MAX_CACHED_FILES)
  const send = async (reply: FastifyReply, n: number, render: Render) => {
    const response = await getCachedFile(setup, cache, n, () =>
      setup.uncachedLimit.run(reply, render, { isShared: true }),
    )
    if (response === undefined) throw notFound('sitemap')
    return sendPrepared(reply, response)
  }
  return {
    '/sitemap.xml': (_request, reply) => send(reply, 0, () => renderSitemapIndex(setup)),
    async '/sitemap/:file'(request, reply) {
      const { file = '' } = getPathParameters(request)
      const digits = /^([1-9][0-9]{0,6})\.xml$/.exec(file)?.[1]
      if (digits === undefined) throw notFound('sitemap')
      const n = Number(digits)
      return send(reply, n, () => renderSitemapFile(setup, n))
    },
  }
}

function getCachedFile(setup: SiteSetup, cache: FileCache, n: number, render: Render): Response {
  const now = setup.clock.now().getTime()
  const change = countIndexingChanges(setup.sql)
  const cached = cache.get(n)
  const isFresh = cached?.change === change && now >= cached.at && now - cached.at < CACHE_MS
  if (isFresh) return cached.older ?? cached.response
  const isUsable = cached !== undefined && Math.abs(now - cached.at) < MAX_STALE_MS
  const old = cached?.older ?? cached?.response
  const response = prepare(setup, n, render).then(
    prepared => {
      entry.older = undefined
      return prepared
    },
    error => {
      const isReplaced = isUsable && old !== undefined && isUnavailable(error)
      if (cache.get(n) === entry) {
        if (isReplaced) cache.set(n, cached)
        else cache.delete(n)
      }
      if (!isReplaced) throw error
      return old
    },
  )
  // An account may have left the older copy: then readers wait for the new one.
  const older = isUsable && cached.change === change ? old : undefined
  const entry: CachedFile = { response, older, at: now, change }
  cache.set(n, entry)
  return response
}

async function prepare({ addresses }: SiteSetup, n: number, render: Render): Response {
  const body = await render()
  if (body === undefined) return undefined
  return prepareResponse({
    body,
    etagPrefix: `sitemap.${n}`,
    headers: {
      ...buildSecurityHeaders(addresses.publicUrl),
      'content-type': 'application/xml; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      vary: 'Accept-Encoding',
    },
  })
}

/** Undefined without models: a sitemap must have at least one entry. */
async function renderSitemapIndex({ sql, addresses }: SiteSetup): Promise<string | undefined> {
  const numbers = await listSitemapFiles(sql)
  if (numbers.length === 0) return undefined
  const files = numbers.map(
    n => `<sitemap><loc>${escapeXml(addresses.publicUrl)}/sitemap/${n}.xml</loc></sitemap>\n`,
  )
  return `${XML}<sitemapindex xmlns="${NAMESPACE}">\n${files.join('')}</sitemapindex>\n`
}

async function renderSitemapFile({ sql, addresses }: SiteSetup, n: number): Promise<string | undefined> {
  const models = await listSitemapFile(sql, n)
  if (models === undefined) return undefined
  const urls = models.map(({ id, updatedAt }) => {
    const address = escapeXml(passportUrl(addresses, id))
    return `<url><loc>${address}</loc><lastmod>${updatedAt.toISOString()}</lastmod></url>\n`
  })
  return `${XML}<urlset xmlns="${NAMESPACE}">\n${urls.join('')}</urlset>\n`
}

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&apos;')
