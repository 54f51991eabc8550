/** The setup for faults on a Citus cluster: the real server, accounts on every worker, and servers that die. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createAccount, setPlan } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys/keys.ts'
import { openPools } from '../../src/cli/store/pools.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { type CitusDatabase, type CitusNode, findPlacement } from '../citus/cluster.ts'
import { makeShardedDatabase } from '../citus/sharded-database.ts'
import { emptyFolder, type Served, type Settings, serve } from '../cli/processes.ts'
import { Clients } from './clients.ts'
import { Follower } from './follower.ts'
import { freePort, SETTINGS } from './stand.ts'

const SHARDS = 8
const ACCOUNTS = 4
const READY_TRIES = 600
const CITUS_SCRIPT = join(import.meta.dirname, '../../scripts/citus.sh')
const run = promisify(execFile)

export type CitusAccount = {
  id: number
  shard: number
  key: string
  plain: Clients
  withGtins: Clients
  follower: Follower
}

export type CitusStand = Awaited<ReturnType<typeof openCitusStand>>

/** `hosts`: the nodes of DATABASE_URL, in order. */
export async function openCitusStand(hosts: (database: CitusDatabase) => readonly CitusNode[]) {
  const database = await makeShardedDatabase(SHARDS)
  const folder = await emptyFolder()
  const names = hosts(database).map(({ host, port }) => `${host}:${port}`)
  const env = {
    ...SETTINGS,
    DATABASE_URL: database.coordinator.url.replace(/@[^/]*\//, `@${names}/`),
    SECRET_KEY: 'of-a-cluster'.repeat(4),
    ...{ PORT: String(await freePort()), DATA_DIR: folder.path, WORKERS: '2' },
  }
  const settings: Settings = { cwd: folder.path, env }
  const server = await serve(settings)
  const accounts = await makeAccounts(database, server)
  return {
    database,
    settings,
    server,
    accounts,
    start() {
      for (const { plain, withGtins, follower } of accounts)
        for (const one of [plain, withGtins, follower]) one.start()
    },
    /** Resolves when each account can be read and written again. */
    untilReady: () => Promise.all(accounts.map(account => untilAnswered(server, account))),
    async close() {
      await server.stop('SIGTERM')
      await folder.remove()
      await database.drop()
    },
  }
}

async function makeAccounts(database: CitusDatabase, server: Served): Promise<CitusAccount[]> {
  const pools = openPools({ url: database.coordinator.url }, { name: 'faults', isDistributed: true })
  await pools.openShards()
  const ctx = { sql: pools.sql, clock: systemClock }
  const accounts: CitusAccount[] = []
  for (let n = 0; n < ACCOUNTS; n++) {
    const id = Number((await createAccount(ctx, { name: `Faults ${n}`, plan: 'enterprise' })).id)
    await setPlan(ctx, { accountId: id, plan: 'enterprise', quota: {}, requestsPerMinute: 9_000_000 })
    const common = { name: 'faults', scope: 'full', expiresAt: undefined, createdBy: 'faults' } as const
    const { key } = await createKey(ctx, { accountId: id, ...common })
    const [row] = await pools.sql<{ shard: number }[]>`select shard from account where id = ${id}`
    const url = () => server.url
    accounts.push({
      ...{ id, key, shard: row?.shard ?? 0, follower: new Follower(url, key) },
      plain: new Clients(url, key, { count: 1 }),
      withGtins: new Clients(url, key, { count: 1, withGtins: true }),
    })
  }
  await pools.end()
  return accounts
}

async function untilAnswered(server: Served, { key }: CitusAccount): Promise<void> {
  for (let tries = 0; tries < READY_TRIES; tries++) {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${server.url}/api/v1/products?limit=1`, { headers }).catch(() => undefined)
    if (answer?.status === 200) return
    await pause(100)
  }
  throw new Error(`an account does not come back:\n${server.said.stderr.slice(-2_000)}`)
}

export const findNode = async (stand: CitusStand, shard: number): Promise<CitusNode> =>
  (await findPlacement(stand.database, `shard_${shard}.passport`)).node

/** Where the node's server keeps its data. Read it before the node is killed. */
export async function findDataDir({ sql }: CitusNode): Promise<string> {
  const [row] = await sql<{ path: string }[]>`select current_setting('data_directory') as path`
  return row?.path ?? ''
}

/** Ends a server of PostgreSQL at once, as a lost machine. */
export function killServer(dataDir: string): void {
  const pid = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'latin1').split('\n')[0])
  if (!(pid > 1)) throw new Error(`There is no server in ${dataDir}.`)
  process.kill(pid, 'SIGQUIT')
}

/** Starts the servers of the cluster that do not run. */
export async function startServers(dataDir: string): Promise<void> {
  await pause(500)
  await run(CITUS_SCRIPT, ['/nonexistent', dirname(dataDir)])
}

/** Transactions that were prepared on any node and not ended, after Citus has ended its own. */
export async function findPrepared({ database }: CitusStand): Promise<string[]> {
  const nodes = [database.coordinator, ...database.workers]
  for (const { sql } of nodes) {
    const recover = () => sql`select recover_prepared_transactions()`
    // Its connections to the other nodes may be from before these were killed: each fails once.
    await nodes.reduce((tried: Promise<unknown>) => tried.catch(recover), recover())
  }
  const all = await Promise.all(
    nodes.map(
      ({ sql }) =>
        sql<{ gid: string }[]>`select gid from pg_prepared_xacts where database = current_database()`,
    ),
  )
  return all.flat().map(({ gid }) => `the transaction ${gid} is still prepared`)
}
