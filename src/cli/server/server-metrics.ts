/** What a server measures of itself, and what it says of the whole installation when it is asked. */
import type { AppSetup } from '../../app.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { Config } from '../../kernel/config/config.ts'
import type { FinishedStatement } from '../../kernel/db/connection-pool.ts'
import { getPoolUsage } from '../../kernel/db/connection-pool.ts'
import { type DatabaseState, findDatabaseState } from '../../kernel/db/database.ts'
import type { Log } from '../../kernel/log.ts'
import type { Metrics } from '../../kernel/monitoring/metrics.ts'
import { countOpenJobs } from '../../passports/units/refresh-job.ts'
import { getQueueSize } from '../../webhooks/queue-size.ts'
import type { Store } from '../store/store.ts'
import { gauge, machineText } from './machine-metrics.ts'
import type { Supervisor } from './parent-process.ts'

export type ServerMetrics = {
  metrics: Metrics
  door: NonNullable<AppSetup['metrics']>
  watchStore: (store: Store) => void
}

/** Undefined without METRICS_TOKEN: then nothing is counted either. */
export async function openMetrics(
  config: Config,
  boss: Supervisor | undefined,
): Promise<ServerMetrics | undefined> {
  const { metricsToken: token } = config
  if (token === undefined) return undefined
  const { createMetrics } = await import('../../kernel/monitoring/metrics.ts')
  const metrics = createMetrics()
  const { registry } = metrics
  boss?.onNumbers(() => registry.getMetricsAsJSON())
  let installation = async () => stateText('away')
  const machine = remembered(() => machineText(config))
  return {
    metrics,
    watchStore(store) {
      metrics.watchPool('requests', () => getPoolUsage(store.sql))
      store.onQueuePool(queue => metrics.watchPool('queue', () => getPoolUsage(queue)))
      installation = remembered(() => installationText(store))
    },
    door: {
      token,
      requestEnded: metrics.requestEnded,
      refused: metrics.refused,
      watchConnections: metrics.watchConnections,
      async text() {
        const [own, all, here] = await Promise.all([
          boss === undefined ? registry.metrics() : boss.numbersOfAll(),
          installation(),
          machine(),
        ])
        return `${own ?? (await registry.metrics())}\n${all}${here}`
      },
    },
  }
}

const REMEMBERED_MS = 5_000

/** Counting what waits takes some tenths of a second at a million: hardly more often than it is of use. */
function remembered(read: () => Promise<string>): () => Promise<string> {
  let last: { at: number; text: Promise<string> } | undefined
  return () => {
    const now = performance.now()
    if (last === undefined || now - last.at > REMEMBERED_MS) last = { at: now, text: read() }
    return last.text
  }
}

/** What all machines share; the same whichever of them is asked. Without the database there is only that it is away. */
async function installationText({ sql }: Store): Promise<string> {
  try {
    const state = await findDatabaseState(sql)
    const [queue, jobs] = await Promise.all([getQueueSize({ sql, clock: systemClock }), countOpenJobs(sql)])
    return [
      stateText(state === 'away' ? 'writable' : state),
      gauge('carnet_webhooks_due', 'Deliveries that are due, over the whole installation.', queue.due),
      gauge('carnet_webhooks_waiting', 'Deliveries that wait for a later attempt.', queue.waiting),
      gauge('carnet_webhooks_oldest_due_seconds', 'Since when the oldest is due.', queue.oldestDueSeconds),
      gauge('carnet_refresh_jobs_open', 'Refreshes behind an answer that are not done yet.', jobs),
    ].join('')
  } catch {
    return stateText('away')
  }
}

/** There from the first moment, also when the database never was: an alert on 0 has something to compare. */
const stateText = (state: DatabaseState): string =>
  gauge('carnet_database_up', 'Whether the database answers.', state === 'away' ? 0 : 1) +
  gauge('carnet_database_writable', 'Whether the database can be written to.', state === 'writable' ? 1 : 0)

const LONGEST_TEXT = 2_000

/** Logs slow statements, without what they were asked about, and counts all. Undefined when neither is wished for. */
export function statementWatcher(
  { slowQueryMs }: Config,
  log: Log,
  metrics: Metrics | undefined,
): ((statement: FinishedStatement) => void) | undefined {
  if (slowQueryMs === 0) return metrics?.statementEnded
  return statement => {
    metrics?.statementEnded(statement)
    if (statement.ms < slowQueryMs) return
    const text = statement.text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_TEXT)
    log.warn({ ms: Math.round(statement.ms), statement: text, failed: statement.failed }, 'a slow statement')
  }
}
