/**
 * Bounds the answers that no cache helps with. Whoever has had too many is refused before anything is read or
 * rendered; the others take turns by network, so that no flood of them delays what else the process answers. Ready
 * answers are never refused and never wait.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createPageLimit } from '../../accounts/limits/page-limit.ts'
import { AppError } from '../../kernel/errors.ts'
import { FairTurns } from '../../kernel/fair-turns.ts'
import { getNetwork } from '../../kernel/http/network.ts'
import { createTrustedProxies } from '../../kernel/http/trusted-proxies.ts'
import type { Release } from '../../kernel/semaphore.ts'
import type { SiteSetup, UncachedLimit } from './setup.ts'

const LOG_EVERY_MS = 60_000
/** So many look-ups share a statement at most. With more of them a page took no less of the processor. */
const MAX_CONCURRENT = 4
export const MAX_WAITING_PER_NETWORK = 32
export const MAX_WAITING = 512
/** As long as a statement waits for a connection. */
const MAX_WAIT_MS = 5_000
/** All readers behind a proxy that is not named. */
const PROXIES = 'proxies'

export function createUncachedLimit({ clock, watch, ...setup }: SiteSetup): UncachedLimit {
  const limit = createPageLimit()
  const turns = new FairTurns({ capacity: MAX_CONCURRENT, maxWaiting: MAX_WAITING })
  const { isTrusted, isUnnamedProxy } = createTrustedProxies(setup.trustedProxies)
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

  const refuse = (request: FastifyRequest, seconds: number): never => {
    watch?.page('refused')
    logRefusal(request, clock.now().getTime())
    throw rateLimited(seconds)
  }

  const admit = (request: FastifyRequest) => {
    const seconds = limit.take(request.readerAddress, clock.now().getTime())
    if (seconds > 0) refuse(request, seconds)
  }

  const waitForTurn = async (request: FastifyRequest, reply: FastifyReply | undefined) => {
    const [key, max] = isProxy(request)
      ? [PROXIES, MAX_WAITING]
      : [getNetwork(request.readerAddress, 56), MAX_WAITING_PER_NETWORK]
    const { promise, resolve } = Promise.withResolvers<Release | 'refused' | 'gone'>()
    const leave = turns.enter(key, { go: resolve, refuse: () => resolve('refused') }, max)
    const giveUp = (why: 'refused' | 'gone') => () => {
      leave()
      resolve(why)
    }
    const leaveWithClient = giveUp('gone')
    const timer = setTimeout(giveUp('refused'), MAX_WAIT_MS)
    reply?.raw.once('close', leaveWithClient)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      reply?.raw.off('close', leaveWithClient)
    }
  }

  return {
    async make(request, reply, work) {
      if (!isProxy(request)) admit(request)
      const turn = await waitForTurn(request, reply)
      if (turn === 'refused') return refuse(request, 1)
      if (turn === 'gone') {
        reply?.hijack()
        return undefined
      }
      try {
        return await work()
      } finally {
        turn()
      }
    },
    giveBack(request) {
      if (!isProxy(request)) limit.giveBack(request.readerAddress)
    },
  }
}

const rateLimited = (seconds: number) =>
  new AppError(
    'rate_limited',
    'Too many pages were asked for from your network in a short time. Try again in a moment.',
    undefined,
    seconds * 1000,
  )
