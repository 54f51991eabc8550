/**
 * `isolation`: 45 good endpoints beside five bad ones, compared with the 45 alone: how long an event takes,
 * and the worker's memory.
 */
import { readFileSync } from 'node:fs'
import { newUuid } from '../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../src/kernel/crypto/secret-cipher.ts'
import { createAddressList } from '../src/kernel/http/ip-ranges.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { announceEvents } from '../src/webhooks/insert-events.ts'
import { addWebhook } from '../src/webhooks/manage-webhooks.ts'
import { startBadReceivers } from '../test/webhooks/bad-receivers.ts'
import type { Bench, BenchEnvironment, BenchRow, Server } from './environment.ts'

const GOOD = 45
const PER_ACCOUNT = 15
const ROUNDS = 60
const EVERY_MS = 200
const SECRET_KEY = 'bench-bench-bench-bench-bench-bench'

export const isolationRows: Bench = async stage => {
  const alone = await run(stage, 'alone', [])
  const bad = await startBadReceivers()
  const beside = await run(stage, 'beside', bad.urls)
  await bad.close()
  const row = (name: string, ours: number, limit: number, unit: string): BenchRow => ({
    row: name,
    ours,
    limit,
    ratio: ours / limit,
    unit,
  })
  return [
    row(
      'isolation',
      beside.delay,
      alone.delay,
      'ms from event to receipt, median; five bad endpoints against none',
    ),
    row('isolation, memory', beside.lastMiB, beside.halfMiB, 'MiB of the worker at the end against half-way'),
  ]
}

type Figures = { delay: number; halfMiB: number; lastMiB: number }

/** One event for each account every 200 ms, for twelve seconds. */
async function run(stage: BenchEnvironment, name: string, badUrls: readonly string[]): Promise<Figures> {
  const hall = await stage.openDatabase(`isolation_${name}`)
  const receiver = await stage.startServer(hall, 'receiver.ts')
  const policy = { allowInsecureLoopback: true, allowed: createAddressList([]) }
  const setup = { secretCipher: createSecretCipher(SECRET_KEY), policy }
  const accounts: number[] = []
  for (let n = 0; n < GOOD / PER_ACCOUNT; n++) {
    const { accountId } = await stage.createTenant(hall)
    accounts.push(accountId)
    const ctx = { sql: hall.sql, clock: systemClock, accountId, actorId: 1 }
    const good = Array.from({ length: PER_ACCOUNT }, () => `http://127.0.0.1:${receiver.port}/hook`)
    for (const url of n === 0 ? [...badUrls, ...good] : good) await addWebhook(ctx, setup, { url })
  }
  const worker = await stage.startServer(hall, 'deliver.ts', { secretKey: SECRET_KEY })
  let halfMiB = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (const account of accounts) await announce(hall.sql, account)
    await new Promise(resolve => setTimeout(resolve, EVERY_MS))
    if (round === ROUNDS / 2) halfMiB = memoryOf(worker)
  }
  await arrived(receiver, ROUNDS * GOOD)
  const lastMiB = memoryOf(worker)
  const [row] = await hall.sql<{ ms: number }[]>`
    select percentile_cont(0.5) within group (order by extract(epoch from a.at - e.created_at) * 1000 + a.duration_ms)::float8 as ms
    from webhook_attempt a join event e on e.id = a.event_id and e.account_id = a.account_id
    join webhook_endpoint w on w.account_id = a.account_id and w.id = a.endpoint_id
    where w.url like '%/hook' and a.outcome = 'delivered'`
  await Promise.all([worker.stop(), receiver.stop()])
  return { delay: row?.ms ?? Number.NaN, halfMiB, lastMiB }
}

async function announce(sql: Parameters<typeof announceEvents>[0], accountId: number): Promise<void> {
  const now = systemClock.now()
  const rows = sql`
    select ${now}::timestamptz, ${accountId}::int, ${newUuid(now.getTime())}::uuid, 'product.updated',
      '{"id": "06f4k2m8n0p2q4r6s8t0v2w4x6", "category": "textile", "version_no": 2}'::jsonb`
  await sql`with ${announceEvents(sql, rows)} select`
}

async function arrived({ port }: Server, count: number): Promise<void> {
  const until = performance.now() + 30_000
  while (performance.now() < until) {
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    if (((await answer.json()) as { count: number }).count >= count) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error('not all have arrived')
}

function memoryOf({ pid }: Server): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}
