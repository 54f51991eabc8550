/** A database of its own on every node of the Citus cluster in `CARNET_CITUS`, for one test file. */
import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { connect, targetOf } from '../database.ts'

const COORDINATOR = process.env.CARNET_CITUS

/** For `describe` and `test`: why they are skipped, or false. */
export const SKIP_WITHOUT_CITUS =
  COORDINATOR === undefined &&
  'CARNET_CITUS is not set: scripts/citus.sh starts a cluster and prints it, see docs/scale.md.'

/** `sql` is one connection. The coordinator holds no shards. */
export type CitusNode = { host: string; port: number; url: string; sql: postgres.Sql }

export type CitusDatabase = {
  name: string
  coordinator: CitusNode
  workers: readonly CitusNode[]
  /** Ends the connections. */
  close: () => Promise<void>
  /** Ends the connections and drops the database on all nodes, whoever is still connected. */
  drop: () => Promise<void>
}

/** Makes a database with the extension on all nodes, each of which knows the others. */
export async function makeCitusDatabase(
  name = `carnet_test_${randomUUID().replaceAll('-', '')}`,
): Promise<CitusDatabase> {
  if (COORDINATOR === undefined) throw new Error('CARNET_CITUS is not set.')
  const addresses = await listNodes(COORDINATOR)
  const opened: CitusNode[] = []
  const close = async () => {
    await Promise.all(opened.map(node => node.sql.end()))
  }
  const drop = async () => {
    await close()
    await onEach(addresses, ({ url }) => runOnce(url, `drop database if exists "${name}" with (force)`))
  }
  try {
    await onEach(addresses, ({ url }) => runOnce(url, `create database "${name}" template template0`))
    for (const { host, port, url } of addresses) opened.push(openNode(host, port, urlOf(url, name)))
    await onEach(opened, ({ sql }) => sql`create extension citus`)
    const [coordinator, ...workers] = opened
    if (coordinator === undefined) throw new Error('The cluster has no coordinator.')
    await register(coordinator, workers)
    return { name, coordinator, workers, close, drop }
  } catch (error) {
    await drop()
    throw error
  }
}

/** Where a shard of a table is. `table`: as in SQL, such as `shard_1.passport`. */
export async function findPlacement(
  { coordinator, workers }: CitusDatabase,
  table: string,
): Promise<{ shardId: string; name: string; node: CitusNode }> {
  const [row] = await coordinator.sql<{ id: string; name: string; port: number }[]>`
    select shardid::text as id, shard_name as name, nodeport as port from citus_shards
    where table_name = ${table}::regclass`
  const node = workers.find(worker => worker.port === row?.port)
  if (row === undefined || node === undefined) throw new Error(`${table} has no shard on a worker.`)
  return { shardId: row.id, name: row.name, node }
}

/** Moves a table, and with it all tables of its schema, to the other node while others read and write. */
export async function moveShard(database: CitusDatabase, table: string, to: CitusNode): Promise<void> {
  const { shardId, node } = await findPlacement(database, table)
  await database.coordinator.sql`
    select citus_move_shard_placement(
      ${shardId}::bigint, ${node.host}, ${node.port}::int, ${to.host}, ${to.port}::int, 'force_logical')`
}

export type NodeAddress = { host: string; port: number; url: string }

/** The nodes that the cluster's own database knows, the coordinator first. `url` leads to this database. */
export async function listNodes(coordinator: string): Promise<NodeAddress[]> {
  const sql = connect({ url: coordinator })
  try {
    const rows = await sql<{ host: string; port: number }[]>`
      select nodename as host, nodeport as port from pg_dist_node where isactive order by groupid`
    return rows.map(({ host, port }) => {
      const url = new URL(coordinator)
      url.hostname = host
      url.port = String(port)
      return { host, port, url: url.href }
    })
  } finally {
    await sql.end()
  }
}

function urlOf(url: string, database: string): string {
  const target = targetOf({ url }, database)
  return 'url' in target ? target.url : url
}

const openNode = (host: string, port: number, url: string): CitusNode => ({
  host,
  port,
  url,
  sql: postgres(url, { max: 1, onnotice: () => {} }),
})

async function register(coordinator: CitusNode, workers: readonly CitusNode[]): Promise<void> {
  const { sql } = coordinator
  await sql`select citus_set_coordinator_host(${coordinator.host}, ${coordinator.port}::int)`
  for (const { host, port } of workers) await sql`select citus_add_node(${host}, ${port}::int)`
}

async function onEach<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled(all.map(work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function runOnce(url: string, statement: string): Promise<void> {
  const sql = connect({ url })
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}
