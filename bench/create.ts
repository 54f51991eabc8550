/**
 * `create`: POST of a model passport, quota included, compared with a bare server that runs the same SQL
 * unbatched. For the passport with a picture it stores the same data, but does not look for the file.
 */

import { bodyOf } from '../test/fill-database.ts'
import { storeFileRows } from '../test/media/stored-files.ts'
import type { Bench, BenchRow } from './environment.ts'
import { type BenchEnvironment, measureInTurns, type Tenant } from './environment.ts'
import { load, request } from './load.ts'

const CONNECTIONS = 64
const SECONDS = 3
const BARE_POOLS = [10, 20]

export const createRows: Bench = async stage => [
  await createRow(stage, 'create', 1),
  await createRow(stage, 'create, with a picture', 1, [{ media: PICTURE, alt: { en: 'A shirt' } }]),
  await createRow(stage, 'create, 20 accounts', 20),
]

/** The id of a file. */
const PICTURE = '7'.repeat(64)

async function createRow(
  stage: BenchEnvironment,
  row: string,
  accounts: number,
  pictures?: readonly object[],
): Promise<BenchRow> {
  const hall = await stage.openDatabase(`create_${accounts}`)
  const tenants: Tenant[] = []
  for (let i = 0; i < accounts; i++) tenants.push(await stage.createTenant(hall))
  const tenant = (n: number) => tenants[n % accounts] as Tenant
  for (const { accountId } of tenants)
    await storeFileRows({ sql: hall.sql, accountId }, { kind: 'picture', ids: [PICTURE] })
  const body = (n: number) => JSON.stringify({ category: 'textile', data: { ...bodyOf(n), pictures } })
  const ours = await stage.startServer(hall, 'ours.ts')
  const contenders: Record<string, () => Promise<number>> = {
    ours: () =>
      shoot(ours.port, n =>
        request('POST', '/api/v1/products', { authorization: `Bearer ${tenant(n).key}` }, body(n)),
      ),
  }
  const servers = [ours]
  for (const pool of BARE_POOLS) {
    const bare = await stage.startServer(hall, 'bare.ts', { what: 'create', pool })
    servers.push(bare)
    contenders[`pool ${pool}`] = () =>
      shoot(bare.port, n => request('POST', '/', { 'x-account': String(tenant(n).accountId) }, body(n)))
  }
  const figures = await measureInTurns<string>(contenders)
  await Promise.all(servers.map(server => server.stop()))
  const limit = Math.max(...BARE_POOLS.map(pool => figures[`pool ${pool}`] ?? 0))
  const mine = figures.ours ?? Number.NaN
  const unit = `requests/s, 64 connections, ${accounts} account${accounts > 1 ? 's' : ''}`
  return { row, ours: mine, limit, ratio: mine / limit, unit }
}

async function shoot(port: number, next: (n: number) => string): Promise<number> {
  const tally = await load({ port, connections: CONNECTIONS, seconds: SECONDS, next })
  if (tally.failed > 0) throw new Error(`${tally.failed} requests failed`)
  return tally.perSecond
}
