/** `bulk`: 500 plain items a call over HTTP, against the same rows by one bare statement over one connection; and 100,000 under one model. */
import type { Sql } from '../src/kernel/db.ts'
import { newUuid } from '../src/kernel/ids.ts'
import { load } from './load.ts'
import type { Bench, Row } from './run.ts'
import { type Hall, inTurns, median, type Server, type Stage, type Tenant } from './stage.ts'
import { bulkRequest, CALL, models, serialOf } from './units.ts'

const CALLS_A_ROUND = 10
const MANY = 100_000
/** Calls at either end of the many that are compared. */
const END = 40

export const bulkRows: Bench = async stage => {
  const hall = await stage.hall('bulk')
  const tenant = await stage.tenant(hall)
  const [mine = '', bare = '', one = ''] = await models(hall, tenant, 3)
  const ours = await stage.serve(hall, 'ours.ts')
  const rows = [await againstBare(hall, tenant, ours, { mine, bare }), await flat(stage, tenant, ours, one)]
  await ours.stop()
  return rows
}

async function againstBare(
  hall: Hall,
  tenant: Tenant,
  ours: Server,
  under: { mine: string; bare: string },
): Promise<Row> {
  let sent = 0
  let inserted = 0
  const figures = await inTurns({
    ours: async () => {
      const started = performance.now()
      for (let i = 0; i < CALLS_A_ROUND; i++) await call(ours, tenant, under.mine, CALL * sent++)
      return perSecond(started)
    },
    bare: async () => {
      const started = performance.now()
      for (let i = 0; i < CALLS_A_ROUND; i++) await insert(hall.sql, tenant, under.bare, CALL * inserted++)
      return perSecond(started)
    },
  })
  const unit = 'items/s, 500 a call, one call at a time'
  return {
    row: 'bulk',
    ours: figures.ours,
    limit: figures.bare,
    ratio: figures.ours / figures.bare,
    unit,
  }
}

const perSecond = (started: number) => (CALLS_A_ROUND * CALL) / ((performance.now() - started) / 1000)

/** Milliseconds of one call. */
async function call(server: Server, tenant: Tenant, model: string, from: number): Promise<number> {
  const text = bulkRequest(tenant, model, 'L1', from)
  const tally = await load({ port: server.port, connections: 1, seconds: 0, next: () => text })
  if (tally.failed > 0) throw new Error('a bulk call failed')
  return tally.medianMs
}

async function flat(stage: Stage, tenant: Tenant, ours: Server, model: string): Promise<Row> {
  const times: number[] = []
  for (let done = 0; done < MANY; done += CALL) times.push(await call(ours, tenant, model, done))
  const first = median(times.slice(0, END))
  const last = median(times.slice(-END))
  stage.log(`bulk: slowest of ${times.length} calls ${Math.max(...times).toFixed(0)} ms`)
  const unit = `ms a call, last ${END} of ${MANY} items against first ${END}`
  return { row: 'bulk, 100,000 under one model', ours: last, limit: first, ratio: last / first, unit }
}

/** The rows of 500 items and nothing else: no check, no answer, no HTTP. */
async function insert(sql: Sql, { accountId }: Tenant, model: string, from: number): Promise<void> {
  const now = new Date()
  const rows = Array.from({ length: CALL }, (_, i) => i)
  const ids = rows.map(() => newUuid(now.getTime()))
  const events = rows.map(() => newUuid(now.getTime()))
  const serials = rows.map(n => serialOf('B1', from + n))
  await sql`
    with input as materialized (
      select * from unnest(${ids}::text[]::uuid[], ${events}::text[]::uuid[], ${serials}::text[]) as r(id, event_id, serial)
    ), room as (
      update account_usage set used = used + ${CALL} where account_id = ${accountId} and level = 'i'
    ), counted as (
      insert into passport_count (account_id, level, status, category, n)
      values (${accountId}, 'i', 'a', 'textile', ${CALL})
      on conflict (account_id, level, status, category) do update set n = passport_count.n + ${CALL}
    ), written as (
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, parent_id,
        model_id, schema_version, level, status, category, serial)
      select ${now}::timestamptz, ${accountId}::int, 1, 1, 0, id, ${model}::uuid, ${model}::uuid, ${model}::uuid, 1, 'i', 'a',
        'textile', serial
      from input
    )
    insert into event (created_at, account_id, id, type, data)
    select ${now}::timestamptz, ${accountId}::int, event_id, 'product.created',
      jsonb_build_object('id', id, 'category', 'textile', 'version_no', 1)
    from input`
}
