/**
 * `/p/{id}`: from a request to the page or the JSON-LD of a passport. Everyone without an access link gets a ready
 * answer out of the cache; whoever brings one gets an answer made for this request, kept nowhere.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLanguage, type Language } from '../i18n/catalogue.ts'
import { negotiateLanguage } from '../i18n/negotiate.ts'
import { AppError } from '../kernel/errors.ts'
import { type Access, findAccess } from '../passports/access-links.ts'
import { noteAccessUse } from '../passports/access-use.ts'
import { readPublicHistory } from '../passports/public-history.ts'
import { findBelieved, readPublicPassport } from '../passports/public-read.ts'
import { type PassportRow, symbolAddress } from '../passports/record.ts'
import { qrSymbol } from '../qr/svg.ts'
import { type Form, preferredEncoding, preferredForm, remembering } from './accept.ts'
import { type AccessCookies, accessCookies, COOKIE_LIFETIME_MS, COOKIE_NAME } from './access-cookie.ts'
import type { SiteSetup } from './door.ts'
import { jsonLd } from './json-ld.ts'
import { notFoundPage } from './not-found-page.ts'
import { createPageCache, type PageCache } from './page-cache.ts'
import { isIndexed, renderPassportPage } from './passport-page.ts'
import { type Reading, readingOf } from './reading.ts'
import { addEncoding, type Headers, type ReadyAnswer, readyAnswer, sendReady } from './ready-answer.ts'
import { pageHeaders, safetyHeaders } from './shell.ts'

const CACHE_BYTES = 64 * 1024 * 1024
/** Cookie and Authorization too: a browser that has just followed an access link must not be shown its copy of the public page. */
export const VARY = 'Accept, Accept-Language, Accept-Encoding, Cookie, Authorization'
const PUBLIC_CACHING = 'public, max-age=60, stale-while-revalidate=600'

type Query = Readonly<Record<string, string | string[] | undefined>>

/** What a request asks for, before the passport is known. */
type Wish = {
  id: string
  form: Form
  /** The reader's own choice of language, which only a passport's primary language stands behind. */
  language: Language | undefined
  query: Query
  now: Date
}

export type PassportDoor = (request: FastifyRequest, reply: FastifyReply) => undefined | Promise<undefined>

type Door = { setup: SiteSetup; cache: PageCache; cookies: AccessCookies; cookiePath: string }

const formOf = remembering(preferredForm)
const encodingOf = remembering(preferredEncoding)
/** `undefined` stands for "nothing the reader said helps"; the memo cannot hold it, so it is kept as an empty text. */
const languageOf = remembering((header): Language | '' => {
  const probes = ['en', 'de'].map(primary => negotiateLanguage({ acceptLanguage: header, primary }))
  const [first, second] = probes
  return first !== undefined && first === second ? first : ''
})

/** The handler of `GET /p/:id`. */
export function passportDoor(setup: SiteSetup): PassportDoor {
  const base = new URL(setup.addresses.publicUrl).pathname.replace(/\/$/, '')
  const door: Door = {
    setup,
    cache: createPageCache(CACHE_BYTES),
    cookies: accessCookies(setup.secretKey),
    cookiePath: `${base}/p/`,
  }
  return (request, reply) => {
    const wish = readWish(door, request)
    if (!mayHaveAccess(request, wish)) {
      const ready = findReady(door, wish)
      if (ready !== undefined && sendReady(request, reply, ready, encodingOf(encodings(request)))) return undefined
    }
    return answer(door, request, reply, wish)
  }
}
