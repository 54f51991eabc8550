/**
 * `bulk`: calls with 500 plain items, compared with one bare statement for the same rows, with and without
 * HTTP; then 100,000 items under one model.
 */

import type { Bench, BenchRow } from './environment.ts'
import { type BenchDatabase, type BenchEnvironment, median, type Server, type Tenant } from './environment.ts'
import { load } from './load.ts'
import { bareRequest, bulkRequest, CALL, insertPlain, issueCall, models, serials } from './units.ts'

const ROUNDS = 60
const MANY = 100_000
/** How many calls at each end of the run are compared. */
const END = 40

export const bulkRows: Bench = async stage => {
  const hall = await stage.openDatabase('bulk')
  const tenant = await stage.createTenant(hall)
  const [one = '', ...under] = await models(hall, tenant, 5)
  const ours = await stage.startServer(hall, 'ours.ts')
  const bare = await stage.startServer(hall, 'bare.ts', { what: 'bulk', pool: 1 })
  const rows = await againstBare(hall, tenant, { ours, bare }, under)
  rows.push(await flat(stage, tenant, ours, one))
  await Promise.all([ours.stop(), bare.stop()])
  return rows
}

/** Alternates call by call. The first rounds warm up the servers and are not counted. */
async function againstBare(
  hall: BenchDatabase,
  tenant: Tenant,
  { ours, bare }: { ours: Server; bare: Server },
  [over = '', under = '', mine = '', plain = '']: readonly string[],
): Promise<BenchRow[]> {
  const times: number[][] = [[], [], [], []]
  for (let round = 0; round < ROUNDS; round++) {
    const from = CALL * round
    const taken = [
      await call(ours, bulkRequest(tenant, over, 'L1', from)),
      await call(bare, bareRequest(tenant, under, 'L1', from)),
      await timed(() => issueCall(hall, tenant, mine, from)),
      await timed(() => insertPlain(hall.sql, tenant.accountId, plain, serials('L1', from))),
    ]
    if (round >= ROUNDS / 6) for (const [i, ms] of taken.entries()) times[i]?.push(ms)
  }
  const [http = 0, bareHttp = 0, verb = 0, statement = 0] = times.map(median)
  const row = (name: string, mineMs: number, limitMs: number, unit: string): BenchRow => ({
    row: name,
    ours: (CALL * 1000) / mineMs,
    limit: (CALL * 1000) / limitMs,
    ratio: limitMs / mineMs,
    unit: `items/s, 500 a call, one call at a time; ${unit}`,
  })
  return [
    row('bulk', http, bareHttp, 'a bare server with the bare statement'),
    row('bulk, past HTTP', verb, statement, 'the bare statement alone'),
  ]
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Milliseconds of one call. */
async function call(server: Server, text: string): Promise<number> {
  const tally = await load({ port: server.port, connections: 1, seconds: 0, next: () => text })
  if (tally.failed > 0) throw new Error('a bulk call failed')
  return tally.medianMs
}

async function flat(stage: BenchEnvironment, tenant: Tenant, ours: Server, model: string): Promise<BenchRow> {
  const times: number[] = []
  for (let done = 0; done < MANY; done += CALL)
    times.push(await call(ours, bulkRequest(tenant, model, 'L1', done)))
  const first = median(times.slice(0, END))
  const last = median(times.slice(-END))
  stage.log(`bulk: slowest of ${times.length} calls ${Math.max(...times).toFixed(0)} ms`)
  const unit = `ms a call, last ${END} of ${MANY} items against first ${END}`
  return { row: 'bulk, 100,000 under one model', ours: last, limit: first, ratio: last / first, unit }
}
