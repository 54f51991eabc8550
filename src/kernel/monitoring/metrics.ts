/** The numbers of one process, in Prometheus' words: what was asked and answered, the database, the event loop. Never a name or an address. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { FinishedStatement } from '../db/connection-pool.ts'
import type { PoolUsage } from '../db/pool-queue.ts'
import type { ConnectionNumbers } from '../http/connection-guard.ts'
import type { SecurityEvent } from './security-events.ts'

/** `route` is a template, such as `/p/:id`; `none` where no route took the request. */
type RequestEnd = { method: string; route: string; status: number; seconds: number }
type PageOutcome = 'ready' | 'made' | 'stale' | 'refused'

export type Metrics = {
  registry: Registry
  requestEnded: (end: RequestEnd) => void
  /** `code` is one of the API's error codes. */
  refused: (code: string) => void
  securityEvent: (event: SecurityEvent) => void
  page: (outcome: PageOutcome) => void
  /** Of the server that listens now. */
  watchConnections: (numbers: () => ConnectionNumbers) => void
  watchPages: (bytes: () => number) => void
  statementEnded: (statement: FinishedStatement) => void
  /** Tells of a pool by its name. */
  watchPool: (name: string, numbers: () => PoolUsage) => void
  /** Totals that another part counts itself, by outcome. */
  watchDeliveries: (numbers: () => { inFlight: number; outcomes: Readonly<Record<string, number>> }) => void
}

const ANSWER_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const LAG_PRECISION_MS = 10
const NANOSECONDS = 1e9
const LAG_PERCENTILE = 99

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  watchLag(registers)
  const requests = new Counter({
    name: 'carnet_http_requests_total',
    help: 'Requests answered, by route template and class of status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'carnet_http_request_duration_seconds',
    help: 'From the first byte of a request to the last of its answer.',
    labelNames: ['route'],
    buckets: ANSWER_SECONDS,
    registers,
  })
  const refusals = new Counter({
    name: 'carnet_refusals_total',
    help: 'Refusals by error code; rate_limited and unavailable among them.',
    labelNames: ['code'],
    registers,
  })
  const securityEvents = new Counter({
    name: 'carnet_security_events_total',
    help: 'Refused sign-ins, proofs, links, keys, rights and forms of other sites, by event.',
    labelNames: ['event'],
    registers,
  })
  const pages = new Counter({
    name: 'carnet_pages_total',
    help: 'Public pages by where they came from: ready in memory, made, stale while the database was away, or refused to a network that had too many made.',
    labelNames: ['from'],
    registers,
  })
  const { statementEnded, watchPool } = databaseMetrics(registers)
  return {
    registry,
    requestEnded({ method, route, status, seconds: took }) {
      requests.inc({ method, route, status: `${Math.floor(status / 100)}xx` })
      seconds.observe({ route }, took)
    },
    refused: code => refusals.inc({ code }),
    securityEvent: event => securityEvents.inc({ event }),
    page: from => pages.inc({ from }),
    watchConnections: connectionMetrics(registers),
    watchPages(bytes) {
      gauge(registers, 'carnet_page_cache_bytes', 'Memory that ready pages take.', bytes)
    },
    statementEnded,
    watchPool,
    watchDeliveries: numbers => watchDeliveries(registers, numbers),
  }
}

function gauge(registers: Registry[], name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read())
    },
  })
}

/** How late the event loop comes: what a client waits before anything is done for it. The worst process counts. */
function watchLag(registers: Registry[]): void {
  const lag = monitorEventLoopDelay({ resolution: LAG_PRECISION_MS })
  lag.enable()
  new Gauge({
    name: 'carnet_event_loop_lag_p99_seconds',
    help: 'Delay of the event loop, 99th percentile since it was last asked for; the worst process of the machine.',
    registers,
    aggregator: 'max',
    collect() {
      const late = lag.percentile(LAG_PERCENTILE) / NANOSECONDS - LAG_PRECISION_MS / 1000
      this.set(Math.max(0, late))
      lag.reset()
    },
  })
}

function connectionMetrics(registers: Registry[]): Metrics['watchConnections'] {
  let read = (): ConnectionNumbers | undefined => undefined
  new Gauge({
    name: 'carnet_http_connections',
    help: 'Connections of clients: open, and the limit.',
    labelNames: ['state'],
    registers,
    collect() {
      const { open = 0, limit = 0 } = read() ?? {}
      this.set({ state: 'open' }, open)
      this.set({ state: 'limit' }, limit)
    },
  })
  const ended = new Counter({
    name: 'carnet_http_connections_ended_total',
    help: 'Connections refused at the limit of all (total) or of one network (network), cut because answers were left unread (stalled) or because too many requests were sent at once (pipelined).',
    labelNames: ['reason'],
    registers,
    collect() {
      ended.reset()
      for (const [reason, count] of Object.entries(read()?.ended ?? {})) ended.inc({ reason }, count)
    },
  })
  return numbers => {
    read = numbers
  }
}

function databaseMetrics(registers: Registry[]): Pick<Metrics, 'statementEnded' | 'watchPool'> {
  const seconds = new Histogram({
    name: 'carnet_db_statement_duration_seconds',
    help: 'From asking for a statement to its end, the wait for a connection included.',
    buckets: ANSWER_SECONDS,
    registers,
  })
  const failures = new Counter({
    name: 'carnet_db_statements_failed_total',
    help: 'Statements that the database refused or that were lost with their connection.',
    registers,
  })
  const pools = new Map<string, () => PoolUsage>()
  const connections = new Gauge({
    name: 'carnet_db_connections',
    help: 'Connections by pool: at most, and at work.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, numbers] of pools) {
        const { size, busy } = numbers()
        connections.set({ pool, state: 'most' }, size)
        connections.set({ pool, state: 'busy' }, busy)
      }
    },
  })
  const waiting = new Gauge({
    name: 'carnet_db_waiting',
    help: 'Statements and transactions that wait for a connection.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, numbers] of pools) waiting.set({ pool }, numbers().waiting)
    },
  })
  return {
    statementEnded({ ms, failed }) {
      seconds.observe(ms / 1000)
      if (failed) failures.inc()
    },
    watchPool: (name, numbers) => pools.set(name, numbers),
  }
}

function watchDeliveries(registers: Registry[], numbers: Parameters<Metrics['watchDeliveries']>[0]): void {
  gauge(registers, 'carnet_webhook_attempts_in_flight', 'Webhooks on their way.', () => numbers().inFlight)
  const attempts = new Counter({
    name: 'carnet_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by outcome.',
    labelNames: ['outcome'],
    registers,
    collect() {
      attempts.reset()
      for (const [outcome, count] of Object.entries(numbers().outcomes)) attempts.inc({ outcome }, count)
    },
  })
}
