/** `/sitemap.xml` and the files it names: the pages that search engines may list, and nothing of whom they belong to. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../kernel/errors.ts'
import { passportUrl } from '../passports/core/record.ts'
import { listSitemapFile, listSitemapFiles } from '../passports/read/sitemap.ts'
import { type PreparedResponse, prepareResponse, sendPrepared } from './http/prepared-response.ts'
import type { SiteContext, SiteSetup } from './http/setup.ts'
import { securityHeaders } from './page/shell.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
/** No answer: there is no such file, or nothing to list in it, which is remembered like a file. */
type CachedFile = { answer: Promise<PreparedResponse | undefined>; at: number }
type Make = () => Promise<string | undefined>

/** Made at most this often, however many ask. */
const CACHE_MS = 60_000
/** A file has a MiB, and a tenth of that again compressed. */
const MAX_CACHED_FILES = 8

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** The handlers of the index and of the files it names. */
export function createSitemapHandlers(setup: SiteContext): Record<string, Handler> {
  const kept = new Map<number, CachedFile>()
  const send = (n: number, make: Make): Handler => {
    return async (request, reply) => {
      const answer = await getCachedFile(setup, kept, n, () => setup.uncached.run(request, undefined, make))
      if (answer === undefined) throw notFound('sitemap')
      return sendPrepared(request, reply, answer)
    }
  }
  return {
    '/sitemap.xml': send(0, () => renderSitemapIndex(setup)),
    '/sitemap/:file': (request, reply) => {
      const n = parseFileNumber(request)
      return send(n, () => renderSitemapFile(setup, n))(request, reply)
    },
  }
}

/** Throws `not_found` for anything but `1.xml`, `2.xml` and so on. */
function parseFileNumber(request: FastifyRequest): number {
  const { file = '' } = request.params as { file?: string }
  const digits = /^([1-9][0-9]{0,6})\.xml$/.exec(file)?.[1]
  if (digits === undefined) throw notFound('sitemap')
  return Number(digits)
}

function getCachedFile(setup: SiteSetup, kept: Map<number, CachedFile>, n: number, make: Make) {
  const now = setup.clock.now().getTime()
  const known = kept.get(n)
  if (known !== undefined && now >= known.at && now - known.at < CACHE_MS) return known.answer
  const answer = make().then(body =>
    body === undefined
      ? undefined
      : prepareResponse({
          body,
          tag: `sitemap.${n}`,
          headers: {
            ...securityHeaders(setup.addresses.publicUrl),
            'content-type': 'application/xml; charset=utf-8',
            'cache-control': 'public, max-age=3600',
            vary: 'Accept-Encoding',
          },
        }),
  )
  const entry = { answer, at: now }
  if (kept.size >= MAX_CACHED_FILES) kept.clear()
  kept.set(n, entry)
  answer.catch(() => {
    if (kept.get(n) === entry) kept.delete(n)
  })
  return answer
}

/** The schemas of sitemaps want one entry at least: where there is nothing to list there is no sitemap. */
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

/** `PUBLIC_URL` may hold what XML reads otherwise. */
const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&apos;')
