/**
 * Limits the uncached responses of each network: a network that requests too many is rejected at once, the
 * others take turns. Cached responses are not limited.
 */
import type { FastifyRequest } from 'fastify'
import { createPageLimit, type PageRefusal } from '../../accounts/limits/page-limit.ts'
import { overloaded, waitForTurn } from '../../accounts/limits/turns.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { createTrustedProxies } from '../../kernel/http/trusted-proxies.ts'
import type { SiteSetup, UncachedLimit } from './setup.ts'

const LOG_INTERVAL_MS = 60_000

export function createUncachedLimit({
  sql,
  clock,
  pageMetrics,
  trustedProxies,
  isForFiles = false,
}: SiteSetup): UncachedLimit {
  const limit = createPageLimit()
  const linkLimit = createPageLimit()
  const { findOwnAddress } = createTrustedProxies(trustedProxies)
  const logRejection = createRejectionLog()

  const take = (request: FastifyRequest, pages: typeof limit): void => {
    const address = findOwnAddress(request)
    const now = clock.now().getTime()
    const refusal = address === undefined ? undefined : pages.take(address, now)
    if (refusal === undefined) return
    pageMetrics?.countPage('rejected')
    logRejection(request, now)
    throw buildError(refusal)
  }
  const giveBack = (request: FastifyRequest, pages: typeof limit): void => {
    const address = findOwnAddress(request)
    if (address !== undefined) pages.giveBack(address)
  }

  return {
    async run(reply, work, { countsAs = 'page', isShared = false, ...credential } = {}) {
      // Together, requests for the languages of a passport share what is read from the database.
      if (isForFiles) return work()
      const { request } = reply
      const pages = { page: limit, link: linkLimit, nothing: undefined }[countsAs]
      if (pages !== undefined) take(request, pages)
      const response = isShared ? undefined : reply.raw
      const asker = { address: findOwnAddress(request), ...credential }
      const endTurn = await waitForTurn({ sql }, { pool: 'readers', asker, response }).catch(error => {
        // The network got nothing, so it may ask again.
        if (pages !== undefined) giveBack(request, pages)
        pageMetrics?.countPage('rejected')
        throw error
      })
      if (endTurn === undefined) {
        reply.hijack()
        return undefined
      }
      try {
        return await work()
      } finally {
        endTurn()
      }
    },
    countPage: request => take(request, limit),
    countLink(request) {
      giveBack(request, limit)
      take(request, linkLimit)
    },
    refund: request => giveBack(request, limit),
  }
}

/** A network whose neighbours requested too much has done nothing wrong. */
const buildError = ({ seconds, isOwn }: PageRefusal): AppError =>
  isOwn
    ? new AppError(
        'rate_limited',
        'Your network requested too many pages in a short time. Try again in a moment.',
        undefined,
        seconds * 1000,
      )
    : overloaded(seconds * 1000)

/** Logs at most one line a minute, with how many requests were rejected since the last one. */
function createRejectionLog() {
  let rejected = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  return (request: FastifyRequest, now: number) => {
    rejected++
    if (Math.abs(now - loggedAt) < LOG_INTERVAL_MS) return
    loggedAt = now
    request.log.warn({ rejected }, 'a network requested too many uncached pages and was rejected')
    rejected = 0
  }
}
