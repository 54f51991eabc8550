/** What the pages of the console are made of: a visit goes in, a page or a way to another one comes out. */
import type { Readable } from 'node:stream'
import type { Session } from '../accounts/sessions.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db.ts'
import type { Addresses } from '../passports/record.ts'
import type { Form } from './form.ts'
import type { Words } from './texts.ts'
import type { Body } from './upload.ts'

export type ConsoleSetup = { sql: Sql; clock: Clock; addresses: Addresses }

export type Visit = {
  setup: ConsoleSetup
  words: Words
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  form: Form
  /** Of a route that takes a file: the body, unread. */
  upload: Body | undefined
  /** The address the request came from. */
  network: string
  /** The session's token, and the session if it goes on. */
  token: string | undefined
  session: Session | undefined
  /** The header `Cookie`. */
  cookies: string | undefined
}

export type SignedInVisit = Visit & { token: string; session: Session }

export type Page = {
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
/** A redirect by GET; `session` sets the browser's cookie, and null takes it away; `cookie` is the line of another. */
export type Way = { to: string; session?: string | null; cookie?: string }
export type Outcome = Page | Way | { file: Download }

type Of<A, V> = {
  method: 'GET' | 'POST'
  path: string
  access: A
  /** In bytes; that of a short form unless said otherwise. */
  bodyLimit?: number
  /** Its form has a file in it. */
  takesFile?: true
  handle: (visit: V) => Promise<Outcome> | Outcome
}

/** `anyone`: also signed out. `editor`: signed in, and an editor or owner of the account. `owner`: an owner. */
export type ConsoleRoute = Of<'anyone', Visit> | Of<'signed_in' | 'editor' | 'owner', SignedInVisit>
