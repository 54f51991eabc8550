/** `/robots.txt`: who crawls is let in to the passports, and told where they are listed. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SiteSetup } from './http/setup.ts'

/**
 * What must not be listed (units, archived passports, accounts that want none of it) says `noindex` itself, which a
 * crawler must be let in to read.
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
