/**
 * `fanout`: one statement that inserts 500 events, for an account with and without an endpoint, compared with
 * the same statement handed on to nobody.
 */

import { newUuid } from '../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../src/kernel/crypto/secret-cipher.ts'
import { createAddressList } from '../src/kernel/http/ip-ranges.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { announceEvents } from '../src/webhooks/insert-events.ts'
import { addWebhook } from '../src/webhooks/manage-webhooks.ts'
import type { Bench, BenchRow } from './environment.ts'
import { type BenchDatabase, measureInTurns, median } from './environment.ts'

const EVENTS = 500
const CALLS = 20
const SECRET_KEY = 'bench-bench-bench-bench-bench-bench'

export const fanOutRows: Bench = async stage => {
  const hall = await stage.openDatabase('fanout')
  const bare = await stage.openDatabase('fanout_bare')
  await bare.sql`drop trigger if exists event_fans_out on event`
  const [none, one] = [await stage.createTenant(hall), await stage.createTenant(hall)]
  const ctx = { sql: hall.sql, clock: systemClock, accountId: one.accountId, actorId: 1 }
  const policy = { allowInsecureLoopback: false, allowed: createAddressList([]) }
  await addWebhook(
    ctx,
    { secretCipher: createSecretCipher(SECRET_KEY), policy },
    { url: 'https://shop.example/' },
  )
  const figures = await measureInTurns({
    none: () => insert(hall, none.accountId),
    one: () => insert(hall, one.accountId),
    bare: () => insert(bare, 1, false),
  })
  const row = (name: string, ours: number): BenchRow => ({
    row: name,
    ours,
    limit: figures.bare,
    ratio: ours / figures.bare,
    unit: `ms for ${EVENTS} events in a statement, against handed on to nobody`,
  })
  return [row('fanout, no endpoint', figures.none), row('fanout, one endpoint', figures.one)]
}

/** Milliseconds of one statement, as the median of twenty. */
async function insert({ sql }: BenchDatabase, accountId: number, handsOn = true): Promise<number> {
  const times: number[] = []
  for (let call = 0; call < CALLS; call++) {
    const now = systemClock.now()
    const ids = Array.from({ length: EVENTS }, () => newUuid(now.getTime()))
    const began = performance.now()
    const rows = sql`
      select ${now}::timestamptz, ${accountId}::int, id, 'product.created',
        '{"id": "06f4k2m8n0p2q4r6s8t0v2w4x6", "category": "textile", "version_no": 1}'::jsonb
      from unnest(${ids}::text[]::uuid[]) id`
    await (handsOn
      ? sql`with ${announceEvents(sql, rows)} select`
      : sql`insert into event (created_at, account_id, id, type, data) ${rows}`)
    times.push(performance.now() - began)
  }
  return median(times)
}
