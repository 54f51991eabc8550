/** Creates the responses of a passport, and finds the public ones in the cache. */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Brand } from '../../accounts/brand/brand.ts'
import { listChosenTags } from '../../categories/pick-text.ts'
import { waitForEventLoopTurn } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { perObject } from '../../kernel/values/memo.ts'
import type { Access } from '../../passports/access/access-links.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import type { PublicMetadata } from '../../passports/read/public-passport.ts'
import { ALLOW_ANY_ORIGIN } from '../http/cors.ts'
import { type Headers, type PreparedResponse, prepareResponse } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import { findOfferCountries } from '../page/offers.ts'
import { canBeIndexed } from '../page/page-context.ts'
import type { PassportView } from '../page/passport-view.ts'
import { PASSPORT_VARY, PRIVATE_HEADERS, type Preview } from './access.ts'
import { HTML } from './formats.ts'
import { type NegotiatedLanguage, negotiateLanguages } from './languages.ts'
import type { CachedPassport, PageCache } from './page-cache.ts'
import type { PassportRequest } from './passport-request.ts'
import { readPage } from './read-page.ts'
import { findReaderCountry } from './reader-country.ts'

export const PUBLIC_CACHING = 'public, max-age=60, stale-while-revalidate=600'

/** The source of a response. `row` is one version of the passport. */
type ResponseInput = { row: PublicPassportRow; brand: Brand; newestVersionNo: number }
/** The part of it that is cached for a second, and decides whether a cached response is still current. */
type CurrentState = { row: PublicMetadata; brand: Brand }

/** The version of the brand, and a hash of the address of copies if there is one. */
const formatBrandState = perObject(({ version, backupBaseUrl }: Brand) =>
  backupBaseUrl === null
    ? String(version)
    : `${version}u${hash('sha256', backupBaseUrl, 'base64url').slice(0, 8)}`,
)

/** The account's issuer, and a hash of the name under which it signs. */
const formatSigner = perObject(({ signer }: Brand) => {
  if (signer === null) return ''
  const { name, legalName } = signer
  return `s${name}${legalName === null ? '' : `-${hash('sha256', legalName, 'base64url').slice(0, 8)}`}`
})

/** Includes the GTINs: units show their model's GTIN, which can change without a new version of the unit. */
const formatState = ({ row, brand }: CurrentState) =>
  // o: outdated, and by which corrections. n: not in search engines. l: audiences of the law. b: brand.
  // s: signed. r: recalls. e: events. f: offers. w: withdrawn files.
  `${row.version_no}${row.status}${row.outdated ? `o${row.corrections}` : ''}${row.indexable ? '' : 'n'}${row.audience_profile === 'law' ? 'l' : ''}b${formatBrandState(brand)}${formatSigner(brand)}${row.recall_state === null ? '' : `r${row.recall_state}`}${row.life_state === null ? '' : `e${row.life_state}`}${brand.offersVersion === 0 ? '' : `f${brand.offersVersion}`}${row.withdrawn_files === 0 ? '' : `w${row.withdrawn_files}`}` +
  (row.parent_id === null ? '' : ` ${row.model_gtin} ${row.batch_gtin}`)

export const findCachedResponse = (
  cache: PageCache,
  headers: IncomingHttpHeaders,
  request: PassportRequest,
  current: CurrentState,
): PreparedResponse | undefined =>
  findResponse(headers, request, cache.find(request.id, formatState(current)))

/** Returns true if a response is cached, perhaps for an earlier state of the passport. */
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
  cached?.responses.get(
    getResponseKey(
      request,
      negotiateLanguages(headers, request.query, cached),
      cached,
      findReaderCountry(headers, request.query, cached.countries),
    ),
  )

/**
 * Depends on the chosen texts, not on the requested languages, so that readers of the same page share one
 * response.
 */
function getResponseKey(
  request: PassportRequest,
  languages: NegotiatedLanguage,
  { textLanguages, primaryLanguage }: Pick<CachedPassport, 'textLanguages' | 'primaryLanguage'>,
  country: string | undefined,
): string {
  const chosen =
    textLanguages === null || !request.format.isPerLanguage
      ? ''
      : ` ${listChosenTags(textLanguages, languages.preferredLanguages, primaryLanguage)}`
  const place = country === undefined || request.format !== HTML ? '' : ` @${country}`
  return `${getVariant(request, languages)}${chosen}${place}${request.isLinkInvalid ? ' invalid-link' : ''}`
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
  input: ResponseInput,
): Promise<PreparedResponse> {
  const { brand } = input
  const { isLinkInvalid } = request
  const { view, languages, country, countries, headers, body } = await render(
    setup,
    requestHeaders,
    request,
    input,
  )
  const response = prepareResponse({
    body,
    etagPrefix: isLinkInvalid ? undefined : buildEtagPrefix(view, brand, getVariant(request, languages)),
    headers: { ...headers, ...(isLinkInvalid ? PRIVATE_HEADERS : buildPublicHeaders(view)) },
  })
  if (view.isNewestVersion) {
    const { id, primaryLanguage, textLanguages } = view
    const passport = { state: formatState(input), primaryLanguage, textLanguages, countries }
    cache.put(id, passport, getResponseKey(request, languages, view, country), response)
  }
  return response
}

const buildPublicHeaders = (view: PassportView): Headers => ({
  ...ALLOW_ANY_ORIGIN,
  'cache-control': PUBLIC_CACHING,
  vary: PASSPORT_VARY,
  ...(canBeIndexed(view) ? {} : { 'x-robots-tag': 'noindex' }),
})

/** For a reader with an access link, or a member's preview. Not cached. */
export async function createPrivateResponse(
  setup: SiteSetup,
  requestHeaders: IncomingHttpHeaders,
  request: PassportRequest,
  input: ResponseInput,
  access: Access | Preview,
): Promise<{ headers: Headers; body: string }> {
  const { headers, body } = await render(
    setup,
    requestHeaders,
    { ...request, isLinkInvalid: false },
    input,
    access,
  )
  return { body, headers: { ...headers, ...PRIVATE_HEADERS } }
}

async function render(
  setup: SiteSetup,
  requestHeaders: IncomingHttpHeaders,
  { format, query, isLinkInvalid }: PassportRequest,
  { row, brand, newestVersionNo }: ResponseInput,
  access?: Access | Preview,
) {
  const audience = access?.audience ?? 'public'
  const { view, story } = await readPage(setup, { row, brand, newestVersionNo, audience, format })
  // Requests that shared a look-up continue together; this lets other requests run between two renderings,
  // and between the view and the page of a passport that is rendered for one reader.
  await waitForEventLoopTurn()
  const languages = negotiateLanguages(requestHeaders, query, view)
  const countries = findOfferCountries(view.offers)
  const country = findReaderCountry(requestHeaders, query, countries)
  return {
    view,
    languages,
    country,
    countries,
    ...format.render({ ...languages, country, story, setup, view, row, brand, access, isLinkInvalid }),
  }
}

/** Includes the brand version: headers depend on it, and a 304 does not replace all of them. */
function buildEtagPrefix(
  { id, versionNo, status, outdated }: PassportView,
  brand: Brand,
  variant: string,
): string {
  const brandState = formatBrandState(brand)
  const state = `${status === 'active' ? '' : '.archived'}${outdated ? '.outdated' : ''}`
  return `${id}.v${versionNo}${state}${brandState === '0' ? '' : `.b${brandState}`}.${variant}`
}
