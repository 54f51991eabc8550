/**
 * `past`: a passport as it was at a time (EN 18222), each time another of 1,000,000 passports with five versions
 * each, compared with the same passport as it is, with GET of its product, and with a bare server.
 */

import { idFromUuid, newUuid } from '../src/kernel/crypto/ids.ts'
import { openPool } from '../src/kernel/db/database.ts'
import { creationTime } from '../src/passports/core/record.ts'
import { bodyOf } from '../test/fill-database.ts'
import type { BenchDatabase, BenchEnvironment } from './environment.ts'
import { type Bench, type BenchRow, measureInTurns, type Server, type Tenant } from './environment.ts'
import { load, request } from './load.ts'

const PASSPORTS = 1_000_000
const VERSIONS = 5
const STEP = 10_000
const CONNECTIONS = 64
const SECONDS = 2
const BARE_POOLS = [4, 10]
/** So many passports are read, from all parts of the table. */
const READ = 100_000
const FIRST = Date.parse('2025-01-01T00:00:00Z')
/** A thousandth of the time from its first version to a day after its last. */
const MOMENT_MS = (VERSIONS * 86_400_000) / 1_000

export const pastRows: Bench = async stage => {
  const hall = await stage.openDatabase('past')
  const [filled] = await hall.sql<{ account_id: number }[]>`select account_id from passport limit 1`
  const tenant = await stage.createTenant(hall, filled?.account_id)
  if (filled === undefined) await fillVersions(hall, tenant, stage.log)
  const ids = await selectSome(hall, tenant)
  const ours = await stage.startServer(hall, 'ours.ts')
  const own = { authorization: `Bearer ${tenant.key}` }
  const pick = (n: number) => ids[(n * 7919) % ids.length] ?? ''
  const idOf = (n: number) => idFromUuid(pick(n))
  /** Another place between its versions each time, in a fifth of the reads after the last. */
  const dateOf = (n: number) =>
    new Date(creationTime(pick(n)).getTime() + ((n * 104_729) % 1_000) * MOMENT_MS).toISOString()
  const past = (n: number) => request('GET', `/dpp/v1/dppsByIdAndDate/${idOf(n)}?date=${dateOf(n)}`, own)
  const present = (n: number) => request('GET', `/dpp/v1/dpps/${idOf(n)}`, own)
  const product = (n: number) => request('GET', `/api/v1/products/${idOf(n)}`, own)
  const bare = (n: number) => request('GET', `/${pick(n)}/${tenant.accountId}/${dateOf(n)}`)
  const servers = await startBare(stage, hall)
  const { past: mine, ...figures } = await measureInTurns<string>({
    past: shoot(ours, past),
    present: shoot(ours, present),
    product: shoot(ours, product),
    ...Object.fromEntries(servers.map((server, i) => [`pool ${BARE_POOLS[i]}`, shoot(server, bare)])),
  })
  const one = await measureInTurns({
    past: time(ours, past),
    present: time(ours, present),
    product: time(ours, product),
  })
  await Promise.all([ours, ...servers].map(server => server.stop()))
  const best = Math.max(...BARE_POOLS.map(pool => figures[`pool ${pool}`] ?? 0))
  const unit = `requests/s, ${CONNECTIONS} connections`
  return [
    row('past', mine, figures.present, `${unit}, against the document as it is`),
    row('past, product', mine, figures.product, `${unit}, against GET of the product`),
    row('past, bare', mine, best, `${unit}, against the bare statement`),
    row('past, one by one', one.past, one.present, 'ms, against the document as it is'),
    row('past, product, one by one', one.past, one.product, 'ms, against GET of the product'),
  ]
}

const row = (name: string, ours = Number.NaN, limit = Number.NaN, unit = ''): BenchRow => ({
  row: name,
  ours,
  limit,
  ratio: ours / limit,
  unit,
})

const startBare = (stage: BenchEnvironment, hall: BenchDatabase): Promise<Server[]> =>
  Promise.all(BARE_POOLS.map(pool => stage.startServer(hall, 'bare.ts', { what: 'past', pool })))

async function run({ port }: Server, connections: number, next: (n: number) => string) {
  const tally = await load({ port, connections, seconds: SECONDS, next })
  if (tally.failed > 0) throw new Error(`${tally.failed} requests failed`)
  return tally
}

const shoot = (server: Server, next: (n: number) => string) => async () =>
  (await run(server, CONNECTIONS, next)).perSecond
const time = (server: Server, next: (n: number) => string) => async () =>
  (await run(server, 1, next)).medianMs

/** UUIDs from all parts of the table. */
async function selectSome({ sql }: BenchDatabase, { accountId }: Tenant): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from (
      select id, row_number() over (order by id) as n from passport where account_id = ${accountId}) p
    where n % ${PASSPORTS / READ} = 0`
  return rows.map(({ id }) => id)
}

/**
 * Inserts the rows that creating and changing these models writes: each version has a content of its own and is
 * a day younger than the one before. Their hashes are empty, and searches do not find them.
 */
async function fillVersions(
  { target }: BenchDatabase,
  { accountId }: Tenant,
  log: (line: string) => void,
): Promise<void> {
  const sql = openPool(target, { max: 1, name: 'bench-fill' })
  await sql`set statement_timeout = 0`
  await sql`set synchronous_commit = off`
  const body = JSON.stringify(bodyOf(0))
  for (let done = 0; done < PASSPORTS; done += STEP) {
    const ids = Array.from({ length: STEP }, (_, i) => newUuid(FIRST + done + i))
    await sql`
      with input as materialized (
        select id, carnet_created_at(id) as at, ${done}::int + n as n
        from unnest(${`{${ids.join()}}`}::text::uuid[]) with ordinality as r(id, n)
      ), versions as materialized (
        select id, n, v, at + (v - 1) * interval '1 day' as at, case when v = 1 then id else gen_random_uuid() end as content_id
        from generate_series(1, ${VERSIONS}::int) v cross join input order by v, n
      ), contents as (
        insert into content (account_id, upto, id, owner_id, data, hash)
        select ${accountId}, v, content_id, id, ${body}::text::jsonb || jsonb_build_object('sku', 'S-' || n, 'weightGrams', v), ''
        from versions
      ), history as (
        insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, schema_version, kind, hash)
        select at, ${accountId}, v, 0, id, content_id, 1, case when v = 1 then 'n' else 'h' end::"char", '' from versions
      )
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, model_id,
        schema_version, level, status, category, sku)
      select at, ${accountId}, v, 0, 0, id, content_id, id, 1, 'm', 'a', 'textile', 'S-' || n from versions where v = ${VERSIONS}`
    if ((done / STEP) % 10 === 9) log(`  ${done + STEP} of ${PASSPORTS}`)
  }
  await sql`vacuum (analyze) passport, passport_version, content`
  await sql.end()
}
