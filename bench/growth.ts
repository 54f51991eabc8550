/** `list` and `search`: the same calls at 10,000 and at 1,000,000 passports; what they cost must not grow with the shop. */
import { load, request } from './load.ts'
import { fill } from './loader.ts'
import type { Row } from './run.ts'
import { type Hall, inTurns, type Server, type Stage, type Tenant } from './stage.ts'

const SMALL = 10_000
const LARGE = 1_000_000
const FOREIGN = 200_000
const SECONDS = 1

type Side = { server: Server; tenant: Tenant; count: number }

const sides = new WeakMap<Stage, Promise<{ small: Side; large: Side }>>()

export async function growthRows(stage: Stage, what: 'list' | 'search'): Promise<Row[]> {
  const both = sides.get(stage) ?? openSides(stage)
  sides.set(stage, both)
  const { small, large } = await both
  return what === 'list' ? listRows(small, large) : searchRows(small, large)
}

async function openSides(stage: Stage): Promise<{ small: Side; large: Side }> {
  const open = async (name: string, count: number): Promise<Side> => {
    const hall = await stage.hall(name)
    const tenant = await stage.tenant(hall)
    const started = performance.now()
    await fill(hall.sql, {
      accountId: tenant.accountId,
      count,
      word: 'jersey',
      rare: 'quixotry',
      log: stage.log,
    })
    if (count === LARGE) await addNeighbour(stage, hall)
    await hall.sql`vacuum (analyze) passport`
    stage.log(`loaded ${count} passports in ${((performance.now() - started) / 1000).toFixed(0)} s`)
    return { server: await stage.serve(hall, 'ours.ts'), tenant, count }
  }
  return { small: await open('grown_small', SMALL), large: await open('grown_large', LARGE) }
}

/** Another account on the same tables, all of whose passports hold a word that the first has nowhere. */
async function addNeighbour(stage: Stage, hall: Hall): Promise<void> {
  const neighbour = await stage.tenant(hall)
  await fill(hall.sql, { accountId: neighbour.accountId, count: FOREIGN, word: 'zephyr', log: stage.log })
}

/** Median milliseconds of a call, one at a time. */
const ask = (side: Side, query: string) => async () => {
  const text = request('GET', `/api/v1/products?${query}`, { authorization: `Bearer ${side.tenant.key}` })
  const tally = await load({ port: side.server.port, connections: 1, seconds: SECONDS, next: () => text })
  if (tally.failed > 0) throw new Error(`${query} failed`)
  return tally.medianMs
}

const row = (name: string, ours: number, limit: number, unit: string): Row => ({
  row: name,
  ours,
  limit,
  ratio: ours / limit,
  unit,
})

async function listRows(small: Side, large: Side): Promise<Row[]> {
  const lastPage = Math.ceil(large.count / 25)
  const deep = await cursorNearTheEnd(large)
  const ms = await inTurns({
    small: ask(small, 'limit=25'),
    large: ask(large, 'limit=25'),
    last: ask(large, `limit=25&page=${lastPage}`),
    middle: ask(large, `limit=25&page=${Math.ceil(lastPage / 2)}`),
    cursor: ask(large, `limit=25&cursor=${deep}`),
  })
  return [
    row('list, first page', ms.large, ms.small, 'ms at 1,000,000 against 10,000'),
    row('list, last page', ms.last, ms.large, 'ms against the first page'),
    row('list, middle page', ms.middle, ms.large, 'ms against the first page'),
    row('list, last by cursor', ms.cursor, ms.large, 'ms against the first page'),
  ]
}

async function cursorNearTheEnd(side: Side): Promise<string> {
  const page = Math.ceil(side.count / 25) - 1
  const answer = await fetch(`http://127.0.0.1:${side.server.port}/api/v1/products?limit=25&page=${page}`, {
    headers: { authorization: `Bearer ${side.tenant.key}` },
  })
  const body = (await answer.json()) as { meta: { next_cursor: string } }
  return body.meta.next_cursor
}

async function searchRows(small: Side, large: Side): Promise<Row[]> {
  const ms = await inTurns({
    small: ask(small, 'q=quixotry&limit=25'),
    large: ask(large, 'q=quixotry&limit=25'),
    two: ask(large, 'q=merino%20999&limit=25'),
    common: ask(large, 'q=jersey&limit=25'),
    absent: ask(large, 'q=zephyr&limit=25'),
  })
  return [
    row('search, selective', ms.large, ms.small, 'ms at 1,000,000 against 10,000'),
    row(
      'search, two common parts',
      ms.two,
      ms.small,
      'ms at 1,000,000: "merino 999", found by no rare letters',
    ),
    row('search, common word', ms.common, ms.small, 'ms at 1,000,000 against a selective one at 10,000'),
    row('search, absent word', ms.absent, 50, 'ms at 1,000,000 against 50 ms; 200,000 elsewhere have it'),
  ]
}
