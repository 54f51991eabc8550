/**
 * `list` and `patch`: requests a second of a warm first page of the list, and of changes of one number, each against
 * a bare server that runs the same statements and sends as many bytes, at its best pool size.
 */
import { connect } from 'node:net'
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import { fill } from '../test/fill-database.ts'
import type { BenchDatabase, BenchEnvironment, BenchRow, Tenant } from './environment.ts'
import { measureInTurns } from './environment.ts'
import { load, request } from './load.ts'

const PASSPORTS = 10_000
const SECONDS = 3
const BARE_POOLS = [4, 10]
const LIST_CONNECTIONS = 8
const PATCH_CONNECTIONS = 16
const LIST_PATH = '/api/v1/products?limit=25'

type Contest = {
  row: string
  what: 'list' | 'patch'
  connections: number
  /** The request of a round, to Carnet and to the bare server alike. */
  next: (n: number) => string
}

export async function listRow(stage: BenchEnvironment): Promise<BenchRow> {
  const { hall, tenant } = await openTenant(stage)
  const text = request('GET', LIST_PATH, headersOf(tenant))
  return compare(stage, hall, {
    row: 'list, requests',
    what: 'list',
    connections: LIST_CONNECTIONS,
    next: () => text,
  })
}

export async function patchRow(stage: BenchEnvironment): Promise<BenchRow> {
  const { hall, tenant, ids } = await openTenant(stage)
  let sent = 0
  const next = () => {
    const body = JSON.stringify({ data: { weightGrams: 100 + (Math.floor(sent / ids.length) % 400) } })
    return request('PATCH', `/api/v1/products/${ids[sent++ % ids.length]}`, headersOf(tenant), body)
  }
  return compare(stage, hall, { row: 'patch', what: 'patch', connections: PATCH_CONNECTIONS, next })
}

async function openTenant(stage: BenchEnvironment) {
  const hall = await stage.openDatabase('small')
  const tenant = await stage.createTenant(hall)
  const uuids = await fill(hall.sql, { accountId: tenant.accountId, count: PASSPORTS, word: 'page' })
  await hall.sql`vacuum (analyze) passport`
  return { hall, tenant, ids: uuids.map(idFromUuid) }
}

/** The bare servers take the account from a header and look at no key. */
const headersOf = ({ key, accountId }: Tenant) => ({
  authorization: `Bearer ${key}`,
  'x-account': String(accountId),
})

async function compare(stage: BenchEnvironment, hall: BenchDatabase, contest: Contest): Promise<BenchRow> {
  const ours = await stage.startServer(hall, 'ours.ts')
  const bodyLength = await measureBody(ours.port, contest.next(0))
  const bare = await Promise.all(
    BARE_POOLS.map(pool => stage.startServer(hall, 'bare.ts', { what: contest.what, pool, bodyLength })),
  )
  const shoot =
    ({ port }: { port: number }) =>
    async () => {
      const { connections, next } = contest
      const tally = await load({ port, connections, seconds: SECONDS, next })
      if (tally.failed > 0) throw new Error(`${tally.failed} requests failed`)
      return tally.perSecond
    }
  const figures = await measureInTurns<string>({
    ours: shoot(ours),
    ...Object.fromEntries(bare.map((server, i) => [`pool ${BARE_POOLS[i]}`, shoot(server)])),
  })
  await Promise.all([ours, ...bare].map(server => server.stop()))
  const limit = Math.max(...BARE_POOLS.map(pool => figures[`pool ${pool}`] ?? 0))
  const mine = figures.ours ?? Number.NaN
  const unit = `requests/s, ${contest.connections} connections`
  return { row: contest.row, ours: mine, limit, ratio: mine / limit, unit }
}

async function measureBody(port: number, text: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  socket.once('error', reject)
  socket.once('data', chunk => {
    resolve(Number(/content-length: *(\d+)/i.exec(chunk.toString('latin1'))?.[1]))
    socket.destroy()
  })
  return promise
}
