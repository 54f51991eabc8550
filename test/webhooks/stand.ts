/** The setup for webhook tests: a database, receivers on this machine, and a worker with the test's clock. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newUuid } from '../../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { createLog, type Log } from '../../src/kernel/errors/log.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { type Outbound, openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { announceEvents } from '../../src/webhooks/insert-events.ts'
import { addWebhook, type NewWebhook, type WebhookSetup } from '../../src/webhooks/manage-webhooks.ts'
import type { WebhookRecord } from '../../src/webhooks/webhook.ts'
import { DeliveryWorker } from '../../src/worker/deliver.ts'
import { endPools, getTestShard, type TestDatabase } from '../database.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'

export const SECRET_KEY = 'a secret key that only tests know, long enough'
export const POLICY = { allowInsecureLoopback: true, allowed: createAddressList([]) }
export const LOG = createLog({ logLevel: 'silent', logFormat: 'json' })

export type Received = { headers: Record<string, string>; text: string; path: string; at: number }
export type Respond = (request: IncomingMessage, response: ServerResponse, received: Received) => void

export type Receiver = {
  url: string
  received: Received[]
  respond: Respond
  close: () => Promise<void>
}

/** Responds 204 by default. */
export async function startReceiver(
  respond: Respond = (_, response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = []
  const receiver = { respond } as Receiver
  const server: Server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', () => {
      const headers = request.headers as Record<string, string>
      const one = { headers, text, path: request.url ?? '', at: performance.now() }
      received.push(one)
      receiver.respond(request, response, one)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

export type Stand = Omit<Harness, 'setup'> & {
  setup: WebhookSetup & Pick<Harness['setup'], 'media'>
  outbound: Outbound
  queue: Sql
  /** A worker that delivers only when `drain` is called, unless it is started. */
  worker: (settings?: {
    leaseMs?: number
    random?: () => number
    outbound?: Outbound
    log?: Log
  }) => DeliveryWorker
  endpoint: (account: TestAccount, input: NewWebhook) => Promise<WebhookRecord & { secret: string }>
  /** Inserts events directly and returns their ids. */
  announce: (account: TestAccount, count?: number, type?: string, sql?: Sql) => Promise<string[]>
}

/** `database`: a shared one, dropped by its creator. */
export async function startStand(database?: TestDatabase): Promise<Stand> {
  const harness = await startHarness(database === undefined ? {} : { database })
  const { clock } = harness
  const queues = await harness.openPools({ max: 3, forQueue: true, name: 'test queue' })
  const queue = getTestShard(queues)
  const { media } = harness.setup
  const setup = { secretCipher: createSecretCipher(SECRET_KEY), policy: POLICY, media }
  const outbound = openOutbound(POLICY)
  const workers: DeliveryWorker[] = []
  return {
    ...harness,
    setup,
    outbound,
    queue,
    worker(settings = {}) {
      const worker = new DeliveryWorker({
        sql: queue,
        clock,
        log: LOG,
        secretCipher: setup.secretCipher,
        outbound: openOutbound(POLICY),
        ...settings,
      })
      workers.push(worker)
      return worker
    },
    endpoint: (account, input) => addWebhook(account.ctx, setup, input),
    announce: (account, count = 1, type = 'product.updated', sql = harness.sql) =>
      announce({ sql, clock }, account, count, type),
    async close() {
      for (const worker of workers) await worker.stop()
      await outbound.close()
      await endPools(queues)
      await harness.close()
    },
  }
}

async function announce(
  { sql, clock }: Pick<Harness, 'sql' | 'clock'>,
  account: TestAccount,
  count: number,
  type: string,
): Promise<string[]> {
  const now = clock.now()
  const ids = Array.from({ length: count }, () => newUuid(now.getTime()))
  const rows = sql`
    select ${now}::timestamptz, ${account.id}::int, id, ${type}::text,
      jsonb_build_object('id', id::text, 'category', 'textile', 'version_no', 2)
    from unnest(${ids}::text[]::uuid[]) id`
  await sql`with ${announceEvents(sql, rows)} select`
  return ids
}
