/**
 * `/p/{id}`: from a request to the page or the JSON-LD of a passport. Everyone without an access link gets a ready
 * answer out of the cache; whoever brings one gets an answer made for this request and kept nowhere.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../i18n/catalogue.ts'
import type { Access } from '../passports/access-links.ts'
import { noteAccessUse } from '../passports/access-use.ts'
import type { PublicPassportRow } from '../passports/find.ts'
import { readPublicHistory } from '../passports/public-history.ts'
import { findBelieved, readPublicPassport } from '../passports/public-read.ts'
import { type PassportRow, symbolAddress } from '../passports/record.ts'
import { qrSymbol } from '../qr/svg.ts'
import type { Form } from './accept.ts'
import {
  type AccessDoor,
  accessDoor,
  accessOf,
  enter,
  FOR_ONE_READER,
  mayHaveAccess,
  VARY,
} from './access-door.ts'
import { jsonLd } from './json-ld.ts'
import { answerNotFound } from './not-found-page.ts'
import { type CachedPassport, createPageCache, type PageCache } from './page-cache.ts'
import { isIndexed, renderPassportPage } from './passport-page.ts'
import { type Reading, readingOf } from './reading.ts'
import {
  encodingFor,
  type Headers,
  type ReadyAnswer,
  readyAnswer,
  sendEncoded,
  sendReady,
} from './ready-answer.ts'
import { type NoteScan, scanNoter } from './scan.ts'
import type { SiteSetup } from './setup.ts'
import { pageHeaders, safetyHeaders } from './shell.ts'
import { languageOf, readWish, type Wish } from './wish.ts'

const CACHE_BYTES = 64 * 1024 * 1024
const PUBLIC_CACHING = 'public, max-age=60, stale-while-revalidate=600'

export type PassportHandler = (request: FastifyRequest, reply: FastifyReply) => unknown

type Door = AccessDoor & { cache: PageCache; noteScan: NoteScan }

/** The handler of `GET /p/:id`. */
export function passportHandler(setup: SiteSetup): PassportHandler {
  const door: Door = {
    ...accessDoor(setup),
    cache: createPageCache(CACHE_BYTES),
    noteScan: scanNoter(setup),
  }
  return (request, reply) => {
    const wish = readWish(setup, request)
    if (mayHaveAccess(request, wish)) return answer(door, request, reply, wish)
    const row = findBelieved(setup.sql, wish.id, wish.now)
    const ready = row === undefined ? undefined : findReady(door, request, wish, row)
    const isSent = ready !== undefined && sendReady(request, reply, ready, encodingFor(request))
    if (!isSent || row === undefined) return answer(door, request, reply, wish)
    door.noteScan(request, wish, row)
    return undefined
  }
}

const stateOf = (row: PassportRow) => `${row.version_no}${row.status}${row.outdated ? 'o' : ''}`

function findReady(
  door: Door,
  request: FastifyRequest,
  wish: Wish,
  row: PassportRow,
): ReadyAnswer | undefined {
  const cached = door.cache.find(wish.id, stateOf(row))
  return cached?.forms.get(formKey(request, wish, cached))
}

const formKey = (
  request: FastifyRequest,
  { form, query }: Wish,
  { primary }: Pick<CachedPassport, 'primary'>,
) => (form === 'jsonld' ? 'jsonld' : languageOf(request, query, primary))

async function answer(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  wish: Wish,
): Promise<unknown> {
  const row = await readPublicPassport(door.setup.sql, wish.id, wish.now)
  if (row === undefined) return answerNotFound(door.setup, request, reply, wish)
  if (wish.query.access !== undefined) return enter(door, request, reply, wish, row)
  const access = await accessOf(door, request, wish, row)
  if (access !== undefined) return answerReader(door, request, reply, wish, row, access)
  const ready = findReady(door, request, wish, row) ?? (await makeReady(door, request, wish, row))
  await sendEncoded(request, reply, ready)
  door.noteScan(request, wish, row)
  return undefined
}

/** Makes the public answer of one form and keeps it. */
async function makeReady(
  { setup, cache }: Door,
  request: FastifyRequest,
  wish: Wish,
  row: PublicPassportRow,
): Promise<ReadyAnswer> {
  const { addresses } = setup
  const history = await readPublicHistory(setup.sql, row)
  const reading = readingOf(addresses, row, history, 'public')
  const key = formKey(request, wish, reading)
  const language = languageOf(request, wish.query, reading.primary)
  const archived = row.status === 'a' ? '' : '.archived'
  const ready = readyAnswer({
    body: bodyOf(setup, reading, row, wish.form, language),
    tag: `${reading.id}.v${row.version_no}${archived}${row.outdated ? '.outdated' : ''}.${key}`,
    headers: {
      ...formHeaders(addresses.publicUrl, wish.form, language),
      'cache-control': PUBLIC_CACHING,
      vary: VARY,
      ...(isIndexed(reading) ? {} : { 'x-robots-tag': 'noindex' }),
      ...(wish.form === 'jsonld'
        ? { 'access-control-allow-origin': '*' }
        : { link: `<${reading.url}?format=jsonld>; rel="alternate"; type="application/ld+json"` }),
    },
  })
  cache.keep(reading.id, { state: stateOf(row), primary: reading.primary }, key, ready)
  return ready
}

function bodyOf(
  setup: SiteSetup,
  reading: Reading,
  row: PassportRow,
  form: Form,
  language: Language,
  reader?: Access,
): string {
  if (form === 'jsonld') return jsonLd(reading, setup.nsUrl)
  const symbol = qrSymbol(symbolAddress(setup.addresses, row, 'passport'), { level: 'M' })
  return renderPassportPage(reading, language, { qr: symbol.svg, reader })
}

const formHeaders = (publicUrl: string, form: Form, language: Language): Headers =>
  form === 'jsonld'
    ? { 'content-type': 'application/ld+json', ...safetyHeaders(publicUrl) }
    : { ...pageHeaders(publicUrl), 'content-language': language }

async function answerReader(
  { setup, noteScan }: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  wish: Wish,
  row: PublicPassportRow,
  access: Access,
): Promise<FastifyReply> {
  const { form, query, now } = wish
  const history = await readPublicHistory(setup.sql, row)
  const reading = readingOf(setup.addresses, row, history, access.audience)
  const language = languageOf(request, query, reading.primary)
  if (request.method === 'GET') {
    noteAccessUse(setup.sql, access, now, reason =>
      request.log.warn(
        { request_id: request.id, reason: String(reason) },
        'a use of an access link was not counted',
      ),
    )
  }
  reply
    .headers({ ...formHeaders(setup.addresses.publicUrl, form, language), ...FOR_ONE_READER })
    .send(Buffer.from(bodyOf(setup, reading, row, form, language, access)))
  noteScan(request, wish, row)
  return reply
}
