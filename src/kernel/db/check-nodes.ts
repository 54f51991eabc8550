/** Checks the nodes of a Citus cluster: that they answer each other, and their settings. */
import { hasCitus } from './citus.ts'
import type { Sql } from './database.ts'

const STATEMENT_TIMEOUT = '60s'
const MAX_PREPARED_MINUTES = 5

/** Each node's answer to this is a JSON object of `NodeState`. */
const readState = (maxPreparedMinutes: number) => `
  select json_build_object(
    'hasTriggers', current_setting('citus.enable_unsafe_triggers')::boolean,
    'connections', current_setting('max_connections')::int,
    'preparable', current_setting('max_prepared_transactions')::int,
    'walLevel', current_setting('wal_level'),
    'prepared', (select coalesce(json_agg(gid), '[]') from pg_prepared_xacts
      where database = current_database() and prepared < now() - interval '${maxPreparedMinutes} minutes'))`

type NodeState = {
  hasTriggers: boolean
  connections: number
  preparable: number
  walLevel: string
  prepared: string[]
}
type Node = { name: string; isActive: boolean; answer: NodeState | null }

/** Problems of the cluster's nodes, or what they are like. */
export async function checkNodes(
  sql: Sql,
  maxPreparedMinutes = MAX_PREPARED_MINUTES,
): Promise<string | string[]> {
  if (!(await hasCitus(sql))) return 'all shards are in this PostgreSQL'
  const nodes = await readNodes(sql, maxPreparedMinutes)
  const problems = [...nodes.flatMap(findProblems), ...(await findLostConnections(sql))]
  if (problems.length > 0) return problems
  const fixed = nodes.filter(({ answer }) => answer?.walLevel !== 'logical').map(({ name }) => name)
  const advice =
    fixed.length === 0
      ? ''
      : `; to move shards while they are used, set wal_level = logical on ${fixed.join()}`
  return `${nodes.length} nodes answer each other${advice}`
}

/** A node that does not answer has no state, and its neighbours are asked all the same. */
async function readNodes(sql: Sql, maxPreparedMinutes: number): Promise<Node[]> {
  return sql.begin(async tx => {
    await tx.unsafe(`set local statement_timeout = '${STATEMENT_TIMEOUT}'`)
    return tx<Node[]>`
      select n.nodename || ':' || n.nodeport as name, n.isactive as "isActive",
        case when r.success then r.result::json end as answer
      from pg_dist_node n
      left join run_command_on_all_nodes(${readState(maxPreparedMinutes)}, true, true) r on r.nodeid = n.nodeid
      where n.noderole = 'primary' order by n.groupid`
  })
}

function findProblems({ name, isActive, answer }: Node): string[] {
  if (!isActive)
    return [`${name} is switched off: start it and run "select citus_activate_node" with its name`]
  if (answer === null) return [`${name} does not answer: its accounts get 503 until it is back`]
  const { hasTriggers, connections, preparable, prepared } = answer
  return [
    ...(hasTriggers ? [] : [`on ${name} set citus.enable_unsafe_triggers = on`]),
    ...(preparable >= connections
      ? []
      : [`on ${name} set max_prepared_transactions = ${connections}, as max_connections, and restart it`]),
    ...prepared.map(
      gid =>
        `on ${name} the transaction ${gid} has been prepared for over ${MAX_PREPARED_MINUTES} minutes and keeps its locks. Citus ends its own (citus_…) when all nodes answer; "select recover_prepared_transactions()" on the coordinator does it at once. If it stays, run "rollback prepared '${gid}'" on that node`,
    ),
  ]
}

/** From each active node to each. One that is down is found by `readNodes` already. */
async function findLostConnections(sql: Sql): Promise<string[]> {
  return sql.begin(async tx => {
    await tx.unsafe(`set local statement_timeout = '${STATEMENT_TIMEOUT}'`)
    const rows = await tx<{ origin: string; target: string }[]>`
      select from_nodename || ':' || from_nodeport as origin, to_nodename || ':' || to_nodeport as target
      from citus_check_cluster_node_health() where result is false`
    return rows.map(({ origin, target }) => `${origin} cannot connect to ${target}`)
  })
}
