/** The app as the server runs it. The static export asks the same app for its pages. */
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../kernel/config/config.ts'
import { findDatabaseState, isDatabaseDiskFull } from '../../kernel/db/database.ts'
import type { Log } from '../../kernel/errors/log.ts'
import { createSecurityLog } from '../../kernel/monitoring/security-events.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import { VERSION } from '../command-line/version.ts'
import { getOrCreateSecretKey } from '../store/secret-key.ts'
import type { Store } from '../store/store.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import type { AppSetup } from './app.ts'
import type { ServerMetrics } from './server-metrics.ts'

export type ServerAppParts = Pick<AppSetup, 'scans' | 'mail' | 'outbound' | 'media' | 'isForFiles'> & {
  config: Config
  log: Log
  store: Store
  metrics?: ServerMetrics | undefined
  /** A server that stops is not ready, so that load balancers leave it. */
  isStopping: () => boolean
  create: (setup: AppSetup) => FastifyInstance
}

const READINESS = { writable: 'ready', 'read-only': 'read-only', unreachable: 'not ready' } as const

export function createServerApp(parts: ServerAppParts): FastifyInstance {
  const {
    config,
    log,
    store,
    metrics,
    isStopping,
    create,
    scans,
    mail,
    outbound,
    media,
    isForFiles = false,
  } = parts
  const { sql, openPoolOfOne, addresses } = store
  return create({
    ...config,
    sql,
    openPoolOfOne,
    clock: systemClock,
    log,
    addresses,
    scans,
    mail,
    outbound,
    media,
    isForFiles,
    secretKey: getOrCreateSecretKey(config),
    security: createSecurityLog({ log, clock: systemClock, count: metrics?.metrics.countSecurityEvent }),
    secretCipher: buildWebhookSetup(config).secretCipher,
    version: VERSION,
    async findReadiness(forWrites) {
      const readiness = isStopping() ? 'not ready' : READINESS[await findDatabaseState(sql)]
      return forWrites && readiness === 'ready' && (await isDatabaseDiskFull(sql)) ? 'disk full' : readiness
    },
    metrics: metrics?.door,
    pageMetrics: metrics?.metrics,
  })
}
