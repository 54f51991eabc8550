/** Adds shards to an account: its models stay where they are, and new ones are created on the chosen. */
import { lockPlacement, placementLocked } from '../../kernel/db/placement-lock.ts'
import { getShardNumber, listShards } from '../../kernel/db/shards.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import { type AccountPlace, listAccountShards, placeColumns, toHome } from '../account/account-shard.ts'
import { requireClosedForAWhile } from '../account/close-account.ts'
import type { OperatorContext, Spread } from '../account/context.ts'

type AddedShards = Spread & { name: string; added: readonly number[] }

/**
 * Call it in a transaction that also copies what each of the account's shards needs. Nothing may write to the
 * account meanwhile, so it has to be closed. Throws `not_found`, `validation`, and `unavailable` during a
 * backup.
 */
export async function addAccountShards(
  { sql, clock }: OperatorContext,
  { accountId, modelShards }: { accountId: number; modelShards: readonly number[] },
): Promise<AddedShards> {
  if (!(await lockPlacement(sql))) throw placementLocked()
  const [account] = await sql<(AccountPlace & { name: string; closed_at: Date | null; moving: boolean })[]>`
    select a.name, a.closed_at, a.move_shard is not null as moving, ${placeColumns(sql)}
    from account a where a.id = ${accountId} for update`
  if (account === undefined) throw notFound('account')
  const { name, shard, closed_at: closedAt } = account
  const all = listShards(sql).map(getShardNumber)
  const unknown = modelShards.find(one => !all.includes(one))
  if (shard === null || unknown !== undefined) throw invalidShards(shard === null ? undefined : unknown)
  if (account.moving)
    throw new AppError(
      'validation',
      'The account is being moved: first run "carnet accounts move" to its end.',
    )
  requireClosedForAWhile(clock, closedAt)
  const before = account.shards ?? [shard]
  const added = [...new Set(modelShards)].filter(one => !before.includes(one))
  const spread = {
    shards: [...before, ...added],
    modelShards: [...new Set(modelShards)].sort((a, b) => a - b),
  }
  await sql`
    update account set shards = ${spread.shards}::int[]::smallint[], model_shards = ${spread.modelShards}::int[]::smallint[]
    where id = ${accountId}`
  const home = toHome(sql, { ...account, ...spread })
  for (const at of listAccountShards({ ...home, clock, accountId, actorId: 0 })) {
    if (added.includes(getShardNumber(at.sql) ?? 0)) {
      await at.sql`
        insert into account_usage (account_id, level, used, part)
        select ${accountId}::int, l::"char", 0, 0 from unnest('{m,b,i}'::text[]) l`
    } else await at.sql`update account_usage set part = used where account_id = ${accountId}`
  }
  return { ...spread, name, added }
}

const invalidShards = (unknown: number | undefined) =>
  new AppError(
    'validation',
    unknown === undefined
      ? 'There are no shards: everything is in one schema.'
      : `There is no shard ${unknown}. "carnet shards list" lists the shards.`,
  )
