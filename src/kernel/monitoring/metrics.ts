/** The metrics of one process for Prometheus: requests, database, event loop. They contain no names. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { FinishedStatement } from '../db/connections.ts'
import type { PoolUsage } from '../db/pool-queue.ts'
import type { ConnectionNumbers } from '../http/connection-guard.ts'
import type { SecurityEvent } from './security-events.ts'

export type Metrics = ReturnType<typeof createMetrics>

const DURATION_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const LAG_PRECISION_MS = 10
const NANOSECONDS = 1e9
const LAG_PERCENTILE = 99

export type PageSource = keyof typeof PAGE_LABEL
/** Dashboards know these values of `from`. */
const PAGE_LABEL = { cached: 'ready', rendered: 'made', stale: 'stale', rejected: 'refused' }

export function createMetrics() {
  const registry = new Registry()
  const make = createInstruments(registry)
  collectDefaultMetrics({ register: registry })
  watchLag(registry)
  const requests = make.counter(
    'carnet_http_requests_total',
    'Requests answered, by route template and class of status.',
    ['method', 'route', 'status'],
  )
  const seconds = make.durations(
    'carnet_http_request_duration_seconds',
    'From the first byte of a request to the last of its answer.',
    ['route'],
  )
  const refusals = make.counter(
    'carnet_refusals_total',
    'Error responses by code, including rate_limited and unavailable.',
    ['code'],
  )
  const securityEvents = make.counter(
    'carnet_security_events_total',
    'Refused sign-ins, password confirmations, links and keys, missing rights and cross-site forms, by event.',
    ['event'],
  )
  const pages = make.counter(
    'carnet_pages_total',
    'Public pages by source: prepared in memory, rendered, stale while the database was unavailable, or refused because the network requested too many uncached pages.',
    ['from'],
  )
  return {
    registry,
    /** `route` is a template, such as `/p/:id`; `none` if no route matched. */
    countRequest(request: { method: string; route: string; status: number; seconds: number }) {
      const { method, route, status } = request
      requests.inc({ method, route, status: `${Math.floor(status / 100)}xx` })
      seconds.observe({ route }, request.seconds)
    },
    /** `code` is one of the API's error codes. */
    countError: (code: string) => refusals.inc({ code }),
    countSecurityEvent: (event: SecurityEvent) => securityEvents.inc({ event }),
    countPage: (source: PageSource) => pages.inc({ from: PAGE_LABEL[source] }),
    ...databaseMetrics(make),
    watchConnections: connectionMetrics(make),
    watchPageCacheSize(bytes: () => number) {
      make.gauge('carnet_page_cache_bytes', 'Memory used by prepared pages.', gauge => gauge.set(bytes()))
    },
    watchDeliveries(numbers: () => { inFlight: number; outcomes: Readonly<Record<string, number>> }) {
      make.gauge('carnet_webhook_attempts_in_flight', 'Webhook requests in progress.', gauge =>
        gauge.set(numbers().inFlight),
      )
      const help = 'Attempts to deliver a webhook, by outcome.'
      make.totals('carnet_webhook_attempts_total', help, 'outcome', () => numbers().outcomes)
    },
  }
}

type Instruments = ReturnType<typeof createInstruments>

function createInstruments(registry: Registry) {
  const registers = [registry]
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers })
  return {
    counter,
    durations: (name: string, help: string, labelNames: string[] = []) =>
      new Histogram({ name, help, labelNames, buckets: DURATION_SECONDS, registers }),
    /** `read` sets the value whenever the metrics are requested. */
    gauge: (name: string, help: string, read: (gauge: Gauge) => void, labelNames: string[] = []) =>
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect() {
          read(this)
        },
      }),
    /** Totals that another part counts, by the values of `label`. */
    totals: (name: string, help: string, label: string, read: () => Readonly<Record<string, number>>) =>
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset()
          for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count)
        },
      }),
  }
}

/** How late the event loop runs: every request waits for it. The slowest process counts. */
function watchLag(registry: Registry): void {
  const lag = monitorEventLoopDelay({ resolution: LAG_PRECISION_MS })
  lag.enable()
  new Gauge({
    name: 'carnet_event_loop_lag_p99_seconds',
    help: 'Delay of the event loop, 99th percentile since the metrics were last read; the slowest process of the machine.',
    registers: [registry],
    aggregator: 'max',
    collect() {
      const late = lag.percentile(LAG_PERCENTILE) / NANOSECONDS - LAG_PRECISION_MS / 1000
      this.set(Math.max(0, late))
      lag.reset()
    },
  })
}

function connectionMetrics(make: Instruments) {
  let read = (): ConnectionNumbers | undefined => undefined
  make.gauge(
    'carnet_http_connections',
    'Client connections: the open ones, and the limit.',
    gauge => {
      const { open = 0, limit = 0 } = read() ?? {}
      gauge.set({ state: 'open' }, open)
      gauge.set({ state: 'limit' }, limit)
    },
    ['state'],
  )
  make.totals(
    'carnet_http_connections_ended_total',
    'Connections that were refused at the total limit (total) or at the limit of a network (network), or cut because answers were not read (stalled) or too many requests were sent at once (pipelined).',
    'reason',
    () => read()?.ended ?? {},
  )
  return (numbers: () => ConnectionNumbers) => {
    read = numbers
  }
}

function databaseMetrics(make: Instruments) {
  const seconds = make.durations(
    'carnet_db_statement_duration_seconds',
    'From the request for a statement to its end, including the wait for a connection.',
  )
  const failures = make.counter(
    'carnet_db_statements_failed_total',
    'Statements that the database refused or that were lost with their connection.',
  )
  const pools = new Map<string, () => PoolUsage>()
  make.gauge(
    'carnet_db_connections',
    'Database connections by pool: the maximum, and those in use.',
    gauge => {
      for (const [pool, numbers] of pools) {
        const { size, busy } = numbers()
        gauge.set({ pool, state: 'most' }, size)
        gauge.set({ pool, state: 'busy' }, busy)
      }
    },
    ['pool', 'state'],
  )
  make.gauge(
    'carnet_db_waiting',
    'Statements and transactions that wait for a connection.',
    gauge => {
      for (const [pool, numbers] of pools) gauge.set({ pool }, numbers().waiting)
    },
    ['pool'],
  )
  return {
    statementEnded({ ms, failed }: FinishedStatement) {
      seconds.observe(ms / 1000)
      if (failed) failures.inc()
    },
    /** Pools are distinguished by name. */
    watchPool: (name: string, numbers: () => PoolUsage) => pools.set(name, numbers),
  }
}
