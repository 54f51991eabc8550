/** What the pages of the console are made of: a visit goes in, a page or a way to another one comes out. */

import type { Readable } from 'node:stream'
import type { AccountContext } from '../../accounts/context.ts'
import type { Session } from '../../accounts/people/sessions.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Outbound } from '../../kernel/http-out/outbound-http.ts'
import type { Mailer } from '../../kernel/http-out/smtp.ts'
import type { SecurityEvent, SecurityLog } from '../../kernel/monitoring/security-events.ts'
import type { Sealer } from '../../kernel/sealing.ts'
import type { Addresses } from '../../passports/core/record.ts'
import type { PostedForm } from './form.ts'
import type { Upload } from './upload.ts'
import type { Words } from './words.ts'

export type ConsoleSetup = {
  sql: Sql
  clock: Clock
  addresses: Addresses
  mail: Mailer
  /** For the secrets of webhooks, and for those that are shown once. */
  sealer: Sealer
  /** The operator's; keys for one purpose each are derived from it. */
  secretKey: string
  security: SecurityLog
  /** A pool of one connection, for who holds it long and ends it. */
  openPoolOfOne: () => Sql
  version: string
  /** The way out for test events; its policy says which addresses may be registered. */
  outbound: Outbound
}

/** A request body with its media type and, if the header says it, its length in bytes. */
export type UnreadBody = { stream: Readable; type: string; length: number | undefined }

export type AnyVisit = {
  setup: ConsoleSetup
  words: Words
  /** The parts `:id` and `:n` of the route's path; '' where it has none. */
  id: string
  n: string
  query: URLSearchParams
  form: PostedForm
  /** Files by the name of their field, where the route takes any. */
  uploads: ReadonlyMap<string, Upload>
  /** Of a route that takes a sheet: the body, unread. */
  upload: UnreadBody | undefined
  /** The address the request came from. */
  network: string
  /** The session's token, and the session if it goes on. */
  token: string | undefined
  session: Session | undefined
  cookies: string | undefined
  referer: string | undefined
  /** The address that was asked for, with its query. */
  url: string
  /** A browser shows the answer: it asks for HTML by name. */
  wantsHtml: boolean
  /** Tells of a refusal to whoever watches the log. */
  note: (event: SecurityEvent) => void
}

export type Visit = AnyVisit & { token: string; session: Session; ctx: AccountContext }

export type ConsolePage = {
  status?: number
  title: string
  body: string
  headers?: Readonly<Record<string, string>>
  /** Modules of `assets/console` by name: niceties, the page works without. */
  scripts?: readonly string[]
  /** For tables: the whole width of the window. */
  isWide?: boolean
}
/** A file to keep; `content` is sent as it comes. */
export type Download = { name: string; type: string; content: string | Buffer | Readable }
/**
 * A redirect by GET; `session` sets the browser's cookie, and null takes it away; `cookie` is the line of
 * another. `knows` is the e-mail of who has signed in: the browser is known as theirs from now on.
 */
export type Redirect = { to: string; session?: string | null; cookie?: string; knows?: string }
/** The JSON answer to one of our own modules in the browser. */
export type ModuleAnswer = { data: object; status?: number }
/** `session` as in a redirect: a page or file after a proof, which gives the session a new token. */
export type Outcome =
  | (ConsolePage & { session?: string })
  | Redirect
  | ModuleAnswer
  | { file: Download; session?: string }

type Handler<V> = (visit: V) => Promise<Outcome> | Outcome
type RouteOptions = {
  /** In bytes; that of a short form unless said otherwise. */
  bodyLimit?: number
  /** Names of the fields that take a small file; they are read before the handler runs. */
  uploads?: readonly string[]
  /** Only for who has proven lately who they are; others confirm it on the way. */
  needsProof?: true
  /** Its form has a sheet in it, which the handler reads by itself. */
  takesFile?: true
  /** What it costs beside a page: see `request-limits.ts`. */
  cost?: 'download' | 'webhook_test'
}
type Route<A, V> = RouteOptions & { method: 'GET' | 'POST'; path: string; access: A; handle: Handler<V> }
export type ConsoleRoute = Route<'anyone', AnyVisit> | Route<'signed_in' | 'editor' | 'owner', Visit>

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

/** Who may use a route. `anyone`: also signed out. `editor`: an editor or owner of the account. */
export const anyone = routesFor<'anyone', AnyVisit>('anyone')
export const signedIn = routesFor<'signed_in', Visit>('signed_in')
export const editor = routesFor<'editor', Visit>('editor')
export const owner = routesFor<'owner', Visit>('owner')
