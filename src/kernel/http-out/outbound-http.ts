/**
 * The only way out of the process. Addresses come from strangers, so where a connection leads is decided by the IP
 * address it is really made to, when it is made: names may be re-pointed, and a literal passes by every look-up.
 */

import { lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { type BlockList, isIP, type LookupFunction, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { BoundedMap } from '../bounded-map.ts'
import { findErrorCode, toError } from '../errors.ts'
import { createAddressList, explainForbiddenAddress } from '../http/ip-ranges.ts'
import { withTimeout } from '../timeout.ts'
import { explainUrlFault, isLoopbackName, type OutboundPolicy } from './outbound-url.ts'

export const CONNECT_TIMEOUT_MS = 5_000
export const ANSWER_TIMEOUT_MS = 15_000
/** After the headers, which say all that counts. */
const BODY_TIMEOUT_MS = 2_000
/** Both are looked at so often, for all requests at once: two timers for each would cost as much as a signature. */
const CHECK_INTERVAL_MS = 100
const MAX_ANSWER_BYTES = 16_384
/** Below the five seconds after which many servers close an idle connection, so that we do not write into a closing one. */
const KEEP_ALIVE_MS = 4_000
const MAX_PARSED_URLS = 1_000
/** For a name in all: below the time for connecting, so that a delivery's log says what was in the way. */
const DNS_TOTAL_TIMEOUT_MS = 4_000
const DNS_TIMEOUT_MS = 1_500
const DNS_TRIES = 2
/** Once one family of addresses is known, so long is waited for the other. */
const OTHER_FAMILY_WAIT_MS = 500

/** What stopped a request, by name; an answer of any status is no failure here. */
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
  /** `message` is a sentence for the one whose address it is. */
  constructor(failure: FailureName, message: string) {
    super(message)
    this.failure = failure
  }
}

/** `body`: at most the first 16 KiB, less when it came too slowly. */
type OutboundAnswer = { status: number; headers: Headers; body: Buffer }
type Headers = Readonly<Record<string, string | string[] | undefined>>

type OutboundPost = { url: string; headers: Record<string, string>; body: string }

export type Outbound = {
  policy: OutboundPolicy
  /** One POST; redirects are answers like others. Throws OutboundFailure, within 15 seconds. */
  post: (request: OutboundPost) => Promise<OutboundAnswer>
  /** Ends what is under way as `stopped`, and all connections. */
  close: () => Promise<void>
}

/** The IP addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly string[]>

export function openOutbound(policy: OutboundPolicy, resolve: ResolveName = createNameResolver()): Outbound {
  const agent = new Agent({
    connect: guardedConnector(policy, resolve),
    // Callers hold the caps: with one here, a host that hangs would hold up everybody else behind the same name.
    connections: null,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const underWay = new Set<Exchange>()
  const isOver = (exchange: Exchange) => underWay.delete(exchange)
  const read = createUrlParser(policy)
  let looking: NodeJS.Timeout | undefined
  const look = () => {
    const now = performance.now()
    for (const exchange of underWay) if (now >= exchange.until) exchange.timeUp()
    if (underWay.size > 0) return
    clearInterval(looking)
    looking = undefined
  }
  return {
    policy,
    post({ url, headers, body }) {
      const { fault, origin, path } = read(url)
      if (fault !== undefined) return Promise.reject(new OutboundFailure('address_refused', fault))
      const exchange = new Exchange(isOver)
      underWay.add(exchange)
      looking ??= setInterval(look, CHECK_INTERVAL_MS).unref()
      try {
        agent.dispatch({ origin, path, method: 'POST', headers, body }, exchange)
      } catch (error) {
        exchange.fail(toOutboundFailure(toError(error)))
      }
      return exchange.answer
    },
    async close() {
      for (const exchange of underWay) {
        exchange.fail(new OutboundFailure('stopped', 'The server was stopped before an answer came.'))
      }
      await agent.destroy()
    },
  }
}

type ParsedUrl = { fault: string | undefined; origin: string; path: string }

/** Reading an address takes as long as signing for it, and the same few are called again and again. */
function createUrlParser(policy: OutboundPolicy): (url: string) => ParsedUrl {
  const known = new BoundedMap<string, ParsedUrl>(MAX_PARSED_URLS)
  return url => {
    const found = known.get(url)
    if (found !== undefined) return found
    const fault = explainUrlFault(url, policy)
    const { origin, pathname, search } = new URL(fault === undefined ? url : 'https://refused.invalid')
    const result = { fault, origin, path: pathname + search }
    known.set(url, result)
    return result
  }
}

/** One request and what comes back, cut off in time and in length. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<OutboundAnswer>
  private readonly settle: PromiseWithResolvers<OutboundAnswer>
  private controller: Dispatcher.DispatchController | undefined
  private head: { status: number; headers: Headers } | undefined
  private readonly chunks: Buffer[] = []
  private bytes = 0
  private isOver = false
  private readonly over: (exchange: Exchange) => void
  /** Of `performance.now()`: when to call `timeUp`. */
  until = performance.now() + ANSWER_TIMEOUT_MS

  constructor(over: (exchange: Exchange) => void) {
    this.over = over
    this.settle = Promise.withResolvers<OutboundAnswer>()
    this.answer = this.settle.promise
  }

  timeUp(): void {
    if (this.head === undefined) this.fail(tooLate())
    else this.end()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.isOver) controller.abort(tooLate())
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return
    this.head = { status, headers }
    this.until = Math.min(this.until, performance.now() + BODY_TIMEOUT_MS)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return
    // A copy: the chunk is a view of memory that the parser uses again.
    this.chunks.push(Buffer.from(chunk.subarray(0, MAX_ANSWER_BYTES - this.bytes)))
    this.bytes += chunk.length
    if (this.bytes >= MAX_ANSWER_BYTES) this.end()
  }

  onResponseEnd(): void {
    this.finish()
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.head === undefined) this.fail(toOutboundFailure(error))
    // The status has come: what is missing is only text for the log.
    else this.finish()
  }

  /** Enough of the body, or enough waiting for it. */
  private end(): void {
    this.finish()
    this.controller?.abort(new Error('enough was read'))
  }

  private finish(): void {
    if (this.isOver || this.head === undefined) return
    this.isOver = true
    this.over(this)
    this.settle.resolve({ ...this.head, body: Buffer.concat(this.chunks) })
  }

  fail(failure: OutboundFailure): void {
    if (this.isOver) return
    this.isOver = true
    this.over(this)
    this.settle.reject(failure)
    this.controller?.abort(failure)
  }
}

const tooLate = () =>
  new OutboundFailure('timeout', `There was no answer within ${ANSWER_TIMEOUT_MS / 1000} seconds.`)

const LOOPBACK = createAddressList(['127.0.0.1', '::1'])
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1']

/** Refuses before a packet is sent: literals here, names when they are looked up, and once more what was reached. */
function guardedConnector(policy: OutboundPolicy, resolve: ResolveName): buildConnector.connector {
  const connect = (allowed: BlockList, find: ResolveName) =>
    buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      allowH2: false,
      maxCachedSessions: 100,
      autoSelectFamily: true,
      lookup: guardedLookup(allowed, find),
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
    })
  const secure = connect(policy.allowed, resolve)
  const toLoopback = connect(LOOPBACK, async () => LOOPBACK_ADDRESSES)
  return (options, callback) => {
    const isPlain = options.protocol === 'http:'
    const isOpen = !isPlain || (policy.allowInsecureLoopback && isLoopbackName(options.hostname))
    const allowed = isPlain ? LOOPBACK : policy.allowed
    const refusal = isOpen ? findAddressFailure(options.hostname, allowed) : notSecure()
    if (refusal !== undefined) {
      queueMicrotask(() => callback(refusal, null))
      return
    }
    const callIfReached = callback as (error: Error | null, socket: Socket | null) => void
    ;(isPlain ? toLoopback : secure)(options, (error, socket) => {
      if (error !== null) return callIfReached(error, null)
      const reached = findAddressFailure(socket.remoteAddress ?? '', allowed)
      if (reached === undefined) return callIfReached(null, socket)
      socket.destroy()
      callIfReached(reached, null)
    })
  }
}

const notSecure = () => new OutboundFailure('address_refused', 'Only https addresses are connected to.')

/** Undefined for a name: that is decided when it is looked up. */
function findAddressFailure(address: string, allowed: BlockList): OutboundFailure | undefined {
  const what = isIP(address) === 0 ? undefined : explainForbiddenAddress(address, allowed)
  if (what === undefined) return undefined
  return new OutboundFailure('address_refused', `${address} is ${what}: it is not connected to.`)
}

/** One forbidden address among several refuses the name: whoever mixes them is not to be trusted with the choice. */
function guardedLookup(allowed: BlockList, resolve: ResolveName): LookupFunction {
  const find = async (name: string): Promise<readonly string[]> => {
    const addresses = await withDnsTimeout(name, resolve(name))
    for (const address of addresses) {
      const what = explainForbiddenAddress(address, allowed)
      if (what === undefined) continue
      const sentence = `${name} leads to ${address}, which is ${what}: it is not connected to.`
      throw new OutboundFailure('address_refused', sentence)
    }
    return addresses
  }
  return (name, options, callback) => {
    // Only an answer leaves the chain of promises: whatever a resolver gives that is no address, it ends in `failed`.
    const failed = (error?: unknown) =>
      callback(error instanceof OutboundFailure ? error : noSuchName(name), '', 4)
    find(name).then(addresses => {
      const [first] = addresses
      if (first === undefined) failed()
      else if (options.all)
        callback(
          null,
          addresses.map(address => ({ address, family: isIP(address) })),
        )
      else callback(null, first, isIP(first))
    }, failed)
  }
}

const noSuchName = (name: string) => new OutboundFailure('dns', `The name ${name} leads to no address.`)

/** The resolver has timeouts of its own for each try; this one is for all of them. */
const withDnsTimeout = (name: string, addresses: Promise<readonly string[]>) =>
  withTimeout(addresses, DNS_TOTAL_TIMEOUT_MS, () => {
    const within = `${DNS_TOTAL_TIMEOUT_MS / 1000} seconds`
    return new OutboundFailure(
      'dns',
      `The name ${name} leads to no address: no name server answered within ${within}.`,
    )
  })

/**
 * Asks the name servers by itself: the system's look-up takes one of four threads, and a name whose servers do not
 * answer would hold up all others. What no name server knows may still be in the hosts file. `servers`: others than the
 * system's, `address:port`.
 */
export function createNameResolver(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  return async name => {
    const found: string[] = []
    let isSilent = false
    const ask = async (query: Promise<string[]>) => {
      try {
        found.push(...(await query))
      } catch (error) {
        isSilent ||= findErrorCode(error) === 'ETIMEOUT'
        throw error
      }
    }
    const asked = [ask(resolver.resolve4(name)), ask(resolver.resolve6(name))]
    // Some servers never answer about one of the families.
    const either = Promise.any(asked).then(() => pause(OTHER_FAMILY_WAIT_MS, undefined, { ref: false }))
    await Promise.race([Promise.allSettled(asked), either.catch(() => undefined)])
    if (found.length > 0 || isSilent) return found
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
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'unreachable', 'There is no way to that address.'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'dns', 'The name leads to no address.'],
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
  // Most errors of the parser have a name and no code.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const [, failure, sentence] = FAILURES.find(([pattern]) => pattern.test(code)) ?? []
  if (failure === 'tls') return new OutboundFailure('tls', `${sentence}: ${error.message}.`)
  if (failure !== undefined && sentence !== undefined) return new OutboundFailure(failure, sentence)
  return new OutboundFailure('connection_closed', `The connection ended before an answer came (${code}).`)
}
