/**
 * `processes`: two processes compared with one, on the same port and database, with the load client on the
 * same machine.
 */
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import { bodyOf, fill } from '../test/fill-database.ts'
import type { Bench } from './environment.ts'
import { measureInTurns, type Server } from './environment.ts'
import { FROM_EVERYWHERE, load, request } from './load.ts'

const PASSPORTS = 10_000
/** Many short rounds, because load from other tenants of a shared machine lasts only seconds. */
const ROUNDS = 15
const SECONDS = 1.5
/** Each of two processes gets half of the requests, and needs this long to compile its hot code. */
const WARM_UP_S = 8

export const processesRows: Bench = async stage => {
  const hall = await stage.openDatabase('processes')
  const tenant = await stage.createTenant(hall)
  const ids = await fill(hall.sql, { accountId: tenant.accountId, count: PASSPORTS, word: 'many' })
  const authorization = `Bearer ${tenant.key}`
  const reads = ids.map(id => request('GET', `/api/v1/products/${idFromUuid(id)}`, { authorization }))
  const pages = ids
    .slice(0, 500)
    .map(id => request('GET', `/p/${idFromUuid(id)}`, { 'accept-encoding': 'br', ...FROM_EVERYWHERE }))
  const read = (n: number) => reads[(n * 7919) % reads.length] ?? ''
  const page = (n: number) => pages[(n * 7919) % pages.length] ?? ''
  const create = (n: number) =>
    request(
      'POST',
      '/api/v1/products',
      { authorization },
      JSON.stringify({ category: 'textile', data: bodyOf(n) }),
    )
  const one = await stage.startServer(hall, 'several.ts', { processes: 1 })
  const two = await stage.startServer(hall, 'several.ts', { processes: 2 })
  const rows = []
  for (const [what, connections, next] of [
    ['read', 64, read],
    ['page', 64, page],
    ['create', 64, create],
    ['create', 256, create],
  ] as const) {
    const shoot = async (server: Server, seconds: number) => {
      const tally = await load({ port: server.port, connections, seconds, next })
      if (tally.failed > 0) throw new Error(`${tally.failed} requests failed`)
      return tally.perSecond
    }
    for (const server of [one, two]) await shoot(server, WARM_UP_S)
    const figures = await measureInTurns(
      { two: () => shoot(two, SECONDS), one: () => shoot(one, SECONDS) },
      ROUNDS,
    )
    rows.push({
      row: `processes, ${what}`,
      ours: figures.two,
      limit: figures.one,
      ratio: figures.two / figures.one,
      unit: `requests/s, two processes to one, ${connections} connections`,
    })
  }
  await Promise.all([one.stop(), two.stop()])
  return rows
}
