/**
 * The steps of a move of an account to another shard, as `account` records them. While `move_shard` is set,
 * the account stays closed, and its scans and deliveries wait.
 */
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { getShard, getShardNumber, hasShards, listShards } from '../../kernel/db/shards.ts'
import { AppError, assert, notFound } from '../../kernel/errors/errors.ts'
import { requireClosedForAWhile } from '../account/close-account.ts'
import { type OperatorContext, withTransaction } from '../account/context.ts'

/** `home` is the account's shard now, `other` the one that has, or may get, rows of it, too. */
export type AccountMove = { name: string; home: number; other: number }

type Row = {
  name: string
  closed_at: Date | null
  shard: number | null
  shards: number[] | null
  move_shard: number | null
}

/**
 * Begins a move, or continues one. If `home` is the target, only the rows on `other` are left to be deleted.
 * Throws `not_found`, and `validation` for an account that cannot move there.
 */
export const beginMove = (
  ctx: OperatorContext,
  { accountId, to }: { accountId: number; to: number },
): Promise<AccountMove> =>
  withTransaction(ctx, async ({ sql, clock }) => {
    const [row] = await sql<Row[]>`
      select name, closed_at, shard, shards, move_shard from account where id = ${accountId} for update`
    if (row === undefined) throw notFound('account')
    const { name, shard: home, move_shard: other } = row
    if (home === null) throw refusal('There are no shards: everything is in one schema.')
    if (other !== null) {
      if (to === home || to === other) return { name, home, other }
      throw refusal(
        `This account is being moved from or to shard ${other}. ${explainUnfinished(accountId, home, other)}`,
      )
    }
    if (to === home) throw refusal(`The account is on shard ${home} already.`)
    if (!listShards(sql).some(shard => getShardNumber(shard) === to))
      throw refusal(`There is no shard ${to}. "carnet shards list" lists the shards.`)
    if (row.shards !== null)
      throw refusal(
        'The account is on several shards. Only an account on one shard can be moved; "carnet shards move" moves a whole shard.',
      )
    requireClosedForAWhile(clock, row.closed_at)
    await sql`update account set move_shard = ${to} where id = ${accountId}`
    return { name, home, other: to }
  })

/** From now on `other` is the account's shard, which has all of its rows. */
export async function switchShard({ sql }: OperatorContext, accountId: number, move: AccountMove) {
  const switched = await sql`
    update account set shard = ${move.other}, move_shard = ${move.home}
    where id = ${accountId} and shard = ${move.home} and move_shard = ${move.other} returning id`
  assert(switched.length === 1, 'nobody else moves an account that is being moved')
}

/** Call it when `other` has no rows of the account any more. */
export async function endMove({ sql }: OperatorContext, accountId: number, other: number): Promise<void> {
  await sql`update account set move_shard = null where id = ${accountId} and move_shard = ${other}`
}

/** SQL condition: the account with the id `account` is being moved. */
export const isBeingMoved = (sql: Sql, account: Fragment): Fragment =>
  hasShards(sql)
    ? sql`exists (select from account a where a.id = ${account} and a.move_shard is not null)`
    : sql`false`

/** Sentences about moves that were interrupted, or still run. */
export async function findUnfinishedMoves(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: number; shard: number; move_shard: number }[]>`
    select id, shard, move_shard from account where move_shard is not null order by id`
  return rows.map(
    ({ id, shard, move_shard: other }) =>
      `account ${id} is being moved; if no command is doing that, it was interrupted. ${explainUnfinished(id, shard, other)}`,
  )
}

const explainUnfinished = (id: number, home: number, other: number): string =>
  `Run "carnet accounts move ${id} --to ${other}" or "carnet accounts move ${id} --to ${home}", as you want it.`

export type MovingAccount = { id: number; shard: number; isMoving: boolean }

/** Accounts that are being moved, and those of `known`, with their shards. */
export const listMovingAccounts = (sql: Sql, known: readonly number[]) =>
  sql<MovingAccount[]>`
    select id, shard, move_shard is not null as "isMoving" from account
    where move_shard is not null or id = any(${[...known]}::int[])`

const PAGE_ROWS = 1_000
const NIL = '00000000-0000-0000-0000-000000000000'

/**
 * Copies the audit entries that `to` lacks. People sign in during a move, so entries are written to both
 * shards; nobody else writes to a closed account.
 */
export async function copyAuditEntries(
  { sql }: OperatorContext,
  accountId: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const source = getShard(sql, from)
  for (let last = NIL, isLast = false; !isLast; ) {
    const rows = await source<{ id: string; entry: string }[]>`
      select id, to_jsonb(e)::text as entry from audit_entry e
      where account_id = ${accountId} and id > ${last} order by id limit ${PAGE_ROWS}`
    last = rows.at(-1)?.id ?? last
    isLast = rows.length < PAGE_ROWS
    await getShard(sql, to)`
      insert into audit_entry
      select r.* from jsonb_populate_recordset(null::audit_entry, ${`[${rows.map(({ entry }) => entry)}]`}::text::jsonb) r
      on conflict do nothing`
  }
}

const refusal = (message: string) => new AppError('validation', message)
