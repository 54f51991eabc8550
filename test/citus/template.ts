/** The database that test files copy on a Citus cluster: migrated, with one shard on a worker. For the run. */
import { connect, dropAll, type Target, type TestServer } from '../database.ts'
import { listNodes } from './cluster.ts'
import { makeShardedDatabase } from './sharded-database.ts'

/** Makes it on every node; a copy of all of them is a database of the cluster like this one. */
export async function makeCitusTemplate(
  coordinator: string,
  prefix: string,
): Promise<{ server: TestServer; version: string }> {
  const template = `${prefix}_template`
  const nodes = await listNodes(coordinator)
  const database = await makeShardedDatabase(1, template)
  const [row] = await database.coordinator.sql<{ version: string }[]>`select citus_version() as version`
  await database.close()
  await Promise.all(nodes.map(server => closeTemplate(server, template)))
  const targets = nodes.map(({ url }) => ({ url }))
  const [admin, ...others] = targets
  if (admin === undefined) throw new Error('The cluster has no nodes.')
  return { server: { admin, template, prefix, others }, version: row?.version ?? '' }
}

/** Removes every database of the run on all nodes. */
export async function dropOnAllNodes(coordinator: string, prefix: string): Promise<void> {
  await Promise.all((await listNodes(coordinator)).map(node => dropAll(node, prefix)))
}

/** Citus's own processes are connected to each database that allows it, and it cannot be copied then. */
async function closeTemplate(server: Target, template: string): Promise<void> {
  const sql = connect(server)
  try {
    await sql.unsafe(`alter database "${template}" with allow_connections false`)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${template}`
  } finally {
    await sql.end()
  }
}
