/**
 * `citus`: Carnet on a shard of the cluster in CARNET_CITUS, compared with Carnet on a database of the same server that is not
 * distributed: read, create, bulk, PATCH and list.
 */

import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import { migrate } from '../src/kernel/db/migrate.ts'
import { getShard } from '../src/kernel/db/shards.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { MIGRATIONS, makeShardedDatabase } from '../test/citus/sharded-database.ts'
import { endPools, openPools, type TestDatabase, targetOf } from '../test/database.ts'
import { bodyOf, fill } from '../test/fill-database.ts'
import type { Bench, BenchEnvironment, Server, Tenant } from './environment.ts'
import { measureInTurns, PLAN } from './environment.ts'
import { load, request } from './load.ts'
import { bulkRequest, CALL } from './units.ts'

const PASSPORTS = 10_000
const SECONDS = 3
const CONNECTIONS = { read: 64, create: 64, bulk: 1, patch: 16, list: 8 } as const
type What = keyof typeof CONNECTIONS

type Contender = { server: Server; tenant: Tenant; uuids: readonly string[]; sent: number }

export const citusRows: Bench = async stage => {
  if (process.env.CARNET_CITUS === undefined) {
    stage.log('citus: left out, because CARNET_CITUS is not set (docs/scale.md)')
    return []
  }
  const database = await makeShardedDatabase(2)
  const { coordinator } = database
  const plain = `${database.name}_plain`
  try {
    await coordinator.sql.unsafe(`create database "${plain}" template template0`)
    const [citus, reference] = [
      await open(stage, { target: { url: coordinator.url }, isDistributed: true }),
      await open(stage, { target: targetOf({ url: coordinator.url }, plain), isDistributed: false }),
    ]
    const rows = []
    for (const what of Object.keys(CONNECTIONS) as What[]) {
      const figures = await measureInTurns({
        ours: () => shoot(citus, what),
        limit: () => shoot(reference, what),
      })
      const unit = `${what === 'bulk' ? `calls of ${CALL} items` : 'requests'}/s, ${CONNECTIONS[what]} connections, against one PostgreSQL`
      rows.push({ row: `citus, ${what}`, ...figures, ratio: figures.ours / figures.limit, unit })
    }
    await Promise.all([citus, reference].map(({ server }) => server.stop()))
    return rows
  } finally {
    await coordinator.sql.unsafe(`drop database if exists "${plain}" with (force)`)
    await database.drop()
  }
}

async function open(
  stage: BenchEnvironment,
  place: Pick<TestDatabase, 'target'> & { isDistributed: boolean },
): Promise<Contender> {
  const sql = await openPools({ ...place, drop: async () => {} }, { max: 4 })
  if (!place.isDistributed) await migrate(sql, MIGRATIONS, systemClock.now())
  await sql`insert into plan (id, api, requests_per_minute) values (${PLAN}, true, null)`
  const tenant = await stage.createTenant({ target: place.target, sql })
  const [row] = await sql<
    { shard: number | null }[]
  >`select shard from account where id = ${tenant.accountId}`
  const shard = getShard(sql, row?.shard ?? null)
  const uuids = await fill(shard, { accountId: tenant.accountId, count: PASSPORTS, word: 'citus' })
  await shard`analyze passport`
  await endPools(sql)
  const server = await stage.startServer({ target: place.target, sql }, 'ours.ts', place)
  return { server, tenant, uuids, sent: 0 }
}

async function shoot(contender: Contender, what: What): Promise<number> {
  const { server, tenant, uuids } = contender
  const headers = { authorization: `Bearer ${tenant.key}` }
  const path = (n: number) => `/api/v1/products/${idFromUuid(uuids[(n * 7919) % uuids.length] ?? '')}`
  const requests: Record<What, () => string> = {
    read: () => request('GET', path(contender.sent), headers),
    create: () =>
      request(
        'POST',
        '/api/v1/products',
        headers,
        JSON.stringify({ category: 'textile', data: bodyOf(contender.sent) }),
      ),
    bulk: () => bulkRequest(tenant, uuids[0] ?? '', 'L1', contender.sent * CALL),
    patch: () =>
      request(
        'PATCH',
        path(contender.sent),
        headers,
        JSON.stringify({ data: { weightGrams: 1 + contender.sent } }),
      ),
    list: () => request('GET', '/api/v1/products?limit=25', headers),
  }
  const next = () => {
    contender.sent++
    return requests[what]()
  }
  const tally = await load({ port: server.port, connections: CONNECTIONS[what], seconds: SECONDS, next })
  if (tally.failed > 0) throw new Error(`${tally.failed} requests failed`)
  return tally.perSecond
}
