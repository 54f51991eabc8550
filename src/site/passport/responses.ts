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
import type { Form } from '../http/accept.ts'
import { READABLE } from '../http/cors.ts'
import { type Headers, type ReadyAnswer, readyAnswer } from '../http/ready-answer.ts'
import type { SiteSetup } from '../http/setup.ts'
import { jsonLd } from '../json-ld/document.ts'
import { isIndexed } from '../page/page.ts'
import { renderPassportPage } from '../page/passport-page.ts'
import { type Reading, readingOf } from '../page/passport-view.ts'
import { pageHeaders, safetyHeaders } from '../page/shell.ts'
import { dressOf } from '../page/theme.ts'
import { FOR_ONE_READER, type Preview, VARY } from './access.ts'
import type { CachedPassport, PageCache } from './page-cache.ts'
import { type Tongue, tongueOf, type Wish } from './wish.ts'

const PUBLIC_CACHING = 'public, max-age=60, stale-while-revalidate=600'

/** `isEnded`: the reader came with an access link that opens nothing, and the page says so. */
export type PageRequest = Wish & { isEnded: boolean }

/** What decides whether a ready answer may be sent: a passport's state, and how its account's pages look. */
export type Head = { row: PublicHead; brand: Brand }
/** What an answer is made from: a passport, or how it was, and the number of its newest version. */
export type Shown = { row: PublicPassportRow; brand: Brand; newest: number }

/** The GTINs too: a model that gets another one makes no new version of its units, which name it. */
const stateOf = ({ row, brand }: Head) =>
  `${row.version_no}${row.status}${row.outdated ? `o${row.corrections}` : ''}${row.indexable ? '' : 'n'}b${brand.version}` +
  (row.parent_id === null ? '' : ` ${row.model_gtin} ${row.batch_gtin}`)

export const findMade = (
  cache: PageCache,
  headers: IncomingHttpHeaders,
  page: PageRequest,
  head: Head,
): ReadyAnswer | undefined => findForm(headers, page, cache.find(page.id, stateOf(head)))

/** Whether the form was made of the passport, perhaps of an earlier state: asks no database. */
export const wasMade = (cache: PageCache, headers: IncomingHttpHeaders, page: PageRequest): boolean =>
  findForm(headers, page, cache.findAny(page.id)) !== undefined

const findForm = (headers: IncomingHttpHeaders, page: PageRequest, cached: CachedPassport | undefined) =>
  cached?.forms.get(formKey(page, tongueOf(headers, page.query, cached), cached))

/** By the texts that are chosen, not by what was asked for: readers who get the same page share it. */
function formKey(
  { form, isEnded }: PageRequest,
  { language, wanted }: Tongue,
  { texts, primary }: Pick<CachedPassport, 'texts' | 'primary'>,
): string {
  const key = form === 'jsonld' ? 'jsonld' : language
  const chosen = form === 'jsonld' || texts === null ? '' : ` ${listChosenTags(texts, wanted, primary)}`
  return isEnded ? `${key}${chosen} ended` : key + chosen
}

/** Makes the public answer of one form and keeps it, unless it is of an earlier version, which hardly anybody reads. */
export async function makeReady(
  setup: SiteSetup,
  cache: PageCache,
  headers: IncomingHttpHeaders,
  page: PageRequest,
  shown: Shown,
): Promise<ReadyAnswer> {
  const { row, brand } = shown
  const { isEnded } = page
  const reading = await readFor(setup, shown, 'public')
  // Look-ups that share a statement end together: others are answered between the pages made of them.
  await takeTurn()
  const tongue = tongueOf(headers, page.query, reading)
  const body = bodyOf(setup, reading, shown, page.form, tongue, isEnded ? 'ended' : undefined)
  const ready = readyAnswer({
    body,
    tag: isEnded ? undefined : tagOf(reading, brand, page.form === 'jsonld' ? 'jsonld' : tongue.language),
    headers: {
      ...formHeaders(setup, reading, shown, page.form, tongue, body),
      ...(isEnded ? FOR_ONE_READER : publicHeaders(reading)),
    },
  })
  if (reading.replacedBy === null) {
    const { id, primary, texts } = reading
    cache.keep(id, { state: stateOf({ row, brand }), primary, texts }, formKey(page, tongue, reading), ready)
  }
  return ready
}

const publicHeaders = (reading: Reading): Headers => ({
  ...READABLE,
  'cache-control': PUBLIC_CACHING,
  vary: VARY,
  ...(isIndexed(reading) ? {} : { 'x-robots-tag': 'noindex' }),
})

/** A page for the reader of an access link or a preview of it, which is kept nowhere. */
export async function makeForReader(
  setup: SiteSetup,
  headers: IncomingHttpHeaders,
  { form, query }: Wish,
  shown: Shown,
  access: Access | Preview,
): Promise<{ headers: Headers; body: string }> {
  const reading = await readFor(setup, shown, access.audience)
  const tongue = tongueOf(headers, query, reading)
  const body = bodyOf(setup, reading, shown, form, tongue, access)
  return { body, headers: { ...formHeaders(setup, reading, shown, form, tongue, body), ...FOR_ONE_READER } }
}

async function readFor(
  { sql, addresses }: SiteSetup,
  { row, newest }: Shown,
  audience: 'public' | Access['audience'],
): Promise<Reading> {
  const [history, pending] = await Promise.all([
    readPublicHistory(sql, row),
    row.outdated ? readPendingCorrection(sql, row) : undefined,
  ])
  return readingOf(addresses, row, history, audience, newest, pending)
}

/** The brand too: headers depend on it, and a 304 would leave those of before. The body's digest tells the texts apart. */
function tagOf({ id, versionNo, status, outdated }: Reading, brand: Brand, form: string): string {
  const state = `${status === 'active' ? '' : '.archived'}${outdated ? '.outdated' : ''}`
  return `${id}.v${versionNo}${state}${brand.version === 0 ? '' : `.b${brand.version}`}.${form}`
}

function jsonLdLink({ url, versionNo, replacedBy }: Reading): string {
  const version = replacedBy === null ? '' : `version=${versionNo}&`
  return `<${url}?${version}format=jsonld>; rel="alternate"; type="application/ld+json"`
}

function bodyOf(
  setup: SiteSetup,
  reading: Reading,
  { row, brand }: Shown,
  form: Form,
  { language, wanted }: Tongue,
  access: Access | Preview | 'ended' | undefined,
): string {
  if (form === 'jsonld') return jsonLd(reading, setup.nsUrl)
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
  reading: Reading,
  { brand }: Shown,
  form: Form,
  { language }: Tongue,
  body: string,
): Headers =>
  form === 'jsonld'
    ? { 'content-type': 'application/ld+json', ...safetyHeaders(publicUrl) }
    : {
        ...pageHeaders(publicUrl, dressOf(brand, body)),
        'content-language': language,
        link: jsonLdLink(reading),
      }
