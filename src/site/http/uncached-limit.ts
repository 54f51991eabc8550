/**
 * Limits the uncached responses of each network: a network that requests too many is rejected at once, the
 * others take turns. Cached responses are not limited.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createPageLimit } from '../../accounts/limits/page-limit.ts'
import { AppError } from '../../kernel/errors.ts'
import { FairTurns } from '../../kernel/fair-turns.ts'
import { getNetwork } from '../../kernel/http/network.ts'
import { createTrustedProxies } from '../../kernel/http/trusted-proxies.ts'
import type { Release } from '../../kernel/semaphore.ts'
import type { SiteSetup, UncachedLimit } from './setup.ts'

const LOG_INTERVAL_MS = 60_000
/** So at most four look-ups share a statement. A higher limit saved no processor time. */
const MAX_CONCURRENT = 4
export const MAX_WAITING_PER_NETWORK = 32
export const MAX_WAITING = 512
/** As long as a statement may wait for a connection. */
const MAX_WAIT_MS = 5_000
/**
 * Readers behind a proxy that hides their addresses share this key, whether or not the proxy is configured.
 */
const PROXIES_KEY = 'proxies'

export function createUncachedLimit({ clock, pageMetrics, trustedProxies }: SiteSetup): UncachedLimit {
  const limit = createPageLimit()
  const turns = new FairTurns({ capacity: MAX_CONCURRENT, maxWaiting: MAX_WAITING })
  const { isTrusted, isUnconfiguredProxy } = createTrustedProxies(trustedProxies)
  const logRejection = createRejectionLog()

  /** A proxy that hides client addresses must not be limited as one network. */
  const isProxy = ({ clientAddress, raw }: FastifyRequest) =>
    isTrusted(clientAddress) || isUnconfiguredProxy(raw)

  const reject = (request: FastifyRequest, seconds: number): never => {
    pageMetrics?.countPage('rejected')
    logRejection(request, clock.now().getTime())
    throw new AppError(
      'rate_limited',
      'Your network requested too many pages in a short time. Try again in a moment.',
      undefined,
      seconds * 1000,
    )
  }

  return {
    async run(reply, work, isShared = false) {
      const { request } = reply
      const { clientAddress } = request
      const isFromProxy = isProxy(request)
      const seconds = isFromProxy ? 0 : limit.take(clientAddress, clock.now().getTime())
      if (seconds > 0) reject(request, seconds)
      const [key, max] = isFromProxy
        ? [PROXIES_KEY, MAX_WAITING]
        : [getNetwork(clientAddress, 56), MAX_WAITING_PER_NETWORK]
      const endTurn = await waitForTurn(turns, key, max, isShared ? undefined : reply)
      if (endTurn === 'rejected') return reject(request, 1)
      if (endTurn === 'disconnected') {
        reply.hijack()
        return undefined
      }
      try {
        return await work()
      } finally {
        endTurn()
      }
    },
    refund(request) {
      if (!isProxy(request)) limit.giveBack(request.clientAddress)
    },
  }
}

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

async function waitForTurn(turns: FairTurns, key: string, max: number, reply: FastifyReply | undefined) {
  const { promise, resolve } = Promise.withResolvers<Release | 'rejected' | 'disconnected'>()
  const leaveQueue = turns.enter(key, { onTurn: resolve, onRejected: () => resolve('rejected') }, max)
  const giveUp = (reason: 'rejected' | 'disconnected') => {
    leaveQueue()
    resolve(reason)
  }
  const onClose = () => giveUp('disconnected')
  const timer = setTimeout(() => giveUp('rejected'), MAX_WAIT_MS)
  reply?.raw.once('close', onClose)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    reply?.raw.off('close', onClose)
  }
}
