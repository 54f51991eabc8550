/** `/.well-known/security.txt` (RFC 9116): where to report a vulnerability of this installation. */
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../kernel/values/clock.ts'

export type SecurityContactSetup = {
  /** A mailto:, https: or tel: address; without it there is no such file. */
  securityContact?: string | undefined
  addresses: { publicUrl: string }
  clock: Clock
}

/** RFC 9116 §2.5.5 recommends less than a year. The date advances while the server runs. */
const VALID_DAYS = 180
const DAY_MS = 24 * 60 * 60 * 1_000

const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'public, max-age=3600',
}

export function registerSecurityTxt(
  app: FastifyInstance,
  { securityContact, addresses, clock }: SecurityContactSetup,
): void {
  if (securityContact === undefined) return
  const path = '/.well-known/security.txt'
  const canonical = new URL(path, addresses.publicUrl).href
  app.get(path, (_request, reply) => {
    const today = Math.floor(clock.now().getTime() / DAY_MS)
    const expires = new Date((today + VALID_DAYS) * DAY_MS).toISOString()
    return reply
      .headers(HEADERS)
      .send(`Contact: ${securityContact}\nExpires: ${expires}\nCanonical: ${canonical}\n`)
  })
}
