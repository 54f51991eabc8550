/** What a handler of this door is given and gives back: no framework, so that it reads as what it does. */
import type { IncomingHttpHeaders } from 'node:http'
import type { AccountContext } from '../../accounts/context.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { type Detail, MAX_DETAILS } from '../../kernel/errors.ts'
import type { Addresses } from '../../passports/core/record.ts'
import type { ScanRecorder } from '../../scans/recorder.ts'
import type { Deprecation } from './deprecation.ts'

/** What the door itself runs on. */
export type ApiSetup = {
  sql: Sql
  clock: Clock
  addresses: Addresses
  nsUrl: string
  allowQueryApiKey: boolean
  version: string
  scans: ScanRecorder
}

/** A query as parsed: a name given twice has a list. */
export type RawQuery = Readonly<Record<string, string | string[]>>

export type OpenCall = {
  setup: ApiSetup
  params: Readonly<Record<string, string>>
  query: RawQuery
  headers: IncomingHttpHeaders
  /** The body as read by `readJson`; undefined when there is none. In a bulk call a row can be its refusal. */
  body: unknown
}

/** `dryRun`: the call is to change nothing; false where it could not. */
export type AccountCall = OpenCall & { account: AccountContext; dryRun: boolean }

/** `body` is ready text, or bytes; its type is JSON unless `headers` say otherwise. */
export type ApiResponse = { status?: number; body: string | Buffer; headers?: Record<string, string> }

/**
 * `bulk`: takes up to 500 rows as `items`, each answered by itself, in 8 MiB instead of one. `dryRun`: takes `?dry_run`.
 * `keepsReceipt`: its verb keeps the answer to a key itself. `isBodyOptional`: an empty body is none, whatever its type.
 * The parameters of a read are read by its handler.
 */
type Address = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  path: string
  bulk?: true
  dryRun?: true
  keepsReceipt?: true
  isBodyOptional?: true
  deprecated?: Deprecation
}
export type AccountRoute = Address & {
  open?: false
  handle: (call: AccountCall) => Promise<ApiResponse> | ApiResponse
}
export type Route =
  | AccountRoute
  | (Address & { open: true; handle: (call: OpenCall) => Promise<ApiResponse> | ApiResponse })

/** The success envelope round ready JSON text. Of more than 100 warnings the first. */
export function successJson(
  json: string,
  extra: { warnings?: readonly Detail[]; meta?: object } = {},
): string {
  const meta = extra.meta ? `,"meta":${JSON.stringify(extra.meta)}` : ''
  const cut = (extra.warnings?.length ?? 0) >= MAX_DETAILS ? ',"truncated":true' : ''
  const listed = extra.warnings?.slice(0, MAX_DETAILS)
  const warnings = listed?.length ? `,"warnings":${JSON.stringify(listed)}${cut}` : ''
  return `{"data":${json}${meta}${warnings}}`
}
