/**
 * Faults of a Citus cluster under load: shards that move, nodes that are killed or hang, and standbys that
 * replace them. `CARNET_CITUS` must name a cluster of scripts/citus.sh that nobody else uses.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../../src/cli/server/ports.ts'
import { type CitusNode, moveShard, SKIP_WITHOUT_CITUS } from '../citus/cluster.ts'
import {
  type CitusAccount,
  type CitusStand,
  type CitusStandOptions,
  findClaimPort,
  findNode,
  findPrepared,
  openCitusStand,
} from './citus-stand.ts'
import { eventsMissing, type Write } from './clients.ts'
import { complaints, say } from './look-through.ts'
import { countRequests, describeCounts, type Kind, Phases } from './phases.ts'
import {
  findDataDir,
  hangServer,
  killServer,
  type Place,
  promote,
  startServer,
  startStandby,
} from './postgres-servers.ts'
import type { RequestLog } from './request-log.ts'

const BETWEEN_MS = 1_000
const DOWN_MS = 3_000
const HANGS_MS = 20_000
/**
 * All processes of a server have looked where the shards are. Until then they ask a node that moved one away.
 */
const FOLLOW_MS = 10_000
const JOB_TRIES = 600
const EVENT_TRIES = 300

/**
 * `cycles`: moves and killed workers; a quarter of it killed coordinators, a fifth each of hangs and
 * standbys.
 */
export type CitusFaults = CitusStandOptions & { cycles: number; parts: readonly string[] }

type Part = (stand: CitusStand, phases: Phases, cycles: number) => Promise<string[]>

/** In this order: a standby is the worker at the end, and the coordinator needs another server. */
export const PARTS: Record<string, Part> = {
  moves,
  rebalance,
  workers: killWorkers,
  hang: hangWorkers,
  standby: promoteStandbys,
  coordinator: killCoordinator,
}

/** Returns the number of losses. */
export async function onCitus({ cycles, parts, ...options }: CitusFaults): Promise<number> {
  if (SKIP_WITHOUT_CITUS !== false) {
    say(`faults of a cluster are skipped: ${SKIP_WITHOUT_CITUS}`)
    return 0
  }
  const stand = await openCitusStand(options)
  try {
    for (const one of listActors(stand)) one.start()
    const found: string[] = []
    for (const name of parts) found.push(...((await PARTS[name]?.(stand, new Phases(), cycles)) ?? []))
    found.push(...(await check(stand)))
    for (const one of stand.listLoggedErrors()) say(`  logged: ${one}`)
    for (const one of found.slice(0, 20)) say(`  ${one}`)
    say(found.length === 0 ? '  nothing lost' : `  LOST ${found.length}`)
    return found.length
  } finally {
    await stand.close()
  }
}

const listActors = ({ accounts }: CitusStand) =>
  accounts.flatMap(({ plain, withGtins, visitor, follower }) => [plain, withGtins, visitor, follower])

/** Everything acknowledged exists once, was sent and listed as a change, and all counters are exact. */
async function check(stand: CitusStand): Promise<string[]> {
  const { accounts } = stand
  await Promise.all(
    accounts.flatMap(({ plain, withGtins, visitor }) => [plain, withGtins, visitor].map(one => one.stop())),
  )
  await stand.untilReady()
  const found: string[] = []
  for (const { plain, withGtins, visitor, follower, receiver } of accounts) {
    for (const one of [plain, withGtins]) {
      await one.settle()
      found.push(...(await one.losses()), ...one.faulty)
    }
    const writes = [...plain.writes, ...withGtins.writes]
    found.push(...(await follower.findMissing(writes)), ...follower.faulty)
    found.push(...(await visitor.findMissing()), ...visitor.faulty)
    for (const { faulty } of [visitor.signIns, visitor.pages, visitor.imports, follower.log])
      found.push(...faulty)
    found.push(
      ...(await eventsMissing(writes, receiver.told)),
      ...(await updatesMissing(writes, receiver.versions)),
    )
    if (receiver.forged > 0) found.push(`${receiver.forged} webhooks were signed wrongly`)
  }
  const sum = (count: (one: CitusAccount) => number) => accounts.reduce((total, one) => total + count(one), 0)
  say(
    `  looked for: ${sum(one => one.plain.writes.length + one.withGtins.writes.length)} products, ` +
      `${sum(one => one.visitor.skus.length)} imported ones, events of ${sum(one => one.receiver.told.size)}`,
  )
  return [...found, ...(await findPrepared(stand)), ...(await complaints(stand.settings))]
}

async function updatesMissing(
  writes: readonly Write[],
  told: ReadonlyMap<string, number>,
): Promise<string[]> {
  const list = () => writes.filter(({ id, versions }) => id !== undefined && (told.get(id) ?? 0) < versions)
  for (let tries = 0; tries < EVENT_TRIES && list().length > 0; tries++) await pause(200)
  return list().map(({ id, versions }) => `the event of version ${versions} of ${id} never came`)
}

/** Requests of the accounts, by where these are now. */
async function listKinds(stand: CitusStand): Promise<Kind[]> {
  const kinds: Kind[] = []
  for (const { shard, gtinPrefix, plain, withGtins, visitor, follower } of stand.accounts) {
    const node = await findNode(stand, shard)
    const claimPort = await findClaimPort(stand.database, gtinPrefix)
    const whose = (lost: CitusNode | undefined) => (lost?.port === node.port ? 'its own' : 'others')
    const add = ({ sent }: RequestLog, what: string) =>
      kinds.push({ sent, name: lost => `${whose(lost)}: ${what}` })
    kinds.push({
      sent: withGtins.log.sent,
      name: lost =>
        `${whose(lost)}: GTINs${lost !== undefined && lost.port === claimPort ? ' on the lost worker' : ''}`,
    })
    add(plain.log, 'products')
    add(follower.log, 'changes')
    add(visitor.pages, 'console pages')
    add(visitor.imports, 'imports')
    add(visitor.signIns, 'sign-ins')
  }
  return kinds
}

type Judgement = { phases: Phases; kinds: readonly Kind[]; names: readonly string[] }

/**
 * Prints the counts of these phases. `mayFail`: whether requests of this kind may fail with 503 in this
 * phase.
 */
function judge(
  what: string,
  { phases, kinds, names }: Judgement,
  mayFail: (kind: string, phase: string) => boolean,
): string[] {
  const counts = countRequests(phases, kinds)
  say(what)
  for (const line of describeCounts(counts, names)) say(line)
  return [...counts].flatMap(([kind, byPhase]) =>
    [...byPhase].flatMap(([phase, { failed, unanswered, failures }]) => {
      const wrong = mayFail(kind, phase) ? unanswered : failed
      if (wrong === 0) return []
      for (const [failure, n] of failures) say(`    ${kind}, ${phase}: ${n} times ${failure}`)
      return [`${what}: ${kind}: ${wrong} of the requests failed (${phase})`]
    }),
  )
}

const never = () => false

async function moves(stand: CitusStand, phases: Phases, cycles: number): Promise<string[]> {
  const { accounts, database } = stand
  const kinds = await listKinds(stand)
  const times: number[] = []
  for (let turn = 0; turn < cycles; turn++) {
    const shard = accounts[turn % accounts.length]?.shard ?? 0
    const from = await findNode(stand, shard)
    const to = database.workers.find(worker => worker !== from) ?? from
    const ms = await phases.during('moving', undefined, () =>
      moveShard(database, `shard_${shard}.passport`, to),
    )
    times.push(ms)
    say(`  ${turn + 1} of ${cycles}: shard ${shard} moved in ${Math.round(ms)} ms`)
    await phases.during('after', undefined, () => pause(BETWEEN_MS))
  }
  await phases.during('after', undefined, () => pause(FOLLOW_MS))
  const what = `${cycles} moves, each in ${describeTimes(times)}`
  return judge(what, { phases, kinds, names: ['moving', 'after'] }, never)
}

function describeTimes(times: readonly number[]): string {
  const sorted = times.map(ms => (ms / 1_000).toFixed(1)).sort((a, b) => Number(a) - Number(b))
  return `${sorted[0]} to ${sorted.at(-1)} s, median ${sorted[Math.floor(sorted.length / 2)]} s`
}

/** All shards of accounts are on one worker, and Citus spreads them again. */
async function rebalance(stand: CitusStand, phases: Phases): Promise<string[]> {
  const { accounts, database } = stand
  const [to] = database.workers
  const { sql } = database.coordinator
  const kinds = await listKinds(stand)
  for (const { shard } of accounts) {
    if (to && (await findNode(stand, shard)) !== to) await moveShard(database, `shard_${shard}.passport`, to)
  }
  const countRunning = async () => {
    const rows =
      await sql`select from citus_rebalance_status() where state not in ('finished', 'failed', 'cancelled')`
    return rows.length
  }
  const ms = await phases.during('moving', undefined, async () => {
    await sql`select citus_rebalance_start()`
    for (let tries = 0; tries < JOB_TRIES && (await countRunning()) > 0; tries++) await pause(500)
  })
  await phases.during('after', undefined, () => pause(FOLLOW_MS))
  const nodes = new Set(await Promise.all(accounts.map(({ shard }) => findNode(stand, shard))))
  const what = `rebalance started by Citus, in ${describeTimes([ms])}`
  const found = judge(what, { phases, kinds, names: ['moving', 'after'] }, never)
  return nodes.size === 1 ? [...found, 'Citus has spread no shard of an account'] : found
}

/** Tables that are written on every node cannot be written while one is lost. */
const needsAllNodes = (kind: string) => /GTINs on the lost worker|sign-ins/.test(kind)

/** Also when all run, a sign-in fails for each connection that a node has kept to one that was lost. */
const mayFailBeside =
  (...quiet: readonly string[]) =>
  (kind: string, phase: string) =>
    quiet.includes(phase) ? /sign-ins/.test(kind) : kind.startsWith('its own') || needsAllNodes(kind)

async function killWorkers(stand: CitusStand, phases: Phases, cycles: number): Promise<string[]> {
  const { workers } = stand.database
  const kinds = await listKinds(stand)
  const dirs = await Promise.all(workers.map(findDataDir))
  const times: number[] = []
  for (let turn = 0; turn < cycles; turn++) {
    const node = workers[turn % workers.length]
    const dir = dirs[turn % workers.length] ?? ''
    await phases.during('all run', node, () => pause(BETWEEN_MS))
    await phases.during('down', node, async () => {
      killServer(dir)
      await pause(DOWN_MS)
    })
    const ms = await phases.during('restart', node, async () => {
      await startServer(dir)
      await stand.untilReady()
    })
    times.push(ms)
    say(`  ${turn + 1} of ${cycles}: ${node?.port} answers again ${Math.round(ms)} ms after its start`)
  }
  const what = `${cycles} killed workers, ready again within ${describeTimes(times)}`
  return judge(what, { phases, kinds, names: ['all run', 'down', 'restart'] }, mayFailBeside('all run'))
}

async function hangWorkers(stand: CitusStand, phases: Phases, cycles: number): Promise<string[]> {
  const { workers } = stand.database
  const kinds = await listKinds(stand)
  const dirs = await Promise.all(workers.map(findDataDir))
  const turns = Math.ceil(cycles / 5)
  const times: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    const node = workers[turn % workers.length]
    await phases.during('all run', node, () => pause(BETWEEN_MS))
    let wake = () => {}
    await phases.during('hangs', node, async () => {
      wake = hangServer(dirs[turn % workers.length] ?? '')
      await pause(HANGS_MS).finally(wake)
    })
    const ms = await phases.during('goes on', node, () => stand.untilReady())
    times.push(ms)
    say(`  ${turn + 1} of ${turns}: ${node?.port} hung for ${HANGS_MS} ms; ready ${Math.round(ms)} ms later`)
    await phases.during('goes on', node, () => pause(BETWEEN_MS))
  }
  const what = `${turns} hanging workers, ready again within ${describeTimes(times)}`
  return judge(what, { phases, kinds, names: ['all run', 'hangs', 'goes on'] }, mayFailBeside('all run'))
}

/** There and back: at the end the worker is where it was. */
async function promoteStandbys(stand: CitusStand, phases: Phases, cycles: number): Promise<string[]> {
  const { coordinator, workers } = stand.database
  const [node] = workers
  if (node === undefined) return ['The cluster has no worker.']
  const kinds = await listKinds(stand)
  const { host } = node
  const dataDir = await findDataDir(node)
  const port = (await findFreePort(host, node.port + 10)) ?? 0
  const places: [Place, Place] = [
    { dataDir, host, port: node.port },
    { dataDir: join(dataDir, '../standby'), host, port },
  ]
  const [row] = await coordinator.sql<{ id: number }[]>`
    select nodeid as id from pg_dist_node where nodename = ${host} and nodeport = ${node.port}`
  const turns = 2 * Math.ceil(cycles / 10)
  const times: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    const [primary, standby] = turn % 2 === 0 ? places : places.toReversed()
    if (primary === undefined || standby === undefined) break
    await phases.during('copy', node, () => startStandby(node.url, primary, standby))
    await phases.during('all run', node, () => pause(BETWEEN_MS))
    await phases.during('down', node, async () => {
      killServer(primary.dataDir)
      await pause(DOWN_MS)
      await promote(standby)
    })
    const ms = await phases.during('switch', node, async () => {
      await coordinator.sql`select citus_update_node(${row?.id ?? 0}, ${standby.host}, ${standby.port}::int, true)`
      await stand.untilReady()
    })
    await phases.during('switch', node, () => pause(FOLLOW_MS))
    times.push(ms)
    say(
      `  ${turn + 1} of ${turns}: ${standby.port} is promoted; ready ${Math.round(ms)} ms after citus_update_node`,
    )
  }
  await phases.during('all run', node, () => pause(BETWEEN_MS))
  await rm(places[1].dataDir, { recursive: true, force: true })
  const what = `${turns} promoted standbys, ready within ${describeTimes(times)} after citus_update_node`
  return judge(
    what,
    { phases, kinds, names: ['copy', 'all run', 'down', 'switch'] },
    mayFailBeside('all run', 'copy'),
  )
}

/** A worker is the first host of `DATABASE_URL`. */
async function killCoordinator(stand: CitusStand, phases: Phases, cycles: number): Promise<string[]> {
  const { coordinator, workers } = stand.database
  await stand.restart([...workers, coordinator])
  const kinds = await listKinds(stand)
  const dir = await findDataDir(coordinator)
  const turns = Math.ceil(cycles / 4)
  for (let turn = 0; turn < turns; turn++) {
    await phases.during('all run', coordinator, () => pause(BETWEEN_MS))
    await phases.during('down', coordinator, async () => {
      killServer(dir)
      await pause(DOWN_MS)
    })
    await phases.during('restart', coordinator, () => startServer(dir))
  }
  await phases.during('all run', coordinator, () => pause(BETWEEN_MS))
  const what = `${turns} killed coordinators`
  return judge(
    what,
    { phases, kinds, names: ['all run', 'down', 'restart'] },
    (kind, phase) => phase !== 'all run' && /sign-ins/.test(kind),
  )
}
