/**
 * `refresh`: refreshes 100,000 items for the first time, without and with concurrent reads. Each of the three
 * rounds uses a new model.
 */
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import type { Bench } from './environment.ts'
import { type BenchDatabase, median, type Server, type Tenant } from './environment.ts'
import { load } from './load.ts'
import { ask, correction, issue, models } from './units.ts'

const ROUNDS = 3
const MANY = 100_000
const LEAST_A_SECOND = 5_000
const READERS = 64
const SECONDS = 3
const SLICE_SECONDS = 0.5

export const refreshRows: Bench = async stage => {
  const hall = await stage.openDatabase('refresh')
  const tenant = await stage.createTenant(hall)
  const [first = '', ...others] = await models(hall, tenant, 1 + ROUNDS * 2 + 10_000)
  const under = others.slice(0, ROUNDS * 2)
  const server = await stage.startServer(hall, 'ours.ts')
  const read = reader(server, tenant, others.slice(ROUNDS * 2))
  await issue(hall, tenant, { under: first, level: 'item', count: 1_000 })
  await refresh(hall, tenant, server, first)
  await read(SECONDS)
  const figures = {
    quiet: [] as number[],
    busy: [] as number[],
    alone: [] as number[],
    share: [] as number[],
  }
  for (let round = 0; round < ROUNDS; round++) {
    const [quiet = '', busy = ''] = under.slice(round * 2)
    for (const model of [quiet, busy]) await issue(hall, tenant, { under: model, level: 'item', count: MANY })
    figures.quiet.push(await refresh(hall, tenant, server, quiet))
    const alone = await read(SECONDS)
    const during = await whileReading(refresh(hall, tenant, server, busy), read)
    figures.busy.push(during.refreshed)
    figures.alone.push(alone)
    figures.share.push(during.read / alone)
    stage.log(`refresh, round ${round + 1}: ${JSON.stringify(figures)}`)
  }
  await server.stop()
  return rows(figures)
}

function rows({ quiet, busy, alone, share }: Record<'quiet' | 'busy' | 'alone' | 'share', number[]>) {
  const row = (name: string, ours: number, limit: number, unit: string) => ({
    row: name,
    ours,
    limit,
    ratio: ours / limit,
    unit,
  })
  const least = LEAST_A_SECOND
  return [
    row('refresh', median(quiet), least, 'units/s, 100,000 items, against 5,000; 3 rounds'),
    row('refresh, with readers', median(busy), least, 'units/s while 64 connections read, against 5,000'),
    row(
      'refresh, reads meanwhile',
      median(alone) * median(share),
      median(alone),
      'requests/s against without',
    ),
  ]
}

/** Corrects and refreshes the model. Returns the units per second until all are done. */
async function refresh(hall: BenchDatabase, tenant: Tenant, server: Server, model: string): Promise<number> {
  const send = async (text: string) => {
    const tally = await load({ port: server.port, connections: 1, seconds: 0, next: () => text })
    if (tally.failed > 0) throw new Error('a correction or its refresh was refused')
  }
  await send(correction(tenant, model, 1))
  const started = performance.now()
  await send(ask(tenant, 'POST', `${idFromUuid(model)}/refresh`))
  for (;;) {
    const [job] = await hall.sql<{ refreshed: number; done: boolean }[]>`
      select refreshed, finished_at is not null as done from refresh_job where passport_id = ${model}`
    if (job?.done) return job.refreshed / ((performance.now() - started) / 1000)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

type Read = (seconds: number) => Promise<number>

/** Reads other products over 64 connections. Returns the responses per second. */
function reader({ port }: Server, tenant: Tenant, ids: string[]): Read {
  const requests = ids.map(id => ask(tenant, 'GET', idFromUuid(id)))
  const next = (n: number) => requests[(n * 7919) % requests.length] ?? ''
  return async seconds => {
    const tally = await load({ port, connections: READERS, seconds, next })
    if (tally.failed > 0) throw new Error(`${tally.failed} reads failed`)
    return tally.perSecond
  }
}

async function whileReading(work: Promise<number>, read: Read): Promise<{ refreshed: number; read: number }> {
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  const slices: number[] = []
  while (!isDone) slices.push(await read(SLICE_SECONDS))
  return { refreshed: await ended, read: slices.reduce((sum, n) => sum + n, 0) / slices.length }
}
