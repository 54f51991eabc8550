/** Starts the background work of a server: deliveries, scheduled tasks, and the watch over the shards. */

import type { Config } from '../../kernel/config/config.ts'
import { newUuid } from '../../kernel/crypto/ids.ts'
import { getPoolUsage } from '../../kernel/db/connection-pool.ts'
import { getShard, getShardNumber, listShards } from '../../kernel/db/shards.ts'
import type { Log } from '../../kernel/errors/log.ts'
import { openOutbound } from '../../kernel/http-out/outbound-http.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import type { MediaServices } from '../../media/upkeep/media-services.ts'
import { deriveBackupKey } from '../../transfer/backup/backup-key.ts'
import { createProcessConcurrency } from '../../webhooks/concurrency-limits.ts'
import { DeliveryWorker } from '../../worker/deliver.ts'
import { createFetchSlots } from '../../worker/media-fetcher.ts'
import { repeat } from '../../worker/repeat.ts'
import { startScheduledTasks } from '../../worker/scheduled-tasks.ts'
import { createThrottledLogger } from '../../worker/throttled-logger.ts'
import { VERSION } from '../command-line/version.ts'
import { getOrCreateSecretKey } from '../store/secret-key.ts'
import type { Store } from '../store/store.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import type { ServerMetrics } from './server-metrics.ts'

const SHARDS_INTERVAL_MS = 10_000

export type ServerWorker = ReturnType<typeof startWorker>

type WorkerParts = {
  config: Config
  log: Log
  store: Store
  metrics: ServerMetrics | undefined
  media: MediaServices
}

/** Starts scheduled tasks and deliveries, in each shard. Backups are of the whole database. */
export function startWorker({ config, log, store, metrics, media }: WorkerParts) {
  const { secretCipher, policy } = buildWebhookSetup(config)
  const deliverySql = store.openQueuePool()
  const clock = systemClock
  const processConcurrency = createProcessConcurrency()
  const fetchSlots = createFetchSlots()
  const leaseHolder = newUuid(clock.now().getTime())
  const backups = config.backups && {
    ...config.backups,
    openPool: store.openPoolOfOne,
    clock,
    key: deriveBackupKey(getOrCreateSecretKey(config)),
    version: VERSION,
    mediaStore: media.mediaStore,
  }
  const registry = { clock, secretCipher, addresses: store.addresses, nsUrl: config.nsUrl }
  const shards = new Map<object, { worker: DeliveryWorker; tasks: ReturnType<typeof startScheduledTasks> }>()
  /** In shards that have none yet. */
  const start = () => {
    for (const sql of listShards(store.sql).filter(shard => !shards.has(shard))) {
      const queue = getShard(deliverySql, getShardNumber(sql))
      const outbound = openOutbound(policy)
      const setup = { sql: queue, clock, log, secretCipher, outbound, processConcurrency, leaseHolder }
      const worker = new DeliveryWorker(setup)
      const own = shards.size === 0 ? backups : undefined
      const timeStamping = config.tsaUrl === undefined ? undefined : { outbound, url: config.tsaUrl }
      const files = { ...media, outbound: openOutbound(policy), slots: fetchSlots }
      const shard = { sql, deliverySql: queue, clock, log, registry, media: files }
      const tasks = startScheduledTasks({ ...shard, timeStamping, backups: own })
      shards.set(sql, { worker, tasks })
      worker.start()
    }
  }
  start()
  const list = () => [...shards.values()]
  metrics?.metrics.watchPool('queue', () => getPoolUsage(deliverySql))
  metrics?.metrics.watchDeliveries(() => ({
    inFlight: processConcurrency.inFlight,
    outcomes: sumByName(list().map(({ worker }) => worker.getMetrics().outcomes)),
  }))
  return {
    start,
    async stop() {
      await Promise.all(list().flatMap(({ tasks, worker }) => [tasks.stop(), worker.finishSending()]))
      await Promise.all(list().map(({ worker }) => worker.releaseLeases()))
    },
  }
}

function sumByName(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [name, n] of counts.flatMap(Object.entries)) sums[name] = (sums[name] ?? 0) + n
  return sums
}

/** Finds shards that were created or moved since. On a plain PostgreSQL it does nothing. */
export function watchShards(log: Log, store: Store, worker: ServerWorker | undefined) {
  if (!store.isDistributed) return { stop: async () => {} }
  const message = 'the nodes of the shards could not be read; connections stay as they are'
  const logger = createThrottledLogger(log, 'warn', { work: 'shards' }, message)
  const find = async () => {
    if (await store.openShards()) worker?.start()
  }
  return repeat(find, SHARDS_INTERVAL_MS, logger)
}
