/**
 * An endpoint: one definition beside its handler. Routing, the checks of a request, the types of the handler,
 * the OpenAPI document and the reference page read it.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Scope } from '../../accounts/keys/keys.ts'
import type { SecretCipher } from '../../kernel/crypto/secret-cipher.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { detailJson } from '../../kernel/errors/detail-json.ts'
import { type AppError, type Detail, type ErrorCode, MAX_DETAILS } from '../../kernel/errors/errors.ts'
import type { Outbound } from '../../kernel/http-out/outbound-http.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import type { MediaServices } from '../../media/upkeep/media-services.ts'
import type { Addresses } from '../../passports/core/record.ts'
import type { ScanRecorder } from '../../scans/recorder.ts'
import type { Deprecation } from './deprecation.ts'
import type { DocumentedResponse } from './documented-response.ts'
import type { HeaderParameter } from './header-parameters.ts'
import { listPathParameterNames, type PathParameterName, type PathValues } from './path-parameters.ts'
import { DRY_RUN, type QueryParameters, type QueryValues, type RawQuery } from './query-parameters.ts'

/** The services and settings that all handlers share. */
export type ApiSetup = {
  sql: Sql
  clock: Clock
  addresses: Addresses
  allowQueryApiKey: boolean
  version: string
  scans: ScanRecorder
  secretCipher: SecretCipher
  /** The namespace of Carnet's own terms. */
  nsUrl: string
  /** For how many days what is signed is valid. */
  signatureDays: number
  media: MediaServices
  /** Which addresses files may be fetched from. */
  outbound: Pick<Outbound, 'policy'>
}

/**
 * `body` is serialized already; its media type is JSON unless `headers` say otherwise. A stream is sent while
 * it is produced.
 */
export type ApiResponse = {
  status?: number
  body: string | Buffer | Readable
  headers?: Record<string, string>
}

/** Given to every handler. */
export type PublicCall = { setup: ApiSetup; headers: IncomingHttpHeaders }
/**
 * `isDryRun`: the call must change nothing; always false for an endpoint without `takesDryRun`. `scope`: what
 * the request may do; `read` for HEAD.
 */
export type AccountCall = PublicCall & { account: AccountContext; isDryRun: boolean; scope: Scope }

/** The checked values of a request. */
type Input<P extends PathParameterName, Q extends QueryParameters, B> = {
  path: PathValues<P>
  query: QueryValues<Q>
  body: B
}

type RequestBody<B> = {
  /** The limit of its JSON, see `body-limits.ts`. */
  maxBytes: number
  /** Allows an empty body, whatever its content type. */
  isOptional?: true
  schema: object
  examples: Readonly<Record<string, { summary: string; value: unknown }>>
  /**
   * `sent` is undefined without a body. A row that could not be parsed is an `Error`. Throws `validation`.
   */
  read: (sent: unknown) => B
  /** Finds further errors inside a body that `read` rejected; both are reported together. */
  findNestedError?(
    call: AccountCall & { path: PathValues<PathParameterName> },
    sent: Readonly<Record<string, unknown>>,
  ): Promise<AppError | undefined>
}

export type Tag =
  | 'products'
  | 'units'
  | 'events'
  | 'in_use'
  | 'recalls'
  | 'drafts'
  | 'readiness'
  | 'scans'
  | 'registry'
  | 'media'
  | 'offers'
  | 'categories'
  | 'service'

type Description = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  /** Name of the method in a generated client. */
  id: string
  tag: Tag
  summary: string
  /** Markdown. */
  description: string
  requestHeaders?: readonly HeaderParameter[]
  responses: Readonly<Record<number, DocumentedResponse>>
  /** Error codes beyond those that every endpoint of its kind has (`openapi/responses.ts`). */
  errors?: readonly ErrorCode[]
  deprecated?: Deprecation
}

type AccountOptions = {
  /** Takes `?dry_run`. */
  takesDryRun?: true
  /** Takes up to 500 rows as `items`, each with its own result. */
  isBulk?: true
  /** True if a call costs more than most: accounts and networks take turns for it. */
  isCostly?: (query: RawQuery) => boolean
  /** Its body is a file of any type, of up to 20 MiB, or a form with one. */
  takesFile?: true
  /** The handler's statement stores key and response itself, so the first attempt opens no transaction. */
  storesIdempotencyRecord?: true
}

type HandlerResult = Promise<ApiResponse> | ApiResponse

// Method syntax makes parameters bivariant, so endpoints of all types fit one list.
type AccountDefinition<Path extends string, Q extends QueryParameters, B> = Description &
  AccountOptions & {
    path: Path
    query?: Q
    body?: RequestBody<B>
    handle(call: AccountCall & Input<PathParameterNamesIn<Path>, Q, B>): HandlerResult
  }

type PathParameterNamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Extract<Name, PathParameterName> | PathParameterNamesIn<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Extract<Name, PathParameterName>
    : never

type Derived = { pathParameterNames: readonly PathParameterName[]; query: QueryParameters }

export type AccountEndpoint = Description &
  AccountOptions &
  Derived & {
    isPublic: false
    body?: RequestBody<unknown>
    handle(call: AccountCall & Input<PathParameterName, QueryParameters, unknown>): HandlerResult
  }

/** Needs no key. */
type PublicEndpoint = Description &
  Derived & {
    isPublic: true
    /** The endpoint also answers requests beyond the rate limit or with unknown query parameters. */
    isNeverRejected?: true
    body?: undefined
    handle(call: PublicCall): HandlerResult
  }

export type Endpoint = AccountEndpoint | PublicEndpoint

const NO_QUERY: QueryParameters = {}

/** An endpoint that needs an API key. Throws when a parameter in `path` is not described. */
export function defineEndpoint<
  Path extends string,
  Q extends QueryParameters = Record<never, never>,
  B = undefined,
>(definition: AccountDefinition<Path, Q, B>): AccountEndpoint
export function defineEndpoint(
  definition: Omit<AccountEndpoint, 'isPublic' | 'pathParameterNames' | 'query'> & {
    query?: QueryParameters
  },
): AccountEndpoint {
  return {
    ...definition,
    isPublic: false,
    pathParameterNames: listPathParameterNames(definition.path),
    query: { ...(definition.takesDryRun ? { dry_run: DRY_RUN } : {}), ...definition.query },
  }
}

/** An endpoint that needs no key; it takes no parameters. */
export const definePublicEndpoint = (
  definition: Description & Pick<PublicEndpoint, 'isNeverRejected' | 'handle'>,
): PublicEndpoint => ({ ...definition, isPublic: true, pathParameterNames: [], query: NO_QUERY })

export const isWrite = ({ method }: Pick<Endpoint, 'method'>) => method !== 'GET'

/** The response envelope around serialized JSON. At most 100 warnings are sent. */
export function successJson(
  json: string,
  extra: { warnings?: readonly Detail[]; meta?: object } = {},
): string {
  const meta = extra.meta ? `,"meta":${JSON.stringify(extra.meta)}` : ''
  const truncated = (extra.warnings?.length ?? 0) >= MAX_DETAILS ? ',"truncated":true' : ''
  const listed = extra.warnings?.slice(0, MAX_DETAILS).map(detailJson)
  const warnings = listed?.length ? `,"warnings":${JSON.stringify(listed)}${truncated}` : ''
  return `{"data":${json}${meta}${warnings}}`
}

/** `next` is the cursor of the next page, undefined on the last one. A page found by cursor has no number. */
export const pageMeta = (
  { page, limit, cursor }: { page: number; limit: number; cursor?: unknown },
  { total, totalCapped }: { total: number; totalCapped?: boolean },
  next: string | undefined,
) => ({
  page: cursor === undefined ? page : null,
  limit,
  total,
  total_capped: totalCapped || undefined,
  total_pages: Math.ceil(total / limit),
  has_more: next !== undefined,
  next_cursor: next ?? null,
})
