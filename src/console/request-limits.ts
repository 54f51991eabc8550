/** Limits signed-in people: requests per minute, fewer for some actions, turns for pages and files. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { waitForTurn } from '../accounts/limits/turns.ts'
import type { Session } from '../accounts/people/sessions.ts'
import { releaseWithResponse } from '../kernel/concurrency/semaphore.ts'
import { createTokenBuckets } from '../kernel/concurrency/token-buckets.ts'
import { perDatabase, type Sql } from '../kernel/db/database.ts'
import { AppError } from '../kernel/errors/errors.ts'
import { sendErrorPage } from './page/error-page.ts'
import type { ConsoleRoute } from './page/route.ts'
import { chooseWords } from './page/words.ts'

/** Per person, as many as the API gives the smallest plan. */
const REQUESTS_PER_MINUTE = 300
/** Per person. A page shows up to 50. */
const PICTURES_PER_MINUTE = 6_000
/** Per account. A test is sent to an address that the account chooses. */
const WEBHOOK_TESTS_PER_MINUTE = 10

const limitsOf = perDatabase((_sql: Sql) => ({
  requests: createTokenBuckets({ perMinute: REQUESTS_PER_MINUTE }),
  pictures: createTokenBuckets({ perMinute: PICTURES_PER_MINUTE }),
  webhookTests: createTokenBuckets({ perMinute: WEBHOOK_TESTS_PER_MINUTE }),
}))

type Entry = { sql: Sql; route: ConsoleRoute; session: Session; request: FastifyRequest; reply: FastifyReply }

/** Admits a request to its route; otherwise answers it and returns the reply. */
export async function refuseForCost(entry: Entry): Promise<FastifyReply | undefined> {
  const { sql, route, session, request, reply } = entry
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
  const pool = isDownload ? 'downloads' : 'uploads'
  try {
    const release = await waitForTurn({ sql }, { pool, asker: describeAsker(entry), response: reply.raw })
    if (release === undefined) return reply.hijack()
    releaseWithResponse(reply.raw, release)
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const busy = isDownload ? texts.downloadsBusy : texts.uploadsBusy
    return refuse(503, busy, Math.ceil((error.retryAfterMs ?? 0) / 1000))
  }
}

const describeAsker = ({ session, request }: Pick<Entry, 'session' | 'request'>) => ({
  accountId: session.account.id,
  address: request.clientAddress,
})

/**
 * Calls `render` when it is the turn of the account and network, unless the client has left. Files have turns
 * of their own. Throws `unavailable`; then a form has changed nothing.
 */
export async function renderInTurn(entry: Entry, render: () => Promise<FastifyReply>): Promise<FastifyReply> {
  const { sql, route, reply } = entry
  if (route.cost !== undefined) return render()
  const asker = describeAsker(entry)
  const endTurn = await waitForTurn({ sql }, { pool: 'console', asker, response: reply.raw })
  if (endTurn === undefined) return reply.hijack()
  try {
    return await render()
  } finally {
    endTurn()
  }
}

/**
 * Links on any site send cookies (SameSite=Lax), and a link must not start minutes of work. `Sec-Fetch-Site`
 * names the origin; `none` means a typed or bookmarked address.
 */
function isOwnRequest({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}
