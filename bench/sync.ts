/**
 * `sync`: 10,000 models by POST /products/bulk, 500 per call, compared with bare statements for the same rows
 * over one connection; then the same data again, unchanged and with a change.
 */
import { newUuid } from '../src/kernel/crypto/ids.ts'
import { bodyOf } from '../test/fill-database.ts'
import type { Bench, BenchRow } from './environment.ts'
import { type BenchDatabase, median, ROUNDS, type Server, type Tenant } from './environment.ts'
import { load, request } from './load.ts'
import { CALL } from './units.ts'

const MODELS = 10_000

export const syncRows: Bench = async stage => {
  const hall = await stage.openDatabase('sync')
  const ours = await stage.startServer(hall, 'ours.ts')
  const rounds: Record<'bare' | 'created' | 'unchanged' | 'updated', number>[] = []
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    const mine = await stage.createTenant(hall)
    const theirs = await stage.createTenant(hall)
    rounds.push({
      bare: await perSecond(from => insert(hall, theirs, from)),
      created: await perSecond(from => call(ours, mine, from, {})),
      unchanged: await perSecond(from => call(ours, mine, from, {})),
      updated: await perSecond(from => call(ours, mine, from, { weightGrams: 200 + round })),
    })
  }
  await ours.stop()
  const of = (what: keyof (typeof rounds)[number]) => median(rounds.slice(1).map(round => round[what]))
  const row = (name: string, what: 'created' | 'unchanged' | 'updated'): BenchRow => ({
    row: name,
    ours: of(what),
    limit: of('bare'),
    ratio: of(what) / of('bare'),
    unit: `models/s, ${MODELS} in calls of ${CALL}, against bare inserts`,
  })
  return [row('sync', 'created'), row('sync, again', 'unchanged'), row('sync, one field changed', 'updated')]
}

async function perSecond(work: (from: number) => Promise<void>): Promise<number> {
  const started = performance.now()
  for (let from = 0; from < MODELS; from += CALL) await work(from)
  return MODELS / ((performance.now() - started) / 1000)
}

async function call(server: Server, tenant: Tenant, from: number, change: object): Promise<void> {
  const items = Array.from({ length: CALL }, (_, i) => ({
    category: 'textile',
    data: { ...bodyOf(from + i), ...change },
  }))
  const body = JSON.stringify({ items })
  const text = request('POST', '/api/v1/products/bulk', { authorization: `Bearer ${tenant.key}` }, body)
  const tally = await load({ port: server.port, connections: 1, seconds: 0, next: () => text })
  if (tally.failed > 0) throw new Error('a bulk call failed')
}

/** Inserts the rows of 500 models without look-up, check, response or HTTP. */
export async function insert({ sql }: BenchDatabase, { accountId }: Tenant, from: number): Promise<void> {
  const now = new Date()
  const rows = Array.from({ length: CALL }, (_, i) => {
    const data = bodyOf(from + i)
    const search = `${data.productName}\n${data.sku}\n`.toLowerCase()
    return { id: newUuid(now.getTime()), event_id: newUuid(now.getTime()), sku: data.sku, search, data }
  })
  await sql`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
        as r(id uuid, event_id uuid, sku text, search text, data jsonb)
    ), room as (
      update account_usage set used = used + ${CALL} where account_id = ${accountId} and level = 'm'
    ), counted as (
      insert into passport_count (account_id, level, status, category, n)
      values (${accountId}, 'm', 'a', 'textile', ${CALL})
      on conflict (account_id, level, status, category) do update set n = passport_count.n + ${CALL}
    ), content as (
      insert into content (account_id, upto, id, owner_id, data)
      select ${accountId}::int, 1, id, id, data from input
    ), written as (
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, model_id,
        schema_version, level, status, category, sku, search)
      select ${now}::timestamptz, ${accountId}::int, 1, 1, 0, id, id, id, 1, 'm', 'a', 'textile', sku, search from input
    )
    insert into event (created_at, account_id, id, type, data)
    select ${now}::timestamptz, ${accountId}::int, event_id, 'product.created',
      jsonb_build_object('id', id, 'category', 'textile', 'version_no', 1)
    from input`
}
