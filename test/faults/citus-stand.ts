/**
 * The setup for faults on a Citus cluster: the real server, accounts on every worker, and all their visitors.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { createAccount, setPlan } from '../../src/accounts/account/accounts.ts'
import { createKey } from '../../src/accounts/keys/keys.ts'
import { createPerson } from '../../src/accounts/people/people.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { openPools, type StorePools } from '../../src/cli/store/pools.ts'
import { getShard } from '../../src/kernel/db/shards.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { type CitusDatabase, type CitusNode, findPlacement } from '../citus/cluster.ts'
import { makeShardedDatabase } from '../citus/sharded-database.ts'
import { carnetJson, emptyFolder, type Served, type Settings, serve } from '../cli/processes.ts'
import { fill, fillItems } from '../fill-database.ts'
import { Clients } from './clients.ts'
import { Follower } from './follower.ts'
import { say } from './look-through.ts'
import { Receiver } from './receiver.ts'
import { type Answer, RequestLog } from './request-log.ts'
import { freePort, SETTINGS } from './stand.ts'
import { Visitor } from './visitor.ts'

const ACCOUNTS = 4
const READY_TRIES = 600
const PASSWORD = 'eleven herons over the lake'
const ITEMS_EACH = 500

export type CitusAccount = {
  id: number
  shard: number
  key: string
  /** Digits that place the GTINs of the account. */
  gtinPrefix: string
  plain: Clients
  withGtins: Clients
  visitor: Visitor
  follower: Follower
  receiver: Receiver
}

export type CitusStand = Awaited<ReturnType<typeof openCitusStand>>

/** `items`: how many units the first account has on its shard from the start. */
export type CitusStandOptions = { shards: number; items: number }

export async function openCitusStand({ shards, items }: CitusStandOptions) {
  const began = performance.now()
  const database = await makeShardedDatabase(shards)
  const folder = await emptyFolder()
  const { coordinator, workers } = database
  const common = { ...SETTINGS, SECRET_KEY: 'of-a-cluster'.repeat(4) }
  /** `hosts`: the nodes of DATABASE_URL, in order. */
  const startServer = async (hosts: readonly CitusNode[]) => {
    const names = hosts.map(({ host, port }) => `${host}:${port}`).join(',')
    const url = coordinator.url.replace(/@[^/]*\//, `@${names}/`)
    const port = String(await freePort())
    const env = { ...common, DATABASE_URL: url, PORT: port, DATA_DIR: folder.path, WORKERS: '2' }
    return serve({ cwd: folder.path, env })
  }
  let server = await startServer([coordinator, ...workers])
  const servers = [server]
  const settings: Settings = {
    cwd: folder.path,
    env: { ...common, DATABASE_URL: coordinator.url, DATA_DIR: folder.path },
  }
  const pools = openPools({ url: coordinator.url }, { name: 'faults', isDistributed: true })
  await pools.openShards()
  const accounts = await makeAccounts({ database, pools, settings, url: () => server.url })
  if (items > 0) await loadItems(pools, accounts[0], items)
  say(`${shards} shards, ${items} items; set up in ${Math.round((performance.now() - began) / 1000)} s`)
  return {
    database,
    /** For commands: they ask the coordinator. */
    settings,
    accounts,
    get server() {
      return server
    },
    /** Another server takes over. `hosts`: the nodes of its DATABASE_URL, in order. */
    async restart(hosts: readonly CitusNode[]) {
      const earlier = server
      server = await startServer(hosts)
      servers.push(server)
      await pause(1_000)
      await earlier.stop('SIGTERM')
    },
    /** The errors that the servers have logged, without times and names. */
    listLoggedErrors: () => new Set(servers.flatMap(({ said }) => listErrors(said.stderr + said.stdout))),
    /** Resolves when each of these accounts can be read again. */
    untilReady: (some: readonly CitusAccount[] = accounts) =>
      Promise.all(some.map(account => untilAnswered(server, account))),
    async close() {
      await server.stop('SIGTERM')
      await pools.end()
      for (const { receiver } of accounts) receiver.close()
      await folder.remove()
      await database.drop()
    },
  }
}

/** pino's number of the level `error`. */
const ERROR_LEVEL = 50

function listErrors(log: string): string[] {
  return log.split('\n').flatMap(line => {
    if (!line.startsWith('{"level":')) return []
    const { level, msg, err, reason } = JSON.parse(line) as Record<string, unknown>
    const { code, message } = (err ?? {}) as Record<string, unknown>
    if (typeof level === 'number' ? level < ERROR_LEVEL : level !== 'error') return []
    return [`${msg}: ${code ?? ''} ${message ?? reason ?? ''}`.replaceAll(/\d{4,}/g, '…')]
  })
}

type Making = { database: CitusDatabase; pools: StorePools; settings: Settings; url: () => string }

/** One after the other: each on the emptiest shard. */
async function makeAccounts(making: Making): Promise<CitusAccount[]> {
  const accounts: CitusAccount[] = []
  for (let n = 0; n < ACCOUNTS; n++) accounts.push(await makeAccount(making, n))
  return accounts
}

async function makeAccount({ database, pools, settings, url }: Making, n: number): Promise<CitusAccount> {
  const ctx = { sql: pools.sql, clock: systemClock }
  const id = Number((await createAccount(ctx, { name: `Faults ${n}`, plan: 'enterprise' })).id)
  await setPlan(ctx, { accountId: id, plan: 'enterprise', quota: {}, requestsPerMinute: 9_000_000 })
  const common = { name: 'faults', scope: 'full', expiresAt: undefined, createdBy: 'faults' } as const
  const { key } = await createKey(ctx, { accountId: id, ...common })
  const [row] = await pools.sql<{ shard: number }[]>`select shard from account where id = ${id}`
  const shard = row?.shard ?? 0
  const email = `owner${n}@faults.example`
  const { token } = await createPerson(ctx, { accountId: id, email, role: 'owner' })
  await setPassword(ctx, { token, password: PASSWORD })
  const receiver = new Receiver()
  const events = ['--events', 'product.created,product.updated']
  const to = ['--account', String(id), '--url', await receiver.open()]
  receiver.expect(
    (await carnetJson<{ secret: string }>(['webhooks', 'add', ...to, ...events], settings)).secret,
  )
  const { node } = await findPlacement(database, `shard_${shard}.passport`)
  // The GTINs of the first two accounts are on the worker of the account, those of the others on another one.
  const gtinPrefix = await findGtinPrefix(database, n, port => n < 2 === (port === node.port))
  return {
    id,
    shard,
    key,
    gtinPrefix,
    receiver,
    follower: new Follower(url, key),
    plain: new Clients(url, key, { count: 1 }),
    withGtins: new Clients(url, key, { count: 1, gtinPrefix }),
    visitor: new Visitor(url, {
      account: id,
      email,
      password: PASSWORD,
      sql: () => getShard(pools.sql, shard),
    }),
  }
}

/** Different digits for each `n`. */
async function findGtinPrefix(
  database: CitusDatabase,
  n: number,
  isWanted: (port: number) => boolean,
): Promise<string> {
  for (let digits = 1_000 * (n + 1); ; digits++) {
    if (isWanted((await findClaimPort(database, String(digits))) ?? 0)) return String(digits)
  }
}

/** The port of the worker that has the GTINs with these digits. */
export async function findClaimPort(
  { coordinator }: CitusDatabase,
  digits: string,
): Promise<number | undefined> {
  const [row] = await coordinator.sql<{ port: number }[]>`
    select n.nodeport as port from pg_dist_placement p join pg_dist_node n using (groupid)
    where p.shardid = get_shard_id_for_distribution_column('gtin_claim', ${digits}::text)`
  return row?.port
}

async function loadItems(pools: StorePools, account: CitusAccount | undefined, items: number): Promise<void> {
  if (account === undefined) return
  const sql = getShard(pools.sql, account.shard)
  const { id: accountId } = account
  const models = await fill(sql, { accountId, count: Math.ceil(items / ITEMS_EACH), word: 'large' })
  await fillItems(sql, { accountId, models, each: ITEMS_EACH, prefix: 'L', log: say })
  await sql`analyze passport`
}

async function untilAnswered(server: Served, { key }: CitusAccount): Promise<void> {
  const log = new RequestLog()
  const headers = { authorization: `Bearer ${key}` }
  let answer: Answer | undefined
  for (let tries = 0; tries < READY_TRIES; tries++) {
    answer = await log.send(`${server.url}/api/v1/products?limit=1`, { headers })
    if (answer?.status === 200) return
    await pause(100)
  }
  const { stderr } = server.said
  throw new Error(`an account does not come back: ${answer?.status} ${answer?.text}\n${stderr.slice(-2_000)}`)
}

export const findNode = async (stand: CitusStand, shard: number): Promise<CitusNode> =>
  (await findPlacement(stand.database, `shard_${shard}.passport`)).node

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
