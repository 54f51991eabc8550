/**
 * Moves a closed account to another shard while its public pages answer: copies its rows, makes the new shard
 * its home, and deletes the old rows. If it is killed, another run continues or undoes it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { OperatorContext } from '../../accounts/account/context.ts'
import {
  type AccountMove,
  beginMove,
  copyAuditEntries,
  endMove,
  switchShard,
} from '../../accounts/placement/move-account.ts'
import { ONE_CONNECTION_PER_NODE, PROPAGATE_SETTINGS } from '../../kernel/db/citus.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { readShardMigrations } from '../../kernel/db/migrate.ts'
import { lockPlacementOfSession, placementLocked } from '../../kernel/db/placement-lock.ts'
import { getShardSchema } from '../../kernel/db/shards.ts'
import { asSql } from '../../kernel/db/transaction.ts'
import { unavailable } from '../../kernel/errors/errors.ts'
import { copyIn, readChunks } from '../copy-rows.ts'
import { enterSchema, withPool } from '../snapshot.ts'
import { type BackupTable, DERIVED_TABLES, listAccountTables } from '../tables.ts'

export type AccountMoveSetup = OperatorContext & {
  /** Opens a pool of one connection of the role that owns the tables. */
  openOwnerPool: () => Sql
  /** How long to wait for what was begun before others could see a step. */
  quietMs?: number
  progress?: (step: string) => void
}

/** `rows`: those that were copied; 0 if an earlier run had done so. */
export type AccountMoveResult = { name: string; from: number; to: number; rows: number }

/** Longer than deliveries, statements and batches of scans take, and than passports are cached. */
const QUIET_MS = 30_000

/** Public pages look here first: these rows go before those that they lead to. */
const LOOKED_UP = 'passport'
/** People sign in during a move, so these rows are copied last. */
const AUDIT_LOG = 'audit_entry'
/** Not copied with the others. */
const NOT_COPIED = [AUDIT_LOG, ...DERIVED_TABLES]

/**
 * Moves the account to the shard `to`. If it is there already, because an earlier run was killed, deletes the
 * rows on the other shard. Throws `not_found`, `validation`, and `unavailable` during a backup or move.
 */
export const moveAccount = (
  setup: AccountMoveSetup,
  { accountId, to }: { accountId: number; to: number },
): Promise<AccountMoveResult> =>
  withPool(setup.openOwnerPool, async lock => {
    if (!(await lockPlacementOfSession(lock))) throw placementLocked()
    const move = await beginMove(setup, { accountId, to })
    const { name, home, other } = move
    let rows = 0
    if (home !== to) {
      await deleteRows(setup, accountId, { shard: other, home })
      rows = await copyRows(setup, accountId, move)
      await switchShard(setup, accountId, move)
    }
    const from = home === to ? other : home
    await deleteRows(setup, accountId, { shard: from, home: to })
    await endMove(setup, accountId, from)
    return { name, from, to, rows }
  })

/**
 * Copies all rows but those of `NOT_COPIED`, in one transaction. Throws `unavailable` if they change
 * meanwhile.
 */
const copyRows = (
  { openOwnerPool, progress }: AccountMoveSetup,
  accountId: number,
  { home, other }: AccountMove,
): Promise<number> =>
  withPool(openOwnerPool, fromPool =>
    withPool(openOwnerPool, async toPool => {
      const migrations = await readShardMigrations(toPool, [home, other])
      const [from, to] = await Promise.all([fromPool.reserve(), toPool.reserve()])
      for (const sql of [from, to]) await sql`begin`
      await enterShard(from, home)
      await enterShard(to, other)
      let sum = 0
      const tables = (await listAccountTables(from)).filter(({ name }) => !NOT_COPIED.includes(name))
      for (const [n, table] of tables.entries()) {
        const tell = (step: string) => progress?.(`${step} (table ${n + 1} of ${tables.length})`)
        sum += await copyTable({ from, to, accountId, progress: tell }, table)
      }
      if ((await readShardMigrations(to, [home, other])) !== migrations)
        throw unavailable('The database was migrated while the account was copied. Run the command again.')
      await to`commit`
      return sum
    }),
  )

type TableCopy = { from: Sql; to: Sql; accountId: number; progress: AccountMoveSetup['progress'] }

/** Returns how many rows it has copied and compared. */
async function copyTable({ from, to, accountId, progress }: TableCopy, table: BackupTable): Promise<number> {
  const sink = await copyIn(to, table, (name, bytes) =>
    progress?.(`copying ${name}: ${(bytes / 1e6).toFixed(1)} MB`),
  )
  const rows = `select ${table.columns.map(quote)} from ${quote(table.name)} where account_id = ${accountId}`
  const source = await from.unsafe(`copy (${rows}) to stdout`).readable()
  for await (const chunk of readChunks(source)) await sink.write(chunk)
  await sink.close()
  const [before, copied] = await Promise.all([from, to].map(sql => readDigest(sql, table, accountId)))
  if (before === undefined || before.digest !== copied?.digest || before.rows !== copied.rows)
    throw unavailable(
      `Somebody changed ${table.name} of the account while it was copied. Run the command again.`,
    )
  return copied.rows
}

/** In a transaction, which may take long. */
async function enterShard(sql: Sql, shard: number): Promise<void> {
  await sql`set local statement_timeout = 0`
  await sql`set local idle_in_transaction_session_timeout = 0`
  await sql.unsafe(ONE_CONNECTION_PER_NODE)
  await enterSchema(sql, shard)
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

/** The number of rows, and a sum over their texts, which does not depend on their order. */
async function readDigest(sql: Sql, { name, columns }: BackupTable, accountId: number) {
  const [row] = await sql<{ rows: number; digest: string }[]>`
    select count(*)::bigint as rows, coalesce(sum(hashtextextended(r::text, 0)::numeric), 0)::text as digest
    from (select ${sql(columns)} from ${sql(name)} where account_id = ${accountId}) r`
  return row
}

/**
 * Deletes the rows on a shard that is not the account's home. Passports go first, so that pages find those at
 * home; the rest when nobody reads it any more, and the audit entries when `home` has them.
 */
async function deleteRows(
  setup: AccountMoveSetup,
  accountId: number,
  { shard, home }: { shard: number; home: number },
): Promise<void> {
  const { openOwnerPool, quietMs = QUIET_MS, progress } = setup
  await withPool(openOwnerPool, async pool => {
    const remove = (table: string) =>
      onShard(pool, shard, async sql => {
        progress?.(`deleting ${table} on shard ${shard}`)
        await sql.unsafe(PROPAGATE_SETTINGS)
        await sql.unsafe(`set local carnet.moved_from = ${getShardSchema(shard)}`)
        await sql`delete from ${sql(table)} where account_id = ${accountId}`
      })
    await remove(LOOKED_UP)
    progress?.('waiting for requests, deliveries and scans that began before')
    await pause(quietMs)
    await copyAuditEntries(setup, accountId, { from: shard, to: home })
    let tables: BackupTable[] = []
    await onShard(pool, shard, async sql => {
      tables = await listAccountTables(sql)
    })
    for (const { name } of tables) await remove(name)
  })
}

async function onShard(pool: Sql, shard: number, work: (sql: Sql) => Promise<void>): Promise<void> {
  await pool.begin(async tx => {
    await enterShard(asSql(tx), shard)
    await work(asSql(tx))
  })
}
