/** Limits signed-in people: requests per minute, fewer for some actions, concurrent downloads. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../accounts/people/sessions.ts'
import { perDatabase, type Sql } from '../kernel/db/database.ts'
import { KeyedSemaphore, releaseWithResponse } from '../kernel/semaphore.ts'
import { createTokenBuckets } from '../kernel/token-buckets.ts'
import { sendErrorPage } from './page/error-page.ts'
import type { ConsoleRoute } from './page/route.ts'
import { chooseWords } from './page/words.ts'

/** Per person, as many as the API gives the smallest plan. */
const REQUESTS_PER_MINUTE = 300
/** Per person. A page shows up to 50. */
const PICTURES_PER_MINUTE = 6_000
/** Per account. A test is sent to an address that the account chooses. */
const WEBHOOK_TESTS_PER_MINUTE = 10
const MAX_DOWNLOADS = 4
const MAX_DOWNLOADS_PER_ACCOUNT = 2
/** Each holds one file in memory while it arrives. */
const MAX_UPLOADS = 6
const MAX_UPLOADS_PER_ACCOUNT = 3
const UPLOAD_RETRY_S = 5

const limitsOf = perDatabase((_sql: Sql) => ({
  requests: createTokenBuckets({ perMinute: REQUESTS_PER_MINUTE }),
  pictures: createTokenBuckets({ perMinute: PICTURES_PER_MINUTE }),
  webhookTests: createTokenBuckets({ perMinute: WEBHOOK_TESTS_PER_MINUTE }),
  downloads: new KeyedSemaphore<number>({ capacity: MAX_DOWNLOADS }, { capacity: MAX_DOWNLOADS_PER_ACCOUNT }),
  uploads: new KeyedSemaphore<number>({ capacity: MAX_UPLOADS }, { capacity: MAX_UPLOADS_PER_ACCOUNT }),
}))

type Entry = { sql: Sql; route: ConsoleRoute; session: Session; request: FastifyRequest; reply: FastifyReply }

/** Admits a request to its route; otherwise answers it and returns the reply. */
export function refuseForCost({ sql, route, session, request, reply }: Entry): FastifyReply | undefined {
  const limits = limitsOf(sql)
  const texts = chooseWords(request.headers['accept-language']).texts.requests
  const refuse = (status: 403 | 429 | 503, sentence: string, seconds?: number) => {
    const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) }
    return sendErrorPage({ request, reply, session, status, sentence, headers })
  }
  const now = performance.now()
  const seconds = (route.cost === 'picture' ? limits.pictures : limits.requests).take(session.personId, now)
  if (seconds > 0) return refuse(429, texts.tooManyRequests({ seconds }), seconds)
  if (route.cost === 'webhook_test') {
    const pause = limits.webhookTests.take(String(session.account.id), now)
    const most = WEBHOOK_TESTS_PER_MINUTE
    return pause > 0 ? refuse(429, texts.tooManyTests({ most, seconds: pause }), pause) : undefined
  }
  if (route.cost !== 'download' && route.cost !== 'upload') return undefined
  const isDownload = route.cost === 'download'
  if (isDownload && !isOwnRequest(request)) return refuse(403, texts.crossSiteDownload)
  const release = (isDownload ? limits.downloads : limits.uploads).tryAcquire(session.account.id)
  if (release === undefined) {
    return isDownload ? refuse(503, texts.downloadsBusy, 30) : refuse(503, texts.uploadsBusy, UPLOAD_RETRY_S)
  }
  releaseWithResponse(reply.raw, release)
  return undefined
}

/**
 * Links on any site send cookies (SameSite=Lax), and a link must not start minutes of work. `Sec-Fetch-Site`
 * names the origin; `none` means a typed or bookmarked address.
 */
function isOwnRequest({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}
