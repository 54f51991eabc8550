/**
 * `read`: GET of one product with full authentication, compared with a bare server that runs the same
 * prepared SELECT at its best pool size.
 */
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import { fill } from '../test/fill-database.ts'
import type { Bench } from './environment.ts'
import { measureInTurns, type Server } from './environment.ts'
import { load, request } from './load.ts'

const PASSPORTS = 10_000
const CONNECTIONS = 64
const SECONDS = 3
const BARE_POOLS = [4, 10, 20]

export const readRows: Bench = async stage => {
  const hall = await stage.openDatabase('small')
  const tenant = await stage.createTenant(hall)
  const ids = await fill(hall.sql, { accountId: tenant.accountId, count: PASSPORTS, word: 'read' })
  const requests = ids.map(id =>
    request('GET', `/api/v1/products/${idFromUuid(id)}`, { authorization: `Bearer ${tenant.key}` }),
  )
  const bareRequests = ids.map(id => request('GET', `/${id}/${tenant.accountId}`))
  const ours = await stage.startServer(hall, 'ours.ts')
  const shoot = (server: Server, list: string[]) => async () => {
    const tally = await load({
      port: server.port,
      connections: CONNECTIONS,
      seconds: SECONDS,
      next: n => list[(n * 7919) % list.length] ?? '',
    })
    if (tally.failed > 0) throw new Error(`${tally.failed} requests failed`)
    return tally.perSecond
  }
  const bare = Object.fromEntries(
    await Promise.all(
      BARE_POOLS.map(async pool => {
        const server = await stage.startServer(hall, 'bare.ts', { what: 'read', pool })
        return [`pool ${pool}`, { server, run: shoot(server, bareRequests) }] as const
      }),
    ),
  )
  const figures = await measureInTurns<string>({
    ours: shoot(ours, requests),
    ...Object.fromEntries(Object.entries(bare).map(([name, { run }]) => [name, run])),
  })
  await Promise.all([ours, ...Object.values(bare).map(one => one.server)].map(server => server.stop()))
  const limit = Math.max(...Object.keys(bare).map(name => figures[name] ?? 0))
  const mine = figures.ours ?? Number.NaN
  return [{ row: 'read', ours: mine, limit, ratio: mine / limit, unit: 'requests/s, 64 connections' }]
}
