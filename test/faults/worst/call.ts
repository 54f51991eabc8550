/**
 * Describes requests to one route, and the parts common to all kinds of routes: headers and queries at their
 * limits.
 */
import type { Ask } from './send.ts'
import type { Shape } from './shapes.ts'

export type Credential =
  | 'anonymous'
  | 'read key'
  | 'full key'
  | 'link'
  | 'viewer'
  | 'editor'
  | 'owner'
  | 'operator'

/** `make` is called for each attempt, so that a call can be repeated although it changes something. */
export type WorstCall = {
  name: string
  credential: Credential
  make: () => Promise<Ask> | Ask
  /** How long its work goes on after the answer. */
  afterwardsMs?: number
}

/**
 * `accepts`: the statuses of which one call must get one; without, any of 2xx and 3xx. The first is the
 * sample.
 */
export type RouteCalls = { route: string; accepts?: readonly number[]; calls: readonly WorstCall[] }

const HEADER_BYTES = 15_000
const QUERY_BYTES = 8_000

const fillWith = (part: string, bytes: number) => part.repeat(Math.floor(bytes / part.length))

/** Headers that the server reads, each with as much as fits. */
export const LONG_HEADERS: Readonly<Record<string, string>> = {
  accept: fillWith('a/b;q=0.1,', HEADER_BYTES),
  'accept-language': fillWith('x-y;q=0.1,', HEADER_BYTES),
  'accept-encoding': fillWith('x;q=0.1,', HEADER_BYTES),
  'if-none-match': fillWith('W/"0",', HEADER_BYTES),
  'if-match': fillWith('"v0",', HEADER_BYTES),
  cookie: fillWith('a=b; ', HEADER_BYTES),
  range: `bytes=${fillWith('0-0,', HEADER_BYTES)}`,
  'user-agent': fillWith('Mozilla/5.0 (', HEADER_BYTES),
  'x-forwarded-for': fillWith('127.0.0.1,', HEADER_BYTES),
  referer: `http://localhost/${fillWith('%2e/', HEADER_BYTES)}`,
  'idempotency-key': fillWith('k', HEADER_BYTES),
}

/** A part of each of them, together as long as they may be. */
export const ALL_HEADERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(LONG_HEADERS)
    .filter(([name]) => name !== 'cookie' && name !== 'if-match')
    .map(([name, value]) => [name, value.slice(0, 1_400)]),
)

export const LONG_QUERIES: Readonly<Record<string, string>> = {
  'many parameters': fillWith('a=1&', QUERY_BYTES),
  'escaped query': `q=${fillWith('%E2%82%AC', QUERY_BYTES)}`,
  'one long parameter': `q=${'n'.repeat(QUERY_BYTES)}`,
}

export const withQuery = (path: string, query: string) =>
  query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`

/** Calls that vary the headers and the query of a read that is accepted. */
export function varyRead(make: () => Promise<Ask> | Ask, credential: Credential): WorstCall[] {
  const vary = (name: string, change: (ask: Ask) => Ask): WorstCall => ({
    name,
    credential,
    make: async () => change(await make()),
  })
  const setHeaders = (headers: Readonly<Record<string, string>>) => (ask: Ask) => ({
    ...ask,
    // A cookie that signs in stays the last of many.
    headers: {
      ...ask.headers,
      ...headers,
      ...(headers.cookie !== undefined && { cookie: headers.cookie + (ask.headers?.cookie ?? '') }),
    },
  })
  return [
    vary('15 kB of headers', setHeaders(ALL_HEADERS)),
    ...Object.entries(LONG_HEADERS).map(([name, value]) =>
      vary(`long ${name}`, setHeaders({ [name]: value })),
    ),
    ...Object.entries(LONG_QUERIES).map(([name, query]) =>
      vary(name, ask => ({ ...ask, path: withQuery(ask.path, query) })),
    ),
  ]
}

/** The same call with each body. */
export const withBodies = (
  shapes: readonly Shape[],
  bytes: number,
  make: (body: Buffer) => Promise<Ask> | Ask,
  credential: Credential,
): WorstCall[] =>
  shapes.map(({ name, build }) => ({ name, credential, make: () => make(Buffer.from(build(bytes))) }))
