/**
 * Bounds the answers that no cache helps with. Whoever has had too many is refused before anything is read or
 * rendered; ready answers are never refused.
 */
import type { FastifyRequest } from 'fastify'
import { createPageLimit } from '../accounts/page-limit.ts'
import { AppError } from '../kernel/errors.ts'
import { trustedProxies } from '../kernel/forwarded.ts'
import type { SiteSetup, UncachedLimit } from './setup.ts'

const LOG_EVERY_MS = 60_000

export function limitUncached({ clock, watch, ...setup }: SiteSetup): UncachedLimit {
  const limit = createPageLimit()
  const { isTrusted, isUnnamedProxy } = trustedProxies(setup.trustedProxies)
  let refused = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  /** Behind a proxy's own address may be all readers there are. */
  const isProxy = ({ readerAddress, raw }: FastifyRequest) => isTrusted(readerAddress) || isUnnamedProxy(raw)

  const logRefusal = (request: FastifyRequest, now: number) => {
    refused++
    if (Math.abs(now - loggedAt) < LOG_EVERY_MS) return
    loggedAt = now
    request.log.warn(
      { refused },
      'a network asks for too many public pages that are not ready; it is refused',
    )
    refused = 0
  }

  return {
    admit(request) {
      if (isProxy(request)) return
      const now = clock.now().getTime()
      const seconds = limit.take(request.readerAddress, now)
      if (seconds === 0) return
      watch?.page('refused')
      logRefusal(request, now)
      throw tooMany(seconds)
    },
    giveBack(request) {
      if (!isProxy(request)) limit.giveBack(request.readerAddress)
    },
  }
}

const tooMany = (seconds: number) =>
  new AppError(
    'rate_limited',
    'Too many pages were asked for from your network in a short time. Try again in a moment.',
    undefined,
    { 'retry-after': String(seconds) },
  )
