/**
 * `list` and `search`: the same calls at 10,000 and at 1,000,000 passports. `growth`: what a passport costs
 * in calls, disk and memory at 10,000, 100,000 and 1,000,000, with one process and with two.
 */
import { readFileSync } from 'node:fs'
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import { bodyOf, fill } from '../test/fill-database.ts'
import type { Bench, BenchRow } from './environment.ts'
import {
  type BenchDatabase,
  type BenchEnvironment,
  measureInTurns,
  type Server,
  type Tenant,
} from './environment.ts'
import { FROM_EVERYWHERE, load, request } from './load.ts'

const SIZES = { small: 10_000, middle: 100_000, large: 1_000_000 } as const
const FOREIGN = 200_000
const SECONDS = 1
const CONNECTIONS = 64
/** Passports that the calls read. */
const READ = 10_000

type Size = keyof typeof SIZES
type Side = { hall: BenchDatabase; server: Server; tenant: Tenant; count: number; ids: string[] }

const sides = new WeakMap<BenchEnvironment, Map<Size, Promise<Side>>>()

export async function growthRows(stage: BenchEnvironment, what: 'list' | 'search'): Promise<BenchRow[]> {
  const small = await sideOf(stage, 'small')
  const large = await sideOf(stage, 'large')
  return what === 'list' ? listRows(small, large) : searchRows(small, large)
}

/** Created at first use, one after another. */
function sideOf(stage: BenchEnvironment, size: Size): Promise<Side> {
  const made = sides.get(stage) ?? new Map<Size, Promise<Side>>()
  sides.set(stage, made)
  const side = made.get(size) ?? openSide(stage, size)
  made.set(size, side)
  return side
}

async function openSide(stage: BenchEnvironment, size: Size): Promise<Side> {
  const count = SIZES[size]
  const hall = await stage.openDatabase(`grown_${size}`)
  const tenant = await stage.createTenant(hall)
  const started = performance.now()
  const uuids = await fill(hall.sql, {
    accountId: tenant.accountId,
    count,
    word: 'jersey',
    rare: 'quixotry',
    log: stage.log,
  })
  if (size === 'large') await addNeighbour(stage, hall)
  await hall.sql`vacuum (analyze) passport`
  stage.log(`loaded ${count} passports in ${((performance.now() - started) / 1000).toFixed(0)} s`)
  const ids = Array.from({ length: READ }, (_, i) =>
    idFromUuid(uuids[Math.floor((i * uuids.length) / READ)] ?? ''),
  )
  return { hall, server: await stage.startServer(hall, 'ours.ts'), tenant, count, ids }
}

/**
 * Adds a second account on the same tables. All its passports contain a word that the first account never
 * uses.
 */
async function addNeighbour(stage: BenchEnvironment, hall: BenchDatabase): Promise<void> {
  const neighbour = await stage.createTenant(hall)
  await fill(hall.sql, { accountId: neighbour.accountId, count: FOREIGN, word: 'zephyr', log: stage.log })
}

/** Median milliseconds of a call, one at a time. */
const ask = (side: Side, query: string) => async () => {
  const text = request('GET', `/api/v1/products?${query}`, { authorization: `Bearer ${side.tenant.key}` })
  const tally = await load({ port: side.server.port, connections: 1, seconds: SECONDS, next: () => text })
  if (tally.failed > 0) throw new Error(`${query} failed`)
  return tally.medianMs
}

const row = (name: string, ours: number, limit: number, unit: string): BenchRow => ({
  row: name,
  ours,
  limit,
  ratio: ours / limit,
  unit,
})

async function listRows(small: Side, large: Side): Promise<BenchRow[]> {
  const lastPage = Math.ceil(large.count / 25)
  const deep = await cursorNearTheEnd(large)
  const ms = await measureInTurns({
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

async function searchRows(small: Side, large: Side): Promise<BenchRow[]> {
  const ms = await measureInTurns({
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

export const curveRows: Bench = async stage => {
  const rows: BenchRow[] = []
  const all: Side[] = []
  for (const size of Object.keys(SIZES) as Size[]) all.push(await sideOf(stage, size))
  const [first] = all
  if (first === undefined) throw new Error('broken assumption: there is a smallest size')
  const two = await Promise.all(
    all.map(({ hall }) => stage.startServer(hall, 'several.ts', { processes: 2 })),
  )
  const compare = (name: string, unit: string, figure: (side: Side) => number) => {
    for (const side of all.slice(1)) {
      const [ours, limit] = [figure(side), figure(first)]
      rows.push(
        row(`growth, ${name}, ${side.count}`, ours, limit, `${unit}, against ${first.count} passports`),
      )
    }
  }
  const measure = async (
    name: string,
    unit: string,
    run: (side: Side, i: number) => () => Promise<number>,
  ) => {
    const figures = await measureInTurns(
      Object.fromEntries(all.map((side, i) => [String(side.count), run(side, i)])),
    )
    compare(name, unit, side => figures[String(side.count)] ?? Number.NaN)
  }
  await measure('read', 'requests/s, one process', side => many(side, side.server, readOne))
  await measure('read by two', 'requests/s, two processes', (side, i) => many(side, two[i], readOne))
  await measure('page', 'requests/s of 10,000 pages, one process', side => many(side, side.server, pageOf))
  await measure('page by two', 'requests/s of 10,000 pages, two processes', (side, i) =>
    many(side, two[i], pageOf),
  )
  await measure('create', 'ms, one at a time', side => createOne(side))
  await measure('list', 'ms', side => ask(side, 'limit=25'))
  await measure('search', 'ms', side => ask(side, 'q=quixotry&limit=25'))
  compare('memory', 'MiB of the process after all of this', side => residentMiB(side.server))
  const bytes = new Map(await Promise.all(all.map(async side => [side, await bytesEach(side)] as const)))
  compare('bytes', 'bytes of the database a passport', side => bytes.get(side) ?? Number.NaN)
  await Promise.all(two.map(server => server.stop()))
  return rows
}

type Ask = (side: Side, id: string) => string

const readOne: Ask = ({ tenant }, id) =>
  request('GET', `/api/v1/products/${id}`, { authorization: `Bearer ${tenant.key}` })
const pageOf: Ask = (_, id) => request('GET', `/p/${id}`, { accept: 'text/html', ...FROM_EVERYWHERE })

const many = (side: Side, server: Server | undefined, make: Ask) => async () => {
  const { port } = server ?? side.server
  const next = (n: number) => make(side, side.ids[(n * 7919) % side.ids.length] ?? '')
  const tally = await load({ port, connections: CONNECTIONS, seconds: SECONDS, next })
  if (tally.failed > 0) throw new Error(`${tally.failed} requests failed`)
  return tally.perSecond
}

let created = 0
/** Sequential, so that the smallest database does not grow meanwhile. */
const createOne =
  ({ server, tenant }: Side) =>
  async () => {
    const next = () => {
      const data = bodyOf(2_000_000 + created++)
      const body = JSON.stringify({ category: 'textile', data })
      return request('POST', '/api/v1/products', { authorization: `Bearer ${tenant.key}` }, body)
    }
    const tally = await load({ port: server.port, connections: 1, seconds: SECONDS / 2, next })
    if (tally.failed > 0) throw new Error(`${tally.failed} creates failed`)
    return tally.medianMs
  }

const residentMiB = ({ pid }: Server): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Bytes of all tables and indexes, divided by the number of passports. */
async function bytesEach({ hall: { sql } }: Side): Promise<number> {
  const [sum] = await sql<{ bytes: number }[]>`
    select pg_database_size(current_database())::float8 / (select count(*) from passport) as bytes`
  return sum?.bytes ?? Number.NaN
}
