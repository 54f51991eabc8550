/** Creates a database for a test file: a copy of the run's migrated database. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import { createShardPools } from '../src/cli/store/shard-pools.ts'
import { createShards } from '../src/kernel/db/citus.ts'
import { createShard, listShardTables } from '../src/kernel/db/create-shard.ts'
import { openPool, type Sql } from '../src/kernel/db/database.ts'
import { migrate } from '../src/kernel/db/migrate.ts'
import { getShard, listShards, readShards } from '../src/kernel/db/shards.ts'

/** Where to connect, in the form of `openPool`. */
export type Target = { url: string } | { socketDir: string; port: number; user: string; database: string }

/** The shards of each account of a test: `CARNET_TEST_SHARDED=1`, or 2 for models on two. */
export const TEST_SHARDS = Number(process.env.CARNET_TEST_SHARDED ?? 0)
export const IS_SHARDED = TEST_SHARDS > 0

export const TEST_SHARD = IS_SHARDED ? 1 : null

/** The data that `test/run.ts` passes to every test file, as JSON in `CARNET_TEST_DB`. */
export type TestServer = {
  /** An existing database from which the others are created and dropped. */
  admin: Target
  /** The name of the migrated database. */
  template: string
  /** The prefix of all database names of this run. */
  prefix: string
  /** Only on a cluster: its other servers, each with a database of the same name. */
  others?: readonly Target[]
  /** True if the server's checkpoints are cheap, because it never waits for a disk. */
  hasCheapCheckpoints?: boolean
}

export const TEST_SERVER_VARIABLE = 'CARNET_TEST_DB'

export type TestDatabase = {
  target: Target
  /** On a cluster. */
  isDistributed?: boolean
  drop: () => Promise<void>
}

/** A new copy of the migrated database. `drop` works even with open connections. */
export async function cloneDatabase(): Promise<TestDatabase> {
  const server = findServer()
  return makeDatabase(server, server.template)
}

export type PoolSettings = Parameters<typeof openPool>[1]

/**
 * Opens the pool of what accounts share, and those of the shards, as a server does. End all with `endPools`.
 */
export async function openPools(
  { target, isDistributed = false }: TestDatabase,
  settings: PoolSettings = {},
): Promise<Sql> {
  const options = { ...settings, isDistributed }
  const shared = openPool(target, options)
  const pools = createShardPools(target, openPool)
  pools.openBeside(shared, options)
  await pools.update(shared, isDistributed)
  return shared
}

/** Where tests find the tables of accounts. With one shard, they read them by their names. */
export const getTestShard = (shared: Sql): Sql => getShard(shared, TEST_SHARD)

export async function endPools(shared: Sql): Promise<void> {
  await Promise.all([...new Set([shared, ...listShards(shared)])].map(pool => pool.end({ timeout: 5 })))
}

/** A database without the migrations. On a cluster, a plain one of the coordinator. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const { others: _, ...server } = findServer()
  return makeDatabase(server, 'template0')
}

/** Creates shards until there are `count`. */
export async function addTestShards({ target, isDistributed }: TestDatabase, count: number): Promise<void> {
  const sql = connect(target)
  try {
    if (isDistributed) await createShards(sql, count)
    else
      for (let shard = (await readShards(sql)).length + 1; shard <= count; shard++)
        await sql.begin(tx => createShard(tx, shard))
  } finally {
    await sql.end()
  }
}

/** A migrated database without accounts that has at least this number of shards; without, in one schema. */
export async function cloneWithShards(shards: number): Promise<TestDatabase> {
  const database = shards === 0 && IS_SHARDED ? await emptyDatabase() : await cloneDatabase()
  if (shards > 0) await addTestShards(database, shards)
  else if (IS_SHARDED) await migrateDatabase(database.target)
  return database
}

async function makeDatabase(server: TestServer, template: string): Promise<TestDatabase> {
  const name = `${server.prefix}_${randomUUID().replaceAll('-', '')}`
  const servers = [server.admin, ...(server.others ?? [])]
  // Copying files begins and ends with a checkpoint. The default reads and logs each page.
  const strategy = server.hasCheapCheckpoints ? 'file_copy' : 'wal_log'
  await Promise.all(servers.map(admin => asAdmin(admin, sql => copy(sql, template, name, strategy))))
  return {
    target: targetOf(server.admin, name),
    isDistributed: server.others !== undefined,
    async drop() {
      await Promise.all(servers.map(admin => asAdmin(admin, sql => drop(sql, name))))
    },
  }
}

function findServer(): TestServer {
  const given = process.env[TEST_SERVER_VARIABLE]
  if (given === undefined) {
    throw new Error(
      'This test needs the database of a test run: start it by `npm test -- test/api/health.test.ts`.',
    )
  }
  return JSON.parse(given) as TestServer
}

/** Set if the tests have started it, with settings of their own. */
export const isOwnServer = (): boolean => findServer().hasCheapCheckpoints === true

const MIGRATIONS = join(import.meta.dirname, '../migrations')
const OBJECT_IN_USE = '55006'
const ATTEMPTS = 20

/** The template cannot be copied while something, such as autovacuum, is connected to it. */
const copy = (sql: postgres.Sql, template: string, name: string, strategy: string): Promise<void> =>
  runUnlessInUse(sql, `create database "${name}" template "${template}" strategy ${strategy}`)

/** A process of Citus may connect again while all others are ended. */
const drop = (sql: postgres.Sql, name: string): Promise<void> =>
  runUnlessInUse(sql, `drop database "${name}" with (force)`)

async function runUnlessInUse(sql: postgres.Sql, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await sql.unsafe(statement)
      return
    } catch (error) {
      const isBusy = error instanceof postgres.PostgresError && error.code === OBJECT_IN_USE
      if (!isBusy || attempt === ATTEMPTS) throw error
      await pause(50)
    }
  }
}

async function asAdmin<T>(admin: Target, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = connect(admin)
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

/** The same server with another database. */
export function targetOf(target: Target, database: string): Target {
  if (!('url' in target)) return { ...target, database }
  const url = new URL(target.url)
  url.pathname = `/${database}`
  return { url: url.href }
}

/** A pool of one connection. */
export function connect(target: Target): postgres.Sql {
  const settings = { max: 1, fetch_types: false, onnotice: () => {} }
  if ('url' in target) return postgres(target.url, settings)
  const { socketDir, port } = target
  return postgres({ ...settings, ...target, host: socketDir, path: `${socketDir}/.s.PGSQL.${port}` })
}

/** Creates and migrates the database that test files copy. Called once per run. */
export async function makeTemplate(
  admin: Target,
  prefix: string,
): Promise<{ server: TestServer; version: string }> {
  const template = `${prefix}_template`
  const sql = connect(admin)
  try {
    await sql.unsafe(`create database "${template}" template template0`)
    const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`
    await migrateDatabase(targetOf(admin, template))
    await makeShards(targetOf(admin, template))
    return { server: { admin, template, prefix }, version: row?.version ?? '' }
  } finally {
    await sql.end()
  }
}

async function migrateDatabase(target: Target): Promise<void> {
  const sql = connect(target)
  try {
    await migrate(sql, MIGRATIONS, new Date())
  } finally {
    await sql.end()
  }
}

async function makeShards(target: Target): Promise<void> {
  const sql = connect(target)
  try {
    for (let shard = 1; shard <= TEST_SHARDS; shard++) await sql.begin(tx => createShard(tx, shard))
    if (TEST_SHARDS > 1) await createViews(sql)
  } finally {
    await sql.end()
  }
}

/** Drops every database of the run. */
export async function dropAll(admin: Target, prefix: string): Promise<void> {
  const sql = connect(admin)
  try {
    const found = await sql<{ name: string }[]>`
      select datname as name from pg_database where starts_with(datname, ${`${prefix}_`})`
    for (const { name } of found) await drop(sql, name)
  } finally {
    await sql.end()
  }
}

/**
 * The schema `all_shards`: the tables of all shards as one, for tests that count rows. Inserts into the
 * first.
 */
async function createViews(sql: postgres.Sql): Promise<void> {
  await sql`create schema all_shards`
  for (const table of await listShardTables(sql)) {
    const selects = Array.from({ length: TEST_SHARDS }, (_, i) => `select * from shard_${i + 1}.${table}`)
    await sql.unsafe(`create view all_shards.${table} as ${selects.join(' union all ')}`)
    await sql.unsafe(`
      create function all_shards.insert_${table}() returns trigger language plpgsql as $$
      begin insert into shard_1.${table} select (new).*; return new; end $$;
      create trigger inserts_into_home instead of insert on all_shards.${table}
        for each row execute function all_shards.insert_${table}()`)
  }
}
