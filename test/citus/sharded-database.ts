/** A database of Carnet on the Citus cluster: its migrations, and shards as distributed schemas. */
import { join } from 'node:path'
import { createShards } from '../../src/kernel/db/citus.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { type CitusDatabase, makeCitusDatabase } from './cluster.ts'

export const MIGRATIONS = join(import.meta.dirname, '../../migrations')

/** A migrated database whose shards 1 to `shards` are distributed over the workers. */
export async function makeShardedDatabase(shards: number, name?: string): Promise<CitusDatabase> {
  const database = await makeCitusDatabase(name)
  try {
    const { sql } = database.coordinator
    await migrate(sql, MIGRATIONS, new Date())
    await createShards(sql, shards)
    return database
  } catch (error) {
    await database.drop()
    throw error
  }
}
