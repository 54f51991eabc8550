/**
 * `large`: one account with up to 100 million items on one PostgreSQL, compared with one of a million in another
 * database of the same server. Runs only when it is named:
 * `npm run bench -- large --items 100000000 --folder /a/large/disk`. It continues what an earlier run has loaded.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import { bodyOf, fill } from '../test/fill-database.ts'
import { writeBackup } from './backup.ts'
import {
  type BenchDatabase,
  type BenchEnvironment,
  type BenchRow,
  median,
  type Server,
  type Tenant,
} from './environment.ts'
import { FROM_EVERYWHERE, load, request, type Shot } from './load.ts'
import { ask, bulkRequest, correction } from './units.ts'

/** `folder` keeps the databases for the next run, and the backup while it is measured. */
export type LargeOptions = { items: number; folder: string }

const SMALL = 1_000_000
const MODELS = 10_000
/** Items of a model in one round, as a bulk call issues them. */
const CALL = 500
/** Models in one transaction. */
const STEP_MODELS = 500
/** One for each core that PostgreSQL may use here. */
const LOADERS = 2
const READ_CONNECTIONS = 8
/** As the row `bytes`. */
const BYTES = 480
/** A hundred million in an hour. */
const BACKUP_PER_SECOND = 28_000
/** Items that the calls read, about. */
const SAMPLE = 100_000
const ROUNDS = 5
const SECONDS = 3

type Side = { hall: BenchDatabase; server: Server; tenant: Tenant; models: string[]; items: string[] }
type Kind = (side: Side) => Omit<Shot, 'port' | 'seconds'>

export async function largeRows(stage: BenchEnvironment, options: LargeOptions): Promise<BenchRow[]> {
  const small = await openSide(stage, 'million', SMALL)
  const large = await openSide(stage, 'large', options.items)
  const rows: BenchRow[] = []
  for (const [name, kind] of Object.entries(KINDS)) rows.push(...(await compare(name, kind, small, large)))
  rows.push(await measureBytes(large, options.items))
  await Promise.all([small.server.stop(), large.server.stop()])
  return rows
}

async function openSide(stage: BenchEnvironment, name: string, items: number): Promise<Side> {
  const hall = await stage.openDatabase(name)
  const tenant = await findTenant(hall, stage)
  const models = await listModels(hall, tenant)
  const started = performance.now()
  await loadItems(stage, hall, tenant, models, items)
  await vacuum(hall)
  stage.log(`${name}: ${items} items, loaded in ${Math.round((performance.now() - started) / 1000)} s`)
  return {
    hall,
    server: await stage.startServer(hall, 'ours.ts'),
    tenant,
    models,
    items: await sampleItems(hall, items),
  }
}

/** A table of this size takes minutes. */
const vacuum = ({ sql }: BenchDatabase) =>
  sql.begin(tx => tx`set local statement_timeout = 0`).then(() => sql`vacuum (analyze) passport`)

/** Items from everywhere in the table, in random order. */
async function sampleItems({ sql }: BenchDatabase, count: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from passport tablesample system (${(100 * SAMPLE) / count}) where level = 'i' order by md5(id::text)`
  return rows.map(row => idFromUuid(row.id))
}

/** Each run makes a key; the account is that of the first. */
async function findTenant(hall: BenchDatabase, stage: BenchEnvironment): Promise<Tenant> {
  const [first] = await hall.sql<{ id: number }[]>`select min(id) as id from account`
  return stage.createTenant(hall, first?.id ?? undefined)
}

async function listModels({ sql }: BenchDatabase, { accountId }: Tenant): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from passport where account_id = ${accountId} and level = 'm' order by id limit ${MODELS}`
  return rows.length > 0 ? rows.map(row => row.id) : fill(sql, { accountId, count: MODELS, word: 'large' })
}

/** Issues items round by round: each model gets 500, then each the next 500, as production lines would. */
async function loadItems(
  stage: BenchEnvironment,
  { sql }: BenchDatabase,
  { accountId }: Tenant,
  models: readonly string[],
  items: number,
): Promise<void> {
  const [counted] = await sql<{ n: number }[]>`
    select coalesce(sum(n), 0)::float8 as n from passport_count where account_id = ${accountId} and level = 'i'`
  const size = STEP_MODELS * CALL
  const groups = models.length / STEP_MODELS
  let next = Math.ceil((counted?.n ?? 0) / size)
  const last = Math.ceil(items / size)
  const started = performance.now()
  const first = next
  const work = async () => {
    while (next < last) {
      const step = next++
      const group = models.slice((step % groups) * STEP_MODELS, ((step % groups) + 1) * STEP_MODELS)
      await loadStep(sql, accountId, group, Math.floor(step / groups) * CALL)
      const perSecond = ((next - first) * size * 1000) / (performance.now() - started)
      if (next % 20 === 0) stage.log(`  ${next * size} of ${items} items, ${Math.round(perSecond)} a second`)
    }
  }
  await Promise.all(Array.from({ length: LOADERS }, work))
}

/** The rows and counters of bulk calls, without their events: these are deleted after some time. */
function loadStep(
  sql: BenchDatabase['sql'],
  accountId: number,
  models: readonly string[],
  from: number,
): Promise<unknown> {
  const count = models.length * CALL
  return sql.begin(async tx => {
    await tx`set local statement_timeout = 0`
    await tx`
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, parent_id,
        model_id, schema_version, level, status, category, serial)
      select now(), ${accountId}::int, 1, 0, 0, uuidv7(), m, m, m, 1, 'i', 'a', 'textile',
        'L1-' || lpad((${from}::int + n)::text, 7, '0')
      from unnest(${`{${models.join(',')}}`}::text::uuid[]) m cross join generate_series(0, ${CALL - 1}::int) n`
    await tx`
      insert into content_units (account_id, content_id, n)
      select ${accountId}::int, m, ${CALL}::int from unnest(${`{${models.join(',')}}`}::text::uuid[]) m order by m
      on conflict (account_id, content_id) do update set n = content_units.n + excluded.n`
    await tx`
      insert into passport_count (account_id, level, status, category, n)
      values (${accountId}, 'i', 'a', 'textile', ${count})
      on conflict (account_id, level, status, category) do update set n = passport_count.n + excluded.n`
    await tx`update account_usage set used = used + ${count} where account_id = ${accountId} and level = 'i'`
  })
}

let made = Date.now()

/** Each item once in turn, so that most come from the disk where the database is larger than the memory. */
const KINDS: Record<string, Kind> = {
  read: ({ tenant, items }) => ({
    connections: READ_CONNECTIONS,
    next: n => ask(tenant, 'GET', items[n % items.length] ?? ''),
  }),
  page: ({ items }) => ({
    connections: READ_CONNECTIONS,
    next: n => request('GET', `/p/${items[n % items.length]}`, { accept: 'text/html', ...FROM_EVERYWHERE }),
  }),
  create: ({ tenant }) => ({
    connections: 1,
    next: () => {
      const body = JSON.stringify({ category: 'textile', data: bodyOf(made++) })
      return request('POST', '/api/v1/products', headersOf(tenant), body)
    },
  }),
  'bulk of 500': ({ tenant, models }) => ({
    connections: 1,
    next: n => bulkRequest(tenant, models[(n * 7919) % models.length] ?? '', `B${(made++).toString(36)}`, 0),
  }),
  correction: ({ tenant, models }) => ({
    connections: 1,
    next: n => correction(tenant, models[(n * 7919) % models.length] ?? '', made++ % 10_000),
  }),
  'list of models': list('limit=25'),
  'list of items': list('level=item&limit=25'),
}

const headersOf = ({ key }: Tenant) => ({ authorization: `Bearer ${key}` })

function list(query: string): Kind {
  return ({ tenant }) => ({
    connections: 1,
    next: () => request('GET', `/api/v1/products?${query}`, headersOf(tenant)),
  })
}

/** Medians of the rounds' medians and 99th percentiles. The first round warms up. */
async function compare(name: string, kind: Kind, small: Side, large: Side): Promise<BenchRow[]> {
  const sides = [small, large].map(side => ({
    side,
    shot: kind(side),
    sent: 0,
    medians: [] as number[],
    p99s: [] as number[],
  }))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const one of round % 2 === 0 ? sides : sides.toReversed()) {
      const next = () => one.shot.next(one.sent++)
      const tally = await load({ ...one.shot, next, port: one.side.server.port, seconds: SECONDS })
      if (tally.failed > 0) throw new Error(`${name}: ${tally.failed} requests failed`)
      if (round > 0) one.medians.push(tally.medianMs)
      if (round > 0) one.p99s.push(tally.p99Ms)
    }
  }
  return (['medians', 'p99s'] as const).map(figure => {
    const [limit = Number.NaN, ours = Number.NaN] = sides.map(one => median(one[figure]))
    const what = figure === 'medians' ? 'median' : '99th percentile'
    return {
      row: `large, ${name}, ${what}`,
      ours,
      limit,
      ratio: ours / limit,
      unit: 'ms, against a million items',
    }
  })
}

async function measureBytes({ hall: { sql } }: Side, items: number): Promise<BenchRow> {
  const [size] = await sql<{ bytes: number }[]>`select pg_total_relation_size('passport')::float8 as bytes`
  const each = (size?.bytes ?? Number.NaN) / items
  return {
    row: 'large, bytes',
    ours: each,
    limit: BYTES,
    ratio: each / BYTES,
    unit: 'bytes an item, its indexes included',
  }
}

/** `large-backup`: for a database that `large` has loaded, because it takes most of an hour. */
export async function largeBackupRows(
  stage: BenchEnvironment,
  { folder }: LargeOptions,
): Promise<BenchRow[]> {
  const hall = await stage.openDatabase('large')
  const path = join(folder, 'large-backup')
  await rm(path, { force: true })
  const { passports, seconds, bytes } = await writeBackup(hall, path)
  await rm(path, { force: true })
  stage.log(`${bytes} bytes in ${seconds} s`)
  const perSecond = passports / seconds
  const unit = `passports/s; ${Math.round(seconds / 60)} minutes, ${(bytes / passports).toFixed(1)} bytes each`
  return [
    {
      row: 'large, backup',
      ours: perSecond,
      limit: BACKUP_PER_SECOND,
      ratio: perSecond / BACKUP_PER_SECOND,
      unit,
    },
  ]
}
