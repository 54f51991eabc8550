/** Creates the responses of a passport, and finds the public ones in the cache. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Brand } from '../../accounts/brand/brand.ts'
import { listChosenTags } from '../../categories/pick-text.ts'
import { waitForEventLoopTurn } from '../../kernel/yield-to-event-loop.ts'
import type { Access } from '../../passports/access/access-links.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import type { PublicMetadata } from '../../passports/read/public-passport.ts'
import { readPublicHistory } from '../../passports/read/public-version.ts'
import { readPendingCorrection } from '../../passports/units/pending-correction.ts'
import { ALLOW_ANY_ORIGIN } from '../http/cors.ts'
import { type Headers, type PreparedResponse, prepareResponse } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import { canBeIndexed } from '../page/page-context.ts'
import { buildPassportView, type PassportView } from '../page/passport-view.ts'
import { PASSPORT_VARY, PRIVATE_HEADERS, type Preview } from './access.ts'
import { HTML } from './formats.ts'
import { type NegotiatedLanguage, negotiateLanguages } from './languages.ts'
import type { CachedPassport, PageCache } from './page-cache.ts'
import type { PassportRequest } from './passport-request.ts'

const PUBLIC_CACHING = 'public, max-age=60, stale-while-revalidate=600'

/** Decides whether a cached response is current. */
type CacheStateInput = { row: PublicMetadata; brand: Brand }
/** The data of a response. `row` is one version of the passport. */
type PassportSource = { row: PublicPassportRow; brand: Brand; newestVersionNo: number }

/** Includes the GTINs: units show their model's GTIN, which can change without a new version of the unit. */
const getCacheState = ({ row, brand }: CacheStateInput) =>
  // o: outdated, with the number of corrections. n: not in search engines. b: brand version.
  `${row.version_no}${row.status}${row.outdated ? `o${row.corrections}` : ''}${row.indexable ? '' : 'n'}b${brand.version}` +
  (row.parent_id === null ? '' : ` ${row.model_gtin} ${row.batch_gtin}`)

export const findCachedResponse = (
  cache: PageCache,
  headers: IncomingHttpHeaders,
  request: PassportRequest,
  source: CacheStateInput,
): PreparedResponse | undefined =>
  findResponse(headers, request, cache.find(request.id, getCacheState(source)))

/** Whether a response is cached, perhaps for an earlier state of the passport. */
export const hasCachedResponse = (
  cache: PageCache,
  headers: IncomingHttpHeaders,
  request: PassportRequest,
): boolean => findResponse(headers, request, cache.findAny(request.id)) !== undefined

const findResponse = (
  headers: IncomingHttpHeaders,
  request: PassportRequest,
  cached: CachedPassport | undefined,
) =>
  cached?.responses.get(getResponseKey(request, negotiateLanguages(headers, request.query, cached), cached))

/**
 * Depends on the chosen texts, not on the requested languages, so that readers of the same page share one
 * response.
 */
function getResponseKey(
  request: PassportRequest,
  languages: NegotiatedLanguage,
  { textLanguages, primaryLanguage }: Pick<CachedPassport, 'textLanguages' | 'primaryLanguage'>,
): string {
  const chosen =
    textLanguages === null || !request.format.isPerLanguage
      ? ''
      : ` ${listChosenTags(textLanguages, languages.preferredLanguages, primaryLanguage)}`
  return `${getVariant(request, languages)}${chosen}${request.isAccessEnded ? ' ended' : ''}`
}

function getVariant({ format }: PassportRequest, { language }: NegotiatedLanguage): string {
  if (format === HTML) return language
  return format.isPerLanguage ? `${format.id}.${language}` : format.id
}

/** Renders the response, and caches it unless it shows an earlier version, which few people read. */
export async function createPublicResponse(
  setup: SiteSetup,
  cache: PageCache,
  requestHeaders: IncomingHttpHeaders,
  request: PassportRequest,
  source: PassportSource,
): Promise<PreparedResponse> {
  const { brand } = source
  const { isAccessEnded } = request
  const { view, languages, headers, body } = await render(setup, requestHeaders, request, source)
  const response = prepareResponse({
    body,
    etagPrefix: isAccessEnded ? undefined : buildEtagPrefix(view, brand, getVariant(request, languages)),
    headers: { ...headers, ...(isAccessEnded ? PRIVATE_HEADERS : buildPublicHeaders(view)) },
  })
  if (view.replacedBy === null) {
    const { id, primaryLanguage, textLanguages } = view
    const passport = { state: getCacheState(source), primaryLanguage, textLanguages }
    cache.put(id, passport, getResponseKey(request, languages, view), response)
  }
  return response
}

const buildPublicHeaders = (view: PassportView): Headers => ({
  ...ALLOW_ANY_ORIGIN,
  'cache-control': PUBLIC_CACHING,
  vary: PASSPORT_VARY,
  ...(canBeIndexed(view) ? {} : { 'x-robots-tag': 'noindex' }),
})

/** For a reader with an access link or a preview. Not cached. */
export async function createPrivateResponse(
  setup: SiteSetup,
  requestHeaders: IncomingHttpHeaders,
  request: PassportRequest,
  source: PassportSource,
  reader: Access | Preview,
): Promise<{ headers: Headers; body: string }> {
  const { headers, body } = await render(
    setup,
    requestHeaders,
    { ...request, isAccessEnded: false },
    source,
    reader,
  )
  return { body, headers: { ...headers, ...PRIVATE_HEADERS } }
}

async function render(
  setup: SiteSetup,
  requestHeaders: IncomingHttpHeaders,
  { format, query, isAccessEnded }: PassportRequest,
  { row, brand, newestVersionNo }: PassportSource,
  reader?: Access | Preview,
) {
  const { sql, addresses } = setup
  const [history, pending] = await Promise.all([
    readPublicHistory(sql, row),
    row.outdated ? readPendingCorrection(sql, row) : undefined,
  ])
  const view = buildPassportView(
    addresses,
    row,
    history,
    reader?.audience ?? 'public',
    newestVersionNo,
    pending,
  )
  // Pages of one batched look-up become ready at once; yielding lets other requests run.
  if (reader === undefined) await waitForEventLoopTurn()
  const languages = negotiateLanguages(requestHeaders, query, view)
  const input = { ...languages, setup, view, row, brand, reader, isAccessEnded }
  return { view, languages, ...format.render(input) }
}

/** Includes the brand version: headers depend on it, and a 304 does not replace all of them. */
function buildEtagPrefix(
  { id, versionNo, status, outdated }: PassportView,
  brand: Brand,
  variant: string,
): string {
  const state = `${status === 'active' ? '' : '.archived'}${outdated ? '.outdated' : ''}`
  return `${id}.v${versionNo}${state}${brand.version === 0 ? '' : `.b${brand.version}`}.${variant}`
}
