/**
 * Faults of a Citus cluster under load: shards that move, and nodes that are killed. `CARNET_CITUS` must name
 * a cluster of scripts/citus.sh that nobody else uses.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type CitusDatabase, type CitusNode, moveShard, SKIP_WITHOUT_CITUS } from '../citus/cluster.ts'
import {
  type CitusAccount,
  type CitusStand,
  findDataDir,
  findNode,
  findPrepared,
  killServer,
  openCitusStand,
  startServers,
} from './citus-stand.ts'
import type { Clients } from './clients.ts'
import { complaints, say } from './look-through.ts'

const BETWEEN_MS = 1_000
const DOWN_MS = 3_000
const JOB_TRIES = 600

/** Returns the number of losses. */
export async function onCitus(cycles: number): Promise<number> {
  if (SKIP_WITHOUT_CITUS !== false) {
    say(`faults of a cluster are skipped: ${SKIP_WITHOUT_CITUS}`)
    return 0
  }
  const coordinatorFirst = ({ coordinator, workers }: CitusDatabase) => [coordinator, ...workers]
  const workersFirst = ({ coordinator, workers }: CitusDatabase) => [...workers, coordinator]
  const lost = [
    await onStand(coordinatorFirst, async stand => [
      ...(await moves(stand, cycles)),
      ...(await rebalance(stand)),
    ]),
    await onStand(coordinatorFirst, stand => killedWorkers(stand, cycles)),
    await onStand(workersFirst, stand => killedCoordinator(stand, Math.ceil(cycles / 4))),
  ]
  return lost.reduce((sum, n) => sum + n, 0)
}

async function onStand(
  hosts: (database: CitusDatabase) => readonly CitusNode[],
  work: (stand: CitusStand) => Promise<string[]>,
): Promise<number> {
  const stand = await openCitusStand(hosts)
  try {
    stand.start()
    const found = [...(await work(stand)), ...(await check(stand))]
    for (const one of found.slice(0, 20)) say(`  ${one}`)
    say(found.length === 0 ? '  nothing lost' : `  LOST ${found.length}`)
    return found.length
  } finally {
    await stand.close()
  }
}

/** Everything acknowledged exists once and was listed as a change, and all counters are exact. */
async function check(stand: CitusStand): Promise<string[]> {
  const clients = stand.accounts.flatMap(({ plain, withGtins }) => [plain, withGtins])
  await Promise.all(clients.map(one => one.stop()))
  await stand.untilReady()
  for (const one of clients) await one.settle()
  say(`  ${describe(clients)}; what was acknowledged is looked for`)
  const found: string[] = []
  for (const one of clients) found.push(...(await one.losses()), ...one.faulty)
  for (const { follower, plain, withGtins } of stand.accounts)
    found.push(...(await follower.findMissing([...plain.writes, ...withGtins.writes])))
  return [...found, ...(await findPrepared(stand)), ...(await complaints(atCoordinator(stand)))]
}

/** Only the coordinator has the tables of `public` that doctor compares those of the shards with. */
const atCoordinator = ({ settings, database }: CitusStand) => ({
  ...settings,
  env: { ...settings.env, DATABASE_URL: database.coordinator.url },
})

const sum = (clients: readonly Clients[], count: (one: Clients) => number) =>
  clients.reduce((total, one) => total + count(one), 0)
const countFailed = (clients: readonly Clients[]) =>
  sum(clients, one => one.postponed + one.unanswered + one.faulty.length)

function describe(clients: readonly Clients[]): string {
  const slowest = Math.round(Math.max(...clients.map(one => one.slowestMs)))
  const requests = sum(clients, one => one.requests)
  const products = sum(clients, one => one.writes.length)
  const unanswered = sum(clients, one => one.unanswered)
  const postponed = sum(clients, one => one.postponed)
  return `${requests} requests, ${products} products, ${postponed} answered 503, ${unanswered} unanswered, slowest ${slowest} ms`
}

const all = ({ accounts }: CitusStand) => accounts.flatMap(({ plain, withGtins }) => [plain, withGtins])

const noneFailed = (what: string, clients: readonly Clients[], before = 0): string[] => {
  const failed = countFailed(clients) - before
  say(`${what}: ${describe(clients)}; ${failed} failed`)
  return failed === 0 ? [] : [`${failed} requests failed`]
}

async function moves(stand: CitusStand, cycles: number): Promise<string[]> {
  const { accounts, database } = stand
  for (let turn = 0; turn < cycles; turn++) {
    await pause(BETWEEN_MS)
    const shard = accounts[turn % accounts.length]?.shard ?? 0
    const from = await findNode(stand, shard)
    const to = database.workers.find(worker => worker !== from)
    const began = performance.now()
    await moveShard(database, `shard_${shard}.passport`, to ?? from)
    say(`  ${turn + 1} of ${cycles}: shard ${shard} moved in ${Math.round(performance.now() - began)} ms`)
  }
  await pause(BETWEEN_MS)
  return noneFailed(`${cycles} moves`, all(stand))
}

/** All shards of accounts are on one worker, and Citus spreads them again. */
async function rebalance(stand: CitusStand): Promise<string[]> {
  const { accounts, database } = stand
  const [to] = database.workers
  const { sql } = database.coordinator
  for (const { shard } of accounts) {
    if (to && (await findNode(stand, shard)) !== to) await moveShard(database, `shard_${shard}.passport`, to)
  }
  const before = countFailed(all(stand))
  await sql`select citus_rebalance_start()`
  const countRunning = async () => {
    const rows =
      await sql`select from citus_rebalance_status() where state not in ('finished', 'failed', 'cancelled')`
    return rows.length
  }
  for (let tries = 0; tries < JOB_TRIES && (await countRunning()) > 0; tries++) await pause(500)
  const nodes = new Set(await Promise.all(accounts.map(({ shard }) => findNode(stand, shard))))
  const found = noneFailed('rebalance started by Citus', all(stand), before)
  return nodes.size === 1 ? [...found, 'Citus has spread no shard of an account'] : found
}

async function killedWorkers(stand: CitusStand, cycles: number): Promise<string[]> {
  const { accounts, database } = stand
  const nodes = new Map<CitusAccount, CitusNode>()
  for (const account of accounts) nodes.set(account, await findNode(stand, account.shard))
  const dirs = new Map<CitusNode, string>()
  for (const node of database.workers) dirs.set(node, await findDataDir(node))
  const found: string[] = []
  let withGtins = 0
  let affected = 0
  for (let turn = 0; turn < cycles; turn++) {
    await pause(BETWEEN_MS)
    const node = database.workers[turn % database.workers.length]
    const dir = (node && dirs.get(node)) ?? ''
    const others = accounts.filter(account => nodes.get(account) !== node)
    const own = accounts.filter(account => nodes.get(account) === node)
    const count = () =>
      [others.map(({ plain }) => plain), others.map(one => one.withGtins), own.map(({ plain }) => plain)].map(
        countFailed,
      )
    const before = count()
    killServer(dir)
    await pause(DOWN_MS)
    const [plain = 0, gtins = 0, lost = 0] = count().map((n, i) => n - (before[i] ?? 0))
    withGtins += gtins
    affected += lost
    await startServers(dir)
    await stand.untilReady()
    say(`  ${turn + 1} of ${cycles}: others ${plain} failed (with GTINs ${gtins}), its own ${lost}`)
    if (plain > 0) found.push(`turn ${turn + 1}: ${plain} requests of other accounts failed`)
    if (lost === 0) found.push(`turn ${turn + 1}: the worker was not lost`)
  }
  say(
    `${cycles} killed workers: ${describe(all(stand))}; of others with GTINs ${withGtins}, its own ${affected}`,
  )
  return found
}

async function killedCoordinator(stand: CitusStand, cycles: number): Promise<string[]> {
  const dir = await findDataDir(stand.database.coordinator)
  for (let turn = 0; turn < cycles; turn++) {
    await pause(BETWEEN_MS)
    killServer(dir)
    await pause(DOWN_MS)
    await startServers(dir)
  }
  await pause(BETWEEN_MS)
  return noneFailed(`${cycles} killed coordinators`, all(stand))
}
