/**
 * `webhooks`: 10,000 events to one healthy endpoint on this machine, compared with undici in a loop that only
 * sends.
 */

import { newUuid } from '../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../src/kernel/crypto/secret-cipher.ts'
import { createAddressList } from '../src/kernel/http/ip-ranges.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { announceEvents } from '../src/webhooks/insert-events.ts'
import { addWebhook } from '../src/webhooks/manage-webhooks.ts'
import { signEvent } from '../src/webhooks/sign.ts'
import type { Bench } from './environment.ts'
import { type BenchDatabase, measureInTurns, type Server, type Tenant } from './environment.ts'

const EVENTS = 10_000
const CONNECTIONS = 32
const WITHIN_MS = 60_000
const SECRET_KEY = 'bench-bench-bench-bench-bench-bench'

export const webhookRows: Bench = async stage => {
  const hall = await stage.openDatabase('webhooks')
  const tenant = await stage.createTenant(hall)
  const receiver = await stage.startServer(hall, 'receiver.ts')
  const poster = await stage.startServer(hall, 'poster.ts')
  const worker = await stage.startServer(hall, 'deliver.ts', { secretKey: SECRET_KEY })
  const origin = `http://127.0.0.1:${receiver.port}`
  const policy = { allowInsecureLoopback: true, allowed: createAddressList([]) }
  const ctx = { sql: hall.sql, clock: systemClock, accountId: tenant.accountId, actorId: 1 }
  await addWebhook(ctx, { secretCipher: createSecretCipher(SECRET_KEY), policy }, { url: `${origin}/hook` })
  const figures = await measureInTurns({
    ours: () => deliver(hall, tenant, receiver),
    bare: () => post(poster, `${origin}/bare`),
  })
  await Promise.all([worker.stop(), poster.stop(), receiver.stop()])
  const { ours, bare } = figures
  const unit = `events/s, ${EVENTS} events to one endpoint; the bare loop has ${CONNECTIONS} connections`
  return [{ row: 'webhooks', ours, limit: bare, ratio: ours / bare, unit }]
}

/** Events per second, from the moment they are stored until the last has arrived. */
async function deliver({ sql }: BenchDatabase, { accountId }: Tenant, receiver: Server): Promise<number> {
  const before = await counted(receiver)
  const now = systemClock.now()
  const ids = Array.from({ length: EVENTS }, () => newUuid(now.getTime()))
  const rows = sql`
    select ${now}::timestamptz, ${accountId}::int, id, 'product.updated',
      '{"id": "06f4k2m8n0p2q4r6s8t0v2w4x6", "category": "textile", "version_no": 2}'::jsonb
    from unnest(${ids}::text[]::uuid[]) id`
  await sql`with ${announceEvents(sql, rows)} select`
  const began = performance.timeOrigin + performance.now()
  for (;;) {
    const { count, distinct, lastAt } = await counted(receiver)
    if (count >= before.count + EVENTS) {
      if (count !== distinct) throw new Error(`${count - distinct} events came twice`)
      return EVENTS / ((lastAt - began) / 1000)
    }
    if (performance.timeOrigin + performance.now() > began + WITHIN_MS) throw new Error('they did not arrive')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

async function counted({ port }: Server): Promise<{ count: number; distinct: number; lastAt: number }> {
  const answer = await fetch(`http://127.0.0.1:${port}/`)
  return (await answer.json()) as { count: number; distinct: number; lastAt: number }
}

async function post({ port }: Server, url: string): Promise<number> {
  const data = '{"id": "06f4k2m8n0p2q4r6s8t0v2w4x6", "category": "textile", "version_no": 2}'
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const message = { id: '06f4k2m8n0p2q4r6s8t0v2w4x6', event: 'product.updated', data, at: systemClock.now() }
  const { body, headers } = signEvent(message, { standardWebhooks: [secret], serviceSignature: secret })
  const wish = { url, count: EVENTS, connections: CONNECTIONS, headers, body }
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(wish) })
  return Number(await answer.text())
}
