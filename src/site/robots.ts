/** `/robots.txt` lets crawlers read passports and points them to the sitemap. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SiteSetup } from './http/setup.ts'

/**
 * Pages that must not be listed say `noindex` themselves, and a crawler must be able to read them to see it.
 */
export function createRobotsHandler({ addresses }: SiteSetup) {
  const { publicUrl } = addresses
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  const text = `User-agent: *\nDisallow: ${base}/api/\nDisallow: ${base}/console\n\nSitemap: ${publicUrl}/sitemap.xml\n`
  return (_request: FastifyRequest, reply: FastifyReply) => reply.headers(HEADERS).send(text)
}

const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'public, max-age=3600',
}
