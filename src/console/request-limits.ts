/** Limits what signed-in people may cost: requests a minute, fewer of named actions, and concurrent downloads. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../accounts/people/sessions.ts'
import { perDatabase, type Sql } from '../kernel/db/database.ts'
import { KeyedSemaphore, releaseWithResponse } from '../kernel/semaphore.ts'
import { createTokenBuckets } from '../kernel/token-buckets.ts'
import { sendErrorPage } from './page/error-page.ts'
import type { ConsoleRoute } from './page/route.ts'
import { chooseWords } from './page/words.ts'

/** Of one person, as many as the API gives the smallest plan. */
const REQUESTS_PER_MINUTE = 300
/** Of an account. A test goes out to an address of its choice. */
const WEBHOOK_TESTS_PER_MINUTE = 10
const MAX_DOWNLOADS = 4
const MAX_DOWNLOADS_PER_ACCOUNT = 2

const limitsOf = perDatabase((_sql: Sql) => ({
  requests: createTokenBuckets({ perMinute: REQUESTS_PER_MINUTE }),
  webhookTests: createTokenBuckets({ perMinute: WEBHOOK_TESTS_PER_MINUTE }),
  downloads: new KeyedSemaphore<number>({ capacity: MAX_DOWNLOADS }, { capacity: MAX_DOWNLOADS_PER_ACCOUNT }),
}))

type Entry = { sql: Sql; route: ConsoleRoute; session: Session; request: FastifyRequest; reply: FastifyReply }

/** Admits a request to its route; otherwise answers it and returns the answer. */
export function refuseForCost({ sql, route, session, request, reply }: Entry): FastifyReply | undefined {
  const limits = limitsOf(sql)
  const texts = chooseWords(request.headers['accept-language']).texts.requests
  const refuseFor = (seconds: number, sentence: string) =>
    sendErrorPage({
      request,
      reply,
      session,
      status: 429,
      sentence,
      headers: { 'retry-after': String(seconds) },
    })
  const now = performance.now()
  const seconds = limits.requests.take(session.personId, now)
  if (seconds > 0) return refuseFor(seconds, texts.tooManyRequests({ seconds }))
  if (route.cost === 'webhook_test') {
    const pause = limits.webhookTests.take(String(session.account.id), now)
    return pause > 0
      ? refuseFor(pause, texts.tooManyTests({ most: WEBHOOK_TESTS_PER_MINUTE, seconds: pause }))
      : undefined
  }
  if (route.cost !== 'download') return undefined
  if (!isOwnRequest(request)) {
    return sendErrorPage({ request, reply, session, status: 403, sentence: texts.crossSiteDownload })
  }
  const release = limits.downloads.tryAcquire(session.account.id)
  if (release === undefined) {
    const headers = { 'retry-after': '30' }
    return sendErrorPage({
      request,
      reply,
      session,
      status: 503,
      sentence: texts.downloadsBusy,
      headers,
    })
  }
  releaseWithResponse(reply.raw, release)
  return undefined
}

/**
 * Cookies go along with a link on any site (SameSite=Lax), and a link must not start minutes of work. Browsers say where a
 * request comes from; `none` is an address that was typed or kept.
 */
function isOwnRequest({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}
