/**
 * Sends all outgoing HTTP requests. Users choose the URLs, and a host name may resolve to an internal address
 * at any time. So the IP address of each connection is checked.
 */
import { lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { withTimeout } from '../concurrency/timeout.ts'
import { findErrorCode, toError } from '../errors/errors.ts'
import { type AddressList, createAddressList, explainForbiddenAddress } from '../http/ip-ranges.ts'
import { BoundedMap } from '../values/bounded-map.ts'
import { joinChunks } from '../values/join-chunks.ts'
import { explainUrlError, isLoopbackName, type OutboundPolicy } from './outbound-url.ts'

export const CONNECT_TIMEOUT_MS = 5_000
const RESPONSE_TIMEOUT_MS = 15_000
/** For the body, after the headers. */
const BODY_TIMEOUT_MS = 2_000
/** One timer checks the deadlines of all requests: two timers for each would take as long as signing it. */
const CHECK_INTERVAL_MS = 100
const MAX_RESPONSE_BYTES = 16_384
/** Many servers close an idle connection after five seconds. A request sent at that moment would be lost. */
const KEEP_ALIVE_MS = 4_000
const MAX_PARSED_URLS = 1_000
/** For all tries. Shorter than `CONNECT_TIMEOUT_MS`, so that a delivery's log names DNS as the cause. */
const DNS_TOTAL_TIMEOUT_MS = 4_000
const DNS_TIMEOUT_MS = 1_500
const DNS_TRIES = 2
/** How long to wait for IPv6 addresses once IPv4 addresses are known, or the reverse. */
const OTHER_FAMILY_WAIT_MS = 500

/** Why there was no response. A response of any status is not a failure. */
export type FailureName =
  | 'address_refused'
  | 'dns'
  | 'connect_timeout'
  | 'connection_refused'
  | 'unreachable'
  | 'tls'
  | 'connection_closed'
  | 'timeout'
  | 'protocol'
  | 'stopped'

export class OutboundFailure extends Error {
  override name = 'OutboundFailure'
  readonly failure: FailureName
  /** `message` is for the owner of the webhook. */
  constructor(failure: FailureName, message: string) {
    super(message)
    this.failure = failure
  }
}

/** `body`: at most the first 16 KiB, less if it came too slowly. */
type OutboundResponse = { status: number; headers: Headers; body: Buffer }
type Headers = Readonly<Record<string, string | string[] | undefined>>

type OutboundPost = { url: string; headers: Record<string, string>; body: string | Buffer }

/** `timeoutMs`: for the whole answer. */
type OutboundGet = { url: string; headers: Record<string, string>; maxBytes: number; timeoutMs: number }

export type Outbound = ReturnType<typeof openOutbound>

export type ResolveName = (name: string) => Promise<readonly string[]>

export function openOutbound(policy: OutboundPolicy, resolve: ResolveName = createNameResolver()) {
  const agent = new Agent({
    connect: createGuardedConnector(policy, resolve),
    // Callers limit themselves: a limit here would let one hanging host delay all others of the same name.
    connections: null,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const pending = new Set<PendingRequest>()
  const urls = new BoundedMap<string, ParsedUrl>(MAX_PARSED_URLS)
  let timer: NodeJS.Timeout | undefined
  const endOverdue = () => {
    const now = performance.now()
    for (const request of pending) if (now >= request.deadline) request.onDeadline()
    if (pending.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  const send = (
    { urlError, origin, path }: ParsedUrl,
    options: Omit<Dispatcher.DispatchOptions, 'origin' | 'path'>,
    limits: ResponseLimits,
  ): Promise<OutboundResponse> => {
    if (urlError !== undefined) return Promise.reject(new OutboundFailure('address_refused', urlError))
    const request = new PendingRequest(pending, limits)
    timer ??= setInterval(endOverdue, CHECK_INTERVAL_MS).unref()
    try {
      agent.dispatch({ origin, path, ...options }, request)
    } catch (error) {
      request.fail(toOutboundFailure(toError(error)))
    }
    return request.response
  }
  return {
    policy,
    /** Does not follow redirects. Throws OutboundFailure, within 15 seconds. */
    post({ url, headers, body }: OutboundPost): Promise<OutboundResponse> {
      const parsed = urls.getOrMake(url, () => parseUrl(url, policy))
      return send(parsed, { method: 'POST', headers, body }, POST_LIMITS)
    },
    /**
     * Does not follow redirects. The body is empty unless the status is 200, as it was sent (perhaps
     * compressed), and one byte longer than `maxBytes` if it has more. Throws OutboundFailure.
     */
    get({ url, headers, maxBytes, timeoutMs }: OutboundGet): Promise<OutboundResponse> {
      const limits = { responseMs: timeoutMs, bodyMs: timeoutMs, maxBytes: maxBytes + 1, needsAll: true }
      return send(parseUrl(url, policy), { method: 'GET', headers }, limits)
    },
    /** Pending requests fail as `stopped`. */
    async close() {
      for (const request of pending) {
        request.fail(new OutboundFailure('stopped', 'The server was stopped before an answer came.'))
      }
      await agent.destroy()
    },
  }
}

/** `needsAll`: a part of the body is a failure, and only that of a status 200 is read. */
type ResponseLimits = { responseMs: number; bodyMs: number; maxBytes: number; needsAll: boolean }

const POST_LIMITS: ResponseLimits = {
  responseMs: RESPONSE_TIMEOUT_MS,
  bodyMs: BODY_TIMEOUT_MS,
  maxBytes: MAX_RESPONSE_BYTES,
  needsAll: false,
}

type ParsedUrl = { urlError: string | undefined; origin: string; path: string }

/**
 * The caller caches the result: parsing takes as long as signing, and the same few addresses are called
 * repeatedly.
 */
function parseUrl(url: string, policy: OutboundPolicy): ParsedUrl {
  const urlError = explainUrlError(url, policy)
  const { origin, pathname, search } = new URL(urlError === undefined ? url : 'https://refused.invalid')
  return { urlError, origin, path: pathname + search }
}

/** A request and its response, bounded in time and length. It stays in `pending` until it is settled. */
class PendingRequest implements Dispatcher.DispatchHandler {
  private readonly resolvers = Promise.withResolvers<OutboundResponse>()
  readonly response = this.resolvers.promise
  private controller: Dispatcher.DispatchController | undefined
  private head: { status: number; headers: Headers } | undefined
  private readonly chunks: Buffer[] = []
  private bytes = 0
  private readonly pending: Set<PendingRequest>
  private readonly limits: ResponseLimits
  /** By the clock of `performance.now()`. */
  deadline: number

  constructor(pending: Set<PendingRequest>, limits: ResponseLimits) {
    this.pending = pending.add(this)
    this.limits = limits
    this.deadline = performance.now() + limits.responseMs
  }

  private get isOver(): boolean {
    return !this.pending.has(this)
  }

  onDeadline(): void {
    if (this.head === undefined || this.limits.needsAll) this.fail(this.createTimeoutFailure())
    else this.finishEarly()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.isOver) controller.abort(this.createTimeoutFailure())
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return
    this.head = { status, headers }
    this.deadline = Math.min(this.deadline, performance.now() + this.limits.bodyMs)
    if (this.limits.needsAll && status !== 200) this.finishEarly()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return
    // A copy, because the parser reuses the memory of the chunk.
    this.chunks.push(Buffer.from(chunk.subarray(0, this.limits.maxBytes - this.bytes)))
    this.bytes += chunk.length
    if (this.bytes >= this.limits.maxBytes) this.finishEarly()
  }

  onResponseEnd(): void {
    this.finish()
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.head === undefined || this.limits.needsAll) this.fail(toOutboundFailure(error))
    // The status is known; only a part of the body is missing in the log.
    else this.finish()
  }

  /** Finishes without the rest of a body that is too long or comes too slowly. */
  private finishEarly(): void {
    this.finish()
    this.controller?.abort(new Error('enough was read'))
  }

  private finish(): void {
    const { head } = this
    if (head === undefined || !this.pending.delete(this)) return
    const size = this.chunks.reduce((sum, { length }) => sum + length, 0)
    this.resolvers.resolve(joinChunks(this.chunks, size).then(body => ({ ...head, body })))
  }

  fail(failure: OutboundFailure): void {
    if (!this.pending.delete(this)) return
    this.resolvers.reject(failure)
    this.controller?.abort(failure)
  }

  private createTimeoutFailure(): OutboundFailure {
    const within = `within ${Math.ceil(this.limits.responseMs / 1000)} seconds`
    const what = this.head === undefined ? 'There was no answer' : 'The answer was not complete'
    return new OutboundFailure('timeout', `${what} ${within}.`)
  }
}

const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1']
const LOOPBACK = createAddressList(LOOPBACK_ADDRESSES)

/**
 * Checks the protocol and a literal address before connecting, the addresses of a name at its look-up, and
 * the address of the connection once it is made.
 */
function createGuardedConnector(policy: OutboundPolicy, resolve: ResolveName): buildConnector.connector {
  const createConnector = (allowed: AddressList, resolveName: ResolveName) =>
    buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      allowH2: false,
      maxCachedSessions: 100,
      autoSelectFamily: true,
      lookup: createGuardedLookup(allowed, resolveName),
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
    })
  const connect = createConnector(policy.allowed, resolve)
  const connectToLoopback = createConnector(LOOPBACK, async () => LOOPBACK_ADDRESSES)
  return (options, callback) => {
    const isPlain = options.protocol === 'http:'
    const isProtocolAllowed = !isPlain || (policy.allowInsecureLoopback && isLoopbackName(options.hostname))
    const allowed = isPlain ? LOOPBACK : policy.allowed
    const failure = isProtocolAllowed ? findAddressFailure(options.hostname, allowed) : notSecure()
    if (failure !== undefined) {
      queueMicrotask(() => callback(failure, null))
      return
    }
    const done = callback as (error: Error | null, socket: Socket | null) => void
    ;(isPlain ? connectToLoopback : connect)(options, (error, socket) => {
      if (error !== null) return done(error, null)
      const isRefused = findAddressFailure(socket.remoteAddress ?? '', allowed) !== undefined
      if (!isRefused) return done(null, socket)
      socket.destroy()
      done(findAddressFailure(options.hostname, allowed) ?? refuseName(options.hostname), null)
    })
  }
}

const notSecure = () => new OutboundFailure('address_refused', 'Carnet only connects to https addresses.')

/** Undefined for a name: `createGuardedLookup` checks its addresses. */
function findAddressFailure(address: string, allowed: AddressList): OutboundFailure | undefined {
  const description = isIP(address) === 0 ? undefined : explainForbiddenAddress(address, allowed)
  if (description === undefined) return undefined
  return new OutboundFailure(
    'address_refused',
    `${address} is ${description}. Carnet does not connect to it.`,
  )
}

/** Says neither the address nor its kind: an account must not learn names of the operator's network. */
const refuseName = (name: string): OutboundFailure =>
  new OutboundFailure(
    'address_refused',
    `${name} resolves to an address that is not public. Carnet does not connect to it.`,
  )

/** Rejects a name if one of its addresses is forbidden. */
function createGuardedLookup(allowed: AddressList, resolve: ResolveName): LookupFunction {
  const findAllowed = async (name: string): Promise<readonly string[]> => {
    // Limits all tries together; the resolver itself limits each try.
    const addresses = await withTimeout(resolve(name), DNS_TOTAL_TIMEOUT_MS, () => {
      const within = `${DNS_TOTAL_TIMEOUT_MS / 1000} seconds`
      const sentence = `The name ${name} cannot be resolved: no name server answered within ${within}.`
      return new OutboundFailure('dns', sentence)
    })
    const isPublic = (address: string) => explainForbiddenAddress(address, allowed) === undefined
    if (!addresses.every(isPublic)) throw refuseName(name)
    return addresses
  }
  return (name, options, callback) => {
    // `explainForbiddenAddress` throws an error of its own if the resolver returned no IP address.
    const fail = (error?: unknown) => {
      const unresolved = new OutboundFailure('dns', `The name ${name} cannot be resolved.`)
      callback(error instanceof OutboundFailure ? error : unresolved, '', 4)
    }
    findAllowed(name).then(addresses => {
      const [first] = addresses
      if (first === undefined) fail()
      else if (options.all)
        callback(
          null,
          addresses.map(address => ({ address, family: isIP(address) })),
        )
      else callback(null, first, isIP(first))
    }, fail)
  }
}

/**
 * Asks name servers directly: the system's look-up blocks one of four threads, so names with silent servers
 * would delay all others. Names that no server knows may be in the hosts file, so they are looked up by the
 * system. `servers`: by default the system's.
 */
export function createNameResolver(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  return async name => {
    const found: string[] = []
    let hasTimedOut = false
    const ask = async (query: Promise<string[]>) => {
      try {
        found.push(...(await query))
      } catch (error) {
        hasTimedOut ||= findErrorCode(error) === 'ETIMEOUT'
        throw error
      }
    }
    const queries = [ask(resolver.resolve4(name)), ask(resolver.resolve6(name))]
    // Some servers never answer for IPv4, or for IPv6.
    const first = Promise.any(queries).then(() => pause(OTHER_FAMILY_WAIT_MS, undefined, { ref: false }))
    await Promise.race([Promise.allSettled(queries), first.catch(() => undefined)])
    if (found.length > 0 || hasTimedOut) return found
    return new Promise((resolve, reject) => {
      systemLookup(name, { all: true }, (error, addresses) =>
        error === null ? resolve(addresses.map(one => one.address)) : reject(error),
      )
    })
  }
}

const FAILURES: readonly [RegExp, FailureName, string][] = [
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'connect_timeout', 'No connection was made within 5 seconds.'],
  [/^ECONNREFUSED$/, 'connection_refused', 'The connection was refused.'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'unreachable', 'The host cannot be reached (no route).'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'dns', 'The name cannot be resolved.'],
  [
    /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|ERR_OSSL)/,
    'tls',
    'No secure connection was made',
  ],
  [
    /^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES)/,
    'protocol',
    'The answer is not valid HTTP.',
  ],
]

function toOutboundFailure(error: Error): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  // Most parser errors have a name and no code.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const [, failure, sentence] = FAILURES.find(([pattern]) => pattern.test(code)) ?? []
  if (failure === 'tls') return new OutboundFailure('tls', `${sentence}: ${error.message}.`)
  if (failure !== undefined && sentence !== undefined) return new OutboundFailure(failure, sentence)
  return new OutboundFailure('connection_closed', `The connection ended before an answer came (${code}).`)
}
