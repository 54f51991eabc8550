/** The server's public pages for commands that write them to files. */

import type { Config } from '../../kernel/config/config.ts'
import { assert } from '../../kernel/errors/errors.ts'
import { createLog } from '../../kernel/errors/log.ts'
import { openOutbound } from '../../kernel/http-out/outbound-http.ts'
import { openMailer } from '../../kernel/http-out/smtp.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import { openMediaServices } from '../../media/upkeep/media-services.ts'
import { createScanRecorder } from '../../scans/recorder.ts'
import { openPassport } from '../../site/passport/page-renderer.ts'
import type { FetchedPage, PublicPassport, StaticPages } from '../../transfer/static/passport-pages.ts'
import type { Store } from '../store/store.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { createServerApp } from './server-app.ts'

type PageSetup = { store: Store; config: Config; stopping: AbortSignal }

/** Runs `work` with a server that has no port. */
export async function withStaticPages<T>(
  { store, config, stopping }: PageSetup,
  work: (source: StaticPages) => Promise<T>,
): Promise<T> {
  const { createApp } = await import('./app.ts')
  const log = createLog({ ...config, logLevel: 'silent' })
  const scans = createScanRecorder({ sql: store.sql, clock: systemClock, log, geoMmdbPath: undefined })
  const outbound = openOutbound(buildWebhookSetup(config).policy)
  const mail = openMailer(undefined, log)
  const app = createServerApp({
    // Only the requests below reach this server; they must not count as a reader's.
    config: { ...config, trustedProxies: ['127.0.0.1'] },
    log,
    store,
    isForFiles: true,
    isStopping: () => false,
    create: createApp,
    scans,
    mail,
    outbound,
    media: openMediaServices(config.mediaPlace),
  })
  const { sql, addresses } = store
  const { secretCipher } = buildWebhookSetup(config)
  const pageSetup = { sql, addresses, secretCipher, nsUrl: config.nsUrl, clock: systemClock }
  const open = async (id: string): Promise<PublicPassport> => {
    stopping.throwIfAborted()
    const passport = await openPassport(pageSetup, id)
    assert(passport !== undefined, 'a listed passport exists')
    return passport
  }
  const fetchPage = async (path: string, accept: string): Promise<FetchedPage> => {
    stopping.throwIfAborted()
    // A page that is fetched ahead is not counted as a scan.
    const headers = { accept, 'sec-purpose': 'prefetch' }
    const answer = await app.inject({ method: 'GET', url: path, headers })
    return {
      status: answer.statusCode,
      type: String(answer.headers['content-type']),
      body: answer.rawPayload,
    }
  }
  try {
    const { publicUrl } = config
    return await work({ openPassport: open, fetchPage, publicUrl, namespace: findNamespacePath(config) })
  } finally {
    await Promise.all([app.close(), outbound.close()])
  }
}

/** The path of the vocabulary, when this server publishes it. */
function findNamespacePath({ publicUrl, nsUrl }: Pick<Config, 'publicUrl' | 'nsUrl'>): string | undefined {
  const path = nsUrl.slice(publicUrl.length + 1)
  return nsUrl.startsWith(`${publicUrl}/`) && /^[a-z0-9-]+(\/[a-z0-9-]+)*$/i.test(path) ? path : undefined
}
