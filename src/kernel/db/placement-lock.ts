/**
 * Lets no account change its shards while a backup reads one shard after the other: it would lack rows, or
 * have them twice.
 */
import { AppError } from '../errors/errors.ts'
import type { Sql } from './database.ts'
import { readShards } from './shards.ts'

/** The class of Carnet's advisory locks (`CARN` in ASCII), and the lock of the accounts' shards in it. */
const LOCK_CLASS = 0x43_41_52_4e
const PLACEMENT = 4

/** For a backup, on its only connection and before its snapshot: waits for a move, and holds up the next. */
export async function holdPlacement(sql: Sql): Promise<void> {
  if ((await readShards(sql)).length === 0) return
  await sql`set statement_timeout = 0`
  await sql`select pg_advisory_lock_shared(${LOCK_CLASS}::int, ${PLACEMENT}::int)`
}

/** For a spread, until its transaction ends. Returns false during a backup or a move. */
export const lockPlacement = (tx: Sql): Promise<boolean> =>
  isTaken(tx<Taken[]>`select pg_try_advisory_xact_lock(${LOCK_CLASS}::int, ${PLACEMENT}::int) as taken`)

/** For a move, until the only connection of `sql` ends. Returns false during a backup or another move. */
export const lockPlacementOfSession = (sql: Sql): Promise<boolean> =>
  isTaken(sql<Taken[]>`select pg_try_advisory_lock(${LOCK_CLASS}::int, ${PLACEMENT}::int) as taken`)

export const placementLocked = () =>
  new AppError(
    'unavailable',
    'A backup is being made, or another account is being moved. Repeat this command when that has ended.',
  )

type Taken = { taken: boolean }

const isTaken = async (rows: Promise<readonly Taken[]>): Promise<boolean> => (await rows)[0]?.taken === true
