/** Tests that do not run on Citus, because they look into one PostgreSQL or change it. Each names its reason here. */

const REASONS = {
  plan: 'It reads the plan of a statement, of which Citus shows only its own part.',
  lock: 'It waits for a lock of the server it asks; on Citus another server has it.',
  table: 'It creates tables or triggers in a shard, which Citus only does through the coordinator.',
  connection: 'It cuts one connection of a server that has several on Citus.',
  statistics: 'It reads the statistics of tables, which Citus does not show for those of shards.',
  version: 'It reads what a version without shards has written.',
} as const

/** The reason on Citus; false on one PostgreSQL, with and without shards. */
export const skipOnCitus = (reason: keyof typeof REASONS): string | false =>
  process.env.CARNET_TEST_CITUS === '1' ? REASONS[reason] : false
