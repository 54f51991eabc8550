/** The addresses of the console, and the types of its pages: a handler gets a visit, returns an outcome. */

import type { Readable } from 'node:stream'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Session } from '../../accounts/people/sessions.ts'
import type { Language } from '../../i18n/catalogue.ts'
import type { SecretCipher } from '../../kernel/crypto/secret-cipher.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Outbound } from '../../kernel/http-out/outbound-http.ts'
import type { Mailer } from '../../kernel/http-out/smtp.ts'
import type { SecurityEvent, SecurityLog } from '../../kernel/monitoring/security-events.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import type { MediaServices } from '../../media/upkeep/media-services.ts'
import type { Addresses } from '../../passports/core/record.ts'
import type { PostedForm } from './form.ts'
import type { Texts } from './texts.ts'
import type { Upload } from './upload.ts'

export type Words = {
  language: Language
  texts: Texts
  number: (value: number) => string
  decimalMark: 'point' | 'comma'
  /** Day, in UTC. */
  date: (time: string) => string
  /** Day and minute, in UTC. */
  minute: (time: string) => string
  /** Day and month, in UTC. */
  dayOfYear: (time: string) => string
  /** For a share of 1: whole percent, below one percent with a decimal. */
  percent: (share: number) => string
  /** The name of an ISO 3166-1 code; undefined if the code names no country. */
  country: (code: string) => string | undefined
}

export type ConsoleSetup = {
  sql: Sql
  clock: Clock
  addresses: Addresses
  /** The namespace of Carnet's own terms. */
  nsUrl: string
  mail: Mailer
  /** Who learns by e-mail that an account asks for something. */
  operatorEmail?: string | undefined
  /** Encrypts the secrets of webhooks, and those that a page shows once. */
  secretCipher: SecretCipher
  /** The operator's key, from which a key for each purpose is derived. */
  secretKey: string
  security: SecurityLog
  /** A pool of one connection for long use. The caller ends it. */
  openPoolOfOne: () => Sql
  version: string
  /** Sends test events; its policy decides which addresses may be registered. */
  outbound: Outbound
  /** Stores pictures and documents. */
  media: MediaServices
}

/** A request body with its media type and, if the header says it, its length in bytes. */
export type UnreadBody = { stream: Readable; type: string; length: number | undefined }

export type AnyVisit = {
  setup: ConsoleSetup
  words: Words
  /** The parts `:id` and `:n` of the route's path; '' if the route has none. */
  id: string
  n: string
  query: URLSearchParams
  form: PostedForm
  /** Files by field name, if the route accepts any. */
  uploads: ReadonlyMap<string, Upload>
  /** The unread body, for a route that accepts large files. */
  upload: UnreadBody | undefined
  /** The client's address. */
  network: string
  /** The session's token, and the session if it is still valid. */
  token: string | undefined
  session: Session | undefined
  cookies: string | undefined
  referer: string | undefined
  /** The requested address with its query. */
  url: string
  /** True if a browser will show the response: the request asks for HTML explicitly. */
  wantsHtml: boolean
  /** Logs a refusal as a security event. */
  note: (event: SecurityEvent) => void
}

export type Visit = AnyVisit & { token: string; session: Session; ctx: AccountContext }

export type ConsolePage = {
  status?: number
  title: string
  body: string
  headers?: Readonly<Record<string, string>>
  /** Names of optional modules in `assets/console`; the page works without them. */
  scripts?: readonly string[]
  /** Style sheets in `assets/console`, besides the one of all pages. */
  styles?: readonly ('pictures' | 'scans')[]
  /** Uses the whole width of the window, for tables. */
  isWide?: boolean
}
/** A file to download; a stream is sent while it is produced. */
export type Download = { name: string; type: string; content: string | Buffer | Readable }
/**
 * A redirect by GET. `session` sets the session cookie, null deletes it; `cookie` is the line of another.
 * `knows` is the e-mail of a person who has signed in, for whom the browser is known from now on. `isSaved`:
 * the form did what it is for.
 */
export type Redirect = {
  to: string
  session?: string | null
  cookie?: string
  knows?: string
  isSaved?: true
}
/** A picture that a page of the console shows. Its address names its content. */
export type ShownPicture = { type: string; content: Buffer }
/** The JSON answer to one of our own modules in the browser. */
export type ModuleAnswer = { data: object; status?: number }
/** `session` as in a redirect: the new token after a proof of identity. */
export type Outcome =
  | (ConsolePage & { session?: string })
  | Redirect
  | ModuleAnswer
  | { file: Download; session?: string }
  | { picture: ShownPicture }

type Handler<V> = (visit: V) => Promise<Outcome> | Outcome
type RouteOptions = {
  /** In bytes; by default the limit of a short form. */
  bodyLimit?: number
  /** Names of the fields for small files; they are read before the handler runs. */
  uploads?: readonly string[]
  /** Requires a recent proof of identity; without one, the person first confirms it. */
  needsProof?: true
  /** The form may contain large files, which the handler reads itself. */
  takesFile?: true
  /** A limit besides that of pages: see `request-limits.ts`. */
  cost?: 'download' | 'picture' | 'upload' | 'webhook_test'
}
type Route<A, V> = RouteOptions & { method: 'GET' | 'POST'; path: string; access: A; handle: Handler<V> }
export type ConsoleRoute =
  | Route<'anyone', AnyVisit>
  | Route<'signed_in' | 'editor' | 'owner' | 'operator', Visit>

const routesFor = <A, V>(access: A) => {
  const route =
    (method: 'GET' | 'POST') =>
    (path: string, handle: Handler<V>, options?: RouteOptions): Route<A, V> => ({
      method,
      path,
      access,
      handle,
      ...options,
    })
  return { get: route('GET'), post: route('POST') }
}

/**
 * Who may use a route. `anyone`: also signed out. `editor`: an editor or owner of the account. `operator`: an
 * owner of an operator's account; for others the route does not exist.
 */
export const anyone = routesFor<'anyone', AnyVisit>('anyone')
export const signedIn = routesFor<'signed_in', Visit>('signed_in')
export const editor = routesFor<'editor', Visit>('editor')
export const owner = routesFor<'owner', Visit>('owner')
export const operator = routesFor<'operator', Visit>('operator')

export const HOME = '/console'
export const SIGN_IN = '/console/sign-in'
export const FORGOTTEN = '/console/forgotten-password'
export const BROWSER_LINK = '/console/sign-in/link'
export const PRODUCTS = '/console/products'
export const MEDIA = '/console/media'
export const READINESS = '/console/readiness'
export const DRAFTS = '/console/drafts'
export const SCANS = '/console/scans'
export const IMPORT = '/console/import'
export const EXPORT = '/console/export'
export const DEVELOPER = '/console/developer'
export const KEYS = '/console/keys'
export const WEBHOOKS = '/console/webhooks'
export const DOCS = '/docs'
export const SETTINGS = '/console/settings'
export const READINESS_SETTINGS = `${SETTINGS}/readiness`
export const REGISTRY = '/console/registry'
export const BRAND = `${SETTINGS}/brand`
export const STORY = `${BRAND}/story`
export const OFFERS = `${SETTINGS}/offers`
export const ALL_DATA = `${SETTINGS}/data`

const ANYWHERE = 'http://carnet.invalid'
const LONGEST = 500

/** The path of `next` if it is a page of the console, else its home: no open redirect (CWE-601). */
export function ownPath(next: string | null): string {
  if (next === null || next.length > LONGEST || !next.startsWith('/') || /[\\\p{Cc}]/u.test(next)) return HOME
  if (!URL.canParse(next, ANYWHERE)) return HOME
  const { origin, pathname, search } = new URL(next, ANYWHERE)
  const isOurs = origin === ANYWHERE && (pathname === HOME || pathname.startsWith(`${HOME}/`))
  return isOurs ? pathname + search : HOME
}

export const signInFor = (path: string) =>
  path === HOME ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ next: path })}`
