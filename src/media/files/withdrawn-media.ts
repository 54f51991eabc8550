/** The rest of files that the operator has withdrawn: the digest, when, and why. */
import { atHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { listShards, perSharedDatabase } from '../../kernel/db/shards.ts'
import { afterCommit } from '../../kernel/db/transaction.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors/errors.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'

export type Withdrawal = { id: string; withdrawnAt: Date; reason: string }
/** By the id of the file. */
export type Withdrawals = ReadonlyMap<string, Withdrawal>

export const NO_WITHDRAWALS: Withdrawals = new Map()

export async function findWithdrawal(ctx: AccountContext, id: string): Promise<Withdrawal | undefined> {
  const { sql, accountId } = atHome(ctx)
  return (await findWithdrawals(sql, accountId, [id])).get(id)
}

/** Those of these files that are withdrawn. `sql`: any shard of the account. */
export async function findWithdrawals(
  sql: Sql,
  accountId: number,
  ids: readonly string[],
): Promise<Withdrawals> {
  const rows = await sql<Withdrawal[]>`
    select encode(id, 'hex') as id, withdrawn_at as "withdrawnAt", reason from withdrawn_media
    where account_id = ${accountId} and id = any(${ids.map(id => `\\x${id}`)}::text[]::bytea[])`
  for (const { id } of rows) noteWithdrawn(sql, id)
  return new Map(rows.map(row => [row.id, row]))
}

/** A file that had a public address, of any account. */
export async function findPublicWithdrawal(sql: Sql, id: string): Promise<Withdrawal | undefined> {
  for (const shard of listShards(sql)) {
    const [row] = await shard<Withdrawal[]>`
      select encode(id, 'hex') as id, withdrawn_at as "withdrawnAt", reason from withdrawn_media
      where id = decode(${id}, 'hex') and was_public order by withdrawn_at limit 1`
    if (row === undefined) continue
    noteWithdrawn(sql, id)
    return row
  }
  return undefined
}

export const goneError = ({ withdrawnAt, reason }: Withdrawal): AppError =>
  new AppError('gone', describeWithdrawal({ withdrawnAt, reason }))

const describeWithdrawal = ({ withdrawnAt, reason }: Omit<Withdrawal, 'id'>): string =>
  `The operator of this service has withdrawn this file on ${withdrawnAt.toISOString().slice(0, 10)}. Reason: ${reason}`

/** For a file that the account does not have: `gone` if it was withdrawn. */
export async function missingFileError(ctx: AccountContext, id: string): Promise<AppError> {
  const withdrawal = await findWithdrawal(ctx, id)
  return withdrawal === undefined ? notFound('file') : goneError(withdrawal)
}

/** Throws `validation` for bytes that must not be stored again. */
export async function requireNotWithdrawn(ctx: AccountContext, id: string): Promise<void> {
  const withdrawal = await findWithdrawal(ctx, id)
  if (withdrawal === undefined) return
  const message = `${describeWithdrawal(withdrawal)} The same file cannot be stored again. Send another one.`
  throw invalidField([], 'media_withdrawn', message)
}

const MAX_NOTED = 10_000

const noted = perSharedDatabase((_sql: Sql) => new BoundedMap<string, true>(MAX_NOTED))

/** Nothing that this process has in memory of the file is sent from now on. */
export const noteWithdrawn = (sql: Sql, id: string): void =>
  afterCommit(sql, pool => void noted(pool).set(id, true))

/** Returns true if this process knows that an account's file with this id was withdrawn. Asks nobody. */
export const isKnownAsWithdrawn = (sql: Sql, id: string): boolean => noted(sql).has(id)
