/** Accounts ask the operator to withdraw a file; nothing happens to the file until the operator does. */
import { atHome } from '../../accounts/account/account-shard.ts'
import { audit } from '../../accounts/account/audit.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { listShards } from '../../kernel/db/shards.ts'
import { getMedia } from '../files/media-file.ts'

/** In characters, on one line. The operator's reason has the same limit. */
export const MAX_REASON_LENGTH = 500

export type WithdrawalRequest = { id: string; reason: string; askedAt: Date }

export async function findWithdrawalRequest(
  ctx: AccountContext,
  id: string,
): Promise<WithdrawalRequest | undefined> {
  const { sql, accountId } = atHome(ctx)
  const [row] = await sql<WithdrawalRequest[]>`
    select encode(media_id, 'hex') as id, reason, asked_at as "askedAt" from withdrawal_request
    where account_id = ${accountId} and media_id = decode(${id}, 'hex')`
  return row
}

/** Asking again replaces the reason. Throws `not_found`, and `gone` for a file that is withdrawn. */
export async function askForWithdrawal(
  ctx: AccountContext,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  await getMedia(ctx, id)
  await withTransaction(atHome(ctx), async tx => {
    const { sql, accountId, actorId, clock } = tx
    await sql`
      insert into withdrawal_request (account_id, media_id, reason, asked_at, asked_by)
      values (${accountId}, decode(${id}, 'hex'), ${reason}, ${clock.now()}, ${actorId})
      on conflict (account_id, media_id) do update
        set reason = excluded.reason, asked_at = excluded.asked_at, asked_by = excluded.asked_by`
    await audit(tx, 'withdrawal_asked', `${id}: ${reason}`)
  })
}

/** Lists requests of one account, or of all. `withdrawnAt`: null for what was only asked for. */
export type ListedWithdrawal = {
  account: number
  id: string
  askedAt: Date | null
  withdrawnAt: Date | null
  reason: string
}

const MAX_LISTED = 1_000

/** For the operator: what accounts ask for, oldest first, then what was withdrawn, newest first. */
export async function listWithdrawals(sql: Sql, accountId?: number): Promise<ListedWithdrawal[]> {
  const asked: ListedWithdrawal[] = []
  const withdrawn = new Map<string, ListedWithdrawal>()
  for (const shard of listShards(sql)) {
    const isOf = accountId === undefined ? sql`true` : sql`account_id = ${accountId}`
    asked.push(
      ...(await shard<ListedWithdrawal[]>`
        select account_id as account, encode(media_id, 'hex') as id, asked_at as "askedAt",
          null::timestamptz as "withdrawnAt", reason
        from withdrawal_request where ${isOf} order by asked_at limit ${MAX_LISTED}`),
    )
    const rows = await shard<ListedWithdrawal[]>`
      select account_id as account, encode(id, 'hex') as id, null::timestamptz as "askedAt",
        withdrawn_at as "withdrawnAt", reason
      from withdrawn_media where ${isOf} order by withdrawn_at desc limit ${MAX_LISTED}`
    // Each shard of an account has a copy.
    for (const row of rows) withdrawn.set(`${row.account} ${row.id}`, row)
  }
  return [...asked, ...withdrawn.values()]
}

/** The other accounts that have the same bytes: the address stays open as long as one of them shows them. */
export async function listOtherOwners(sql: Sql, accountId: number, id: string): Promise<number[]> {
  const owners = new Set<number>()
  for (const shard of listShards(sql)) {
    const rows = await shard<{ owner: number }[]>`
      select account_id as owner from media
      where id = decode(${id}, 'hex') and account_id <> ${accountId} and status <> 'd' limit ${MAX_LISTED}`
    for (const { owner } of rows) owners.add(owner)
  }
  return [...owners].sort((a, b) => a - b)
}
