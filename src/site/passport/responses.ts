/** Makes the public answers of a passport, and finds in the cache those that are made. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Brand } from '../../accounts/brand/brand.ts'
import { listChosenTags } from '../../categories/pick-text.ts'
import { takeTurn } from '../../kernel/yield-to-event-loop.ts'
import type { Access } from '../../passports/access/access-links.ts'
import { getQrAddress } from '../../passports/core/record.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { readPublicHistory } from '../../passports/read/public-history.ts'
import type { PublicHead } from '../../passports/read/public-passport.ts'
import { readPendingCorrection } from '../../passports/units/pending-correction.ts'
import { renderQrSvg } from '../../qr/svg.ts'
import type { Form } from '../http/content-negotiation.ts'
import { ALLOW_ANY_ORIGIN } from '../http/cors.ts'
import { type Headers, type PreparedResponse, prepareResponse } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import { renderJsonLd } from '../json-ld/document.ts'
import { isIndexed } from '../page/page-context.ts'
import { renderPassportPage } from '../page/passport-page.ts'
import { buildPassportView, type PassportView } from '../page/passport-view.ts'
import { htmlHeaders, securityHeaders } from '../page/shell.ts'
import { buildTheme } from '../page/theme.ts'
import { PASSPORT_VARY, PRIVATE_HEADERS, type Preview } from './access.ts'
import type { CachedPassport, PageCache } from './page-cache.ts'
import { type NegotiatedLanguage, negotiateLanguages, type PassportRequest } from './passport-request.ts'

const PUBLIC_CACHING = 'public, max-age=60, stale-while-revalidate=600'

/** `isEnded`: the reader came with an access link that opens nothing, and the page says so. */
export type PageRequest = PassportRequest & { isEnded: boolean }

/** What decides whether a ready answer may be sent: a passport's state, and how its account's pages look. */
export type CacheKeySource = { row: PublicHead; brand: Brand }
/** What an answer is made from: a passport, or how it was, and the number of its newest version. */
export type PassportSource = { row: PublicPassportRow; brand: Brand; newest: number }

/** The GTINs too: a model that gets another one makes no new version of its units, which name it. */
const getCacheState = ({ row, brand }: CacheKeySource) =>
  `${row.version_no}${row.status}${row.outdated ? `o${row.corrections}` : ''}${row.indexable ? '' : 'n'}b${brand.version}` +
  (row.parent_id === null ? '' : ` ${row.model_gtin} ${row.batch_gtin}`)

export const findCachedResponse = (
  cache: PageCache,
  headers: IncomingHttpHeaders,
  page: PageRequest,
  head: CacheKeySource,
): PreparedResponse | undefined => findResponse(headers, page, cache.find(page.id, getCacheState(head)))

/** Whether the form was made of the passport, perhaps of an earlier state: asks no database. */
export const hasCachedResponse = (
  cache: PageCache,
  headers: IncomingHttpHeaders,
  page: PageRequest,
): boolean => findResponse(headers, page, cache.findAny(page.id)) !== undefined

const findResponse = (headers: IncomingHttpHeaders, page: PageRequest, cached: CachedPassport | undefined) =>
  cached?.forms.get(getResponseKey(page, negotiateLanguages(headers, page.query, cached), cached))

/** By the texts that are chosen, not by what was asked for: readers who get the same page share it. */
function getResponseKey(
  { form, isEnded }: PageRequest,
  { language, wanted }: NegotiatedLanguage,
  { texts, primary }: Pick<CachedPassport, 'texts' | 'primary'>,
): string {
  const key = form === 'jsonld' ? 'jsonld' : language
  const chosen = form === 'jsonld' || texts === null ? '' : ` ${listChosenTags(texts, wanted, primary)}`
  return isEnded ? `${key}${chosen} ended` : key + chosen
}

/** Makes the public answer of one form and keeps it, unless it is of an earlier version, which hardly anybody reads. */
export async function createPublicResponse(
  setup: SiteSetup,
  cache: PageCache,
  headers: IncomingHttpHeaders,
  page: PageRequest,
  shown: PassportSource,
): Promise<PreparedResponse> {
  const { row, brand } = shown
  const { isEnded } = page
  const reading = await readPassportView(setup, shown, 'public')
  // Look-ups that share a statement end together: others are answered between the pages made of them.
  await takeTurn()
  const tongue = negotiateLanguages(headers, page.query, reading)
  const body = bodyOf(setup, reading, shown, page.form, tongue, isEnded ? 'ended' : undefined)
  const ready = prepareResponse({
    body,
    tag: isEnded
      ? undefined
      : buildEtagPrefix(reading, brand, page.form === 'jsonld' ? 'jsonld' : tongue.language),
    headers: {
      ...formHeaders(setup, reading, shown, page.form, tongue, body),
      ...(isEnded ? PRIVATE_HEADERS : publicHeaders(reading)),
    },
  })
  if (reading.replacedBy === null) {
    const { id, primary, texts } = reading
    cache.keep(
      id,
      { state: getCacheState({ row, brand }), primary, texts },
      getResponseKey(page, tongue, reading),
      ready,
    )
  }
  return ready
}

const publicHeaders = (reading: PassportView): Headers => ({
  ...ALLOW_ANY_ORIGIN,
  'cache-control': PUBLIC_CACHING,
  vary: PASSPORT_VARY,
  ...(isIndexed(reading) ? {} : { 'x-robots-tag': 'noindex' }),
})

/** A page for the reader of an access link or a preview of it, which is kept nowhere. */
export async function createPrivateResponse(
  setup: SiteSetup,
  headers: IncomingHttpHeaders,
  { form, query }: PassportRequest,
  shown: PassportSource,
  access: Access | Preview,
): Promise<{ headers: Headers; body: string }> {
  const reading = await readPassportView(setup, shown, access.audience)
  const tongue = negotiateLanguages(headers, query, reading)
  const body = bodyOf(setup, reading, shown, form, tongue, access)
  return { body, headers: { ...formHeaders(setup, reading, shown, form, tongue, body), ...PRIVATE_HEADERS } }
}

async function readPassportView(
  { sql, addresses }: SiteSetup,
  { row, newest }: PassportSource,
  audience: 'public' | Access['audience'],
): Promise<PassportView> {
  const [history, pending] = await Promise.all([
    readPublicHistory(sql, row),
    row.outdated ? readPendingCorrection(sql, row) : undefined,
  ])
  return buildPassportView(addresses, row, history, audience, newest, pending)
}

/** The brand too: headers depend on it, and a 304 would leave those of before. The body's digest tells the texts apart. */
function buildEtagPrefix(
  { id, versionNo, status, outdated }: PassportView,
  brand: Brand,
  form: string,
): string {
  const state = `${status === 'active' ? '' : '.archived'}${outdated ? '.outdated' : ''}`
  return `${id}.v${versionNo}${state}${brand.version === 0 ? '' : `.b${brand.version}`}.${form}`
}

function jsonLdLink({ url, versionNo, replacedBy }: PassportView): string {
  const version = replacedBy === null ? '' : `version=${versionNo}&`
  return `<${url}?${version}format=jsonld>; rel="alternate"; type="application/ld+json"`
}

function bodyOf(
  setup: SiteSetup,
  reading: PassportView,
  { row, brand }: PassportSource,
  form: Form,
  { language, wanted }: NegotiatedLanguage,
  access: Access | Preview | 'ended' | undefined,
): string {
  if (form === 'jsonld') return renderJsonLd(reading, setup.nsUrl)
  const symbol = renderQrSvg(getQrAddress(setup.addresses, row, 'passport'), { level: 'M', isInline: true })
  const isEnded = access === 'ended'
  return renderPassportPage(reading, language, {
    qr: symbol.svg,
    wanted,
    reader: isEnded ? undefined : access,
    isEnded,
    brand,
  })
}

const formHeaders = (
  { addresses: { publicUrl } }: SiteSetup,
  reading: PassportView,
  { brand }: PassportSource,
  form: Form,
  { language }: NegotiatedLanguage,
  body: string,
): Headers =>
  form === 'jsonld'
    ? { 'content-type': 'application/ld+json', ...securityHeaders(publicUrl) }
    : {
        ...htmlHeaders(publicUrl, buildTheme(brand, body)),
        'content-language': language,
        link: jsonLdLink(reading),
      }
