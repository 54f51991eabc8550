/** Downloads a file from an address that a user has given, within the limits of an upload. */
import { type Outbound, OutboundFailure } from '../../kernel/http-out/outbound-http.ts'
import { explainUrlError } from '../../kernel/http-out/outbound-url.ts'
import { MAX_MEDIA_BYTES } from '../files/prepared-file.ts'

/** For the file with all redirects that lead to it. */
export const FETCH_TIMEOUT_MS = 30_000
const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
/** A server that is overloaded or being restarted may answer later. */
const PASSING = [408, 425, 429, 500, 502, 503, 504]

/** Why there is no file: for programs that have their own words. `other`: only the reason says it. */
export const FETCH_FAILURES = [
  'not_found',
  'status',
  'no_answer',
  'not_public',
  'no_picture',
  'too_large',
  'damaged',
  'no_room',
  'other',
] as const
export type FetchFailure = (typeof FETCH_FAILURES)[number]

/** `reason` is for the account. `isPassing`: a later attempt may succeed. */
export type FailedDownload = { failure: FetchFailure; reason: string; isPassing: boolean }
export type DownloadResult = { bytes: Buffer } | FailedDownload

type DownloadOptions = { timeoutMs?: number; maxBytes?: number }

/** Returns a failure of the network or the server. Throws OutboundFailure `stopped` only. */
export async function downloadFile(
  outbound: Outbound,
  sourceUrl: string,
  { timeoutMs = FETCH_TIMEOUT_MS, maxBytes = MAX_MEDIA_BYTES }: DownloadOptions = {},
): Promise<DownloadResult> {
  const end = performance.now() + timeoutMs
  let url = sourceUrl
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const left = Math.max(1, end - performance.now())
      const headers = { accept: 'image/*, application/pdf', 'accept-encoding': 'identity' }
      const response = await outbound.get({ url, headers, maxBytes, timeoutMs: left })
      const { status } = response
      if (!REDIRECTS.includes(status)) return readDownload(response, maxBytes)
      const next = resolveRedirect(url, response.headers.location)
      if (next === undefined) return refuse('The address redirects without saying where to.')
      const problem = explainUrlError(next, outbound.policy)
      if (problem !== undefined)
        return refuse(`The address redirects to one that Carnet does not use. ${problem}`, 'not_public')
      url = next
    }
    return refuse(`The address redirects more than ${MAX_REDIRECTS} times.`)
  } catch (error) {
    if (!(error instanceof OutboundFailure) || error.failure === 'stopped') throw error
    const late = `The file did not arrive within ${timeoutMs / 1000} seconds.`
    const reason = error.failure === 'timeout' ? late : error.message
    const isPassing = error.failure !== 'address_refused'
    return { failure: isPassing ? 'no_answer' : 'not_public', reason, isPassing }
  }
}

const refuse = (reason: string, failure: FetchFailure = 'other'): DownloadResult => ({
  failure,
  reason,
  isPassing: false,
})

type Response = Awaited<ReturnType<Outbound['get']>>

function readDownload({ status, headers, body }: Response, maxBytes: number): DownloadResult {
  if (status !== 200) {
    const reason = `The server of the address answered ${status} instead of sending the file.`
    const failure = status === 404 || status === 410 ? 'not_found' : 'status'
    return { failure, reason, isPassing: PASSING.includes(status) }
  }
  // A small compressed answer may be huge when it is unpacked.
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding !== 'identity')
    return refuse('The server of the address sends the file compressed, although it was asked not to.')
  if (body.length > maxBytes)
    return refuse(
      `The file has more than ${maxBytes} bytes (${Math.floor(maxBytes / 2 ** 20)} MiB).`,
      'too_large',
    )
  return { bytes: body }
}

/** Absolute and without a fragment; undefined if there is none. */
function resolveRedirect(url: string, location: string | string[] | undefined): string | undefined {
  const text = typeof location === 'string' ? location : undefined
  if (text === undefined || !URL.canParse(text, url)) return undefined
  const next = new URL(text, url)
  next.hash = ''
  return next.href
}
