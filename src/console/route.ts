/** What the pages of the console are made of: a visit goes in, a page or a way to another one comes out. */
import type { Session } from '../accounts/sessions.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db.ts'
import type { Addresses } from '../passports/record.ts'
import type { Form } from './form.ts'
import type { Words } from './texts.ts'

export type ConsoleSetup = { sql: Sql; clock: Clock; addresses: Addresses }

export type Visit = {
  setup: ConsoleSetup
  words: Words
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  form: Form
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
}
/** A redirect by GET; `session` sets the browser's cookie, and null takes it away; `cookie` is the line of another. */
export type Way = { to: string; session?: string | null; cookie?: string }
export type Outcome = Page | Way

type Of<A, V> = {
  method: 'GET' | 'POST'
  path: string
  access: A
  handle: (visit: V) => Promise<Outcome> | Outcome
}

/** `anyone`: also signed out. `owner`: signed in, and an owner of the account. */
export type ConsoleRoute = Of<'anyone', Visit> | Of<'signed_in' | 'owner', SignedInVisit>
