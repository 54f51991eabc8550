/**
 * Limits concurrent deliveries by endpoint, account and process. Slow or failing endpoints get few permits.
 */
import { MAX_WEBHOOKS } from './webhook.ts'

const MAX_PER_ENDPOINT = 32
const FIRST_LIMIT = 4
const SLOW_LIMIT = 2
const FAILING_LIMIT = 1
export const FAST_MS = 1_000
/** Permits reserved for each endpoint. Beyond these, all endpoints of an account share MAX_SHARED. */
const RESERVED_PER_ENDPOINT = 5
const MAX_PER_ACCOUNT = 128
const MAX_SHARED = MAX_PER_ACCOUNT - MAX_WEBHOOKS * RESERVED_PER_ENDPOINT
/** Bounds open sockets, and memory for responses of up to 16 KiB each. */
const MAX_PER_PROCESS = 512
/** Endpoints whose last response was not fast get at most half of the permits of the process. */
const MAX_SLOW = MAX_PER_PROCESS / 2

export type EndpointConcurrency = { limit: number; inFlight: number; isFast: boolean }
export type AccountConcurrency = { shared: number }
export type ProcessConcurrency = {
  inFlight: number
  slow: number
  /** For accounts on several shards: the workers of these shards share them. */
  accounts: Map<number, AccountConcurrency>
  endpoints: Map<string, EndpointConcurrency>
}

export const createProcessConcurrency = (): ProcessConcurrency => ({
  inFlight: 0,
  slow: 0,
  accounts: new Map(),
  endpoints: new Map(),
})

export const createEndpointConcurrency = (): EndpointConcurrency => ({
  limit: FIRST_LIMIT,
  inFlight: 0,
  isFast: false,
})

/** Counts a delivery against all three limits. Returns its release; undefined if a limit is reached. */
export function acquirePermit(
  endpoint: EndpointConcurrency,
  account: AccountConcurrency,
  process: ProcessConcurrency,
): (() => void) | undefined {
  const isShared = endpoint.inFlight >= RESERVED_PER_ENDPOINT
  if (endpoint.inFlight >= endpoint.limit || process.inFlight >= MAX_PER_PROCESS) return undefined
  if (isShared && account.shared >= MAX_SHARED) return undefined
  const isSlow = !endpoint.isFast
  if (isSlow && process.slow >= MAX_SLOW) return undefined
  const change = (by: 1 | -1) => {
    endpoint.inFlight += by
    process.inFlight += by
    if (isSlow) process.slow += by
  }
  change(1)
  if (isShared) account.shared++
  return () => {
    if (isShared) account.shared--
    change(-1)
  }
}

/** Raises the endpoint's limit by one after a fast success; lowers it to a small one after anything else. */
export function adaptLimit(endpoint: EndpointConcurrency, result: { ok: boolean; ms: number }): void {
  endpoint.isFast = result.ok && result.ms < FAST_MS
  if (endpoint.isFast) endpoint.limit = Math.min(endpoint.limit + 1, MAX_PER_ENDPOINT)
  else endpoint.limit = result.ok ? SLOW_LIMIT : FAILING_LIMIT
}
