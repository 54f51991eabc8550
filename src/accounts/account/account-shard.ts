/** Leads to the shards of accounts. Without shards, none of this asks the database. */

import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'
import { getShard, getShardNumber, getSharedDatabase, hasShards, listShards } from '../../kernel/db/shards.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import type { AccountContext, OperatorContext } from './context.ts'

/** SQL: the shards of an account, if it has several; null otherwise. */
export const selectShards = (sql: Sql, account: Fragment): Fragment =>
  sql`(select a.shards from account a where a.id = ${account})`

/** Columns of `account`; arrays are null unless its models are on several shards. */
export type AccountPlace = { shard: number | null; shards: number[] | null; modelShards: number[] | null }

/** SQL: the columns of an `AccountPlace`, from `account a`. */
export const placeColumns = perDatabase(
  (sql): Fragment => sql`a.shard, a.shards, a.model_shards as "modelShards"`,
)

/** The members of an account's context that lead to its home. */
export const toHome = (
  sql: Sql,
  { shard, shards, modelShards }: AccountPlace,
): Pick<AccountContext, 'sql' | 'spread'> => ({
  sql: getShard(sql, shard),
  ...(shards === null ? {} : { spread: { shards, modelShards: modelShards ?? shards } }),
})

/** The home of an account; in a transaction, the same transaction there. Throws `not_found`. */
export async function findHome(sql: Sql, accountId: number): Promise<Pick<AccountContext, 'sql' | 'spread'>> {
  if (!hasShards(sql)) return { sql }
  const [place] = await sql<
    AccountPlace[]
  >`select ${placeColumns(sql)} from account a where a.id = ${accountId}`
  if (place === undefined) throw notFound('account')
  return toHome(sql, place)
}

/** The context at the account's home. */
export const atHome = <C extends AccountContext>(ctx: C): C => atShard(ctx, ctx.spread?.shards[0])

/** The context at one of the account's shards; unchanged for none. */
export const atShard = <C extends AccountContext>(ctx: C, shard: number | undefined): C =>
  shard === undefined ? ctx : { ...ctx, sql: getShard(ctx.sql, shard) }

/** A context for each shard that has passports of the account, the home first. Each has only this shard. */
export const listAccountShards = <C extends AccountContext>(ctx: C): C[] =>
  ctx.spread === undefined
    ? [ctx]
    : ctx.spread.shards.map(shard => ({ ...atShard(ctx, shard), spread: undefined }))

/** Returns the results of `read` on all shards of the account, sorted if there are several. */
export async function readAllShards<C extends AccountContext, R>(
  ctx: C,
  compare: (a: R, b: R) => number,
  read: (at: C) => Promise<R[]>,
): Promise<R[]> {
  if (ctx.spread === undefined) return read(ctx)
  return (await Promise.all(listAccountShards(ctx).map(read))).flat().sort(compare)
}

/** For lists that are sorted by id, newest first. */
export const byIdDescending = (a: { id: string }, b: { id: string }) => (a.id > b.id ? -1 : 1)

export const byTimeDescending = (a: { at: Date | string }, b: { at: Date | string }) =>
  Number(new Date(b.at)) - Number(new Date(a.at))

/** The context at a shard for a new model, chosen at random: models have very different numbers of units. */
export function atNewModel<C extends AccountContext>(ctx: C): C {
  const { modelShards = [] } = ctx.spread ?? {}
  return atShard(ctx, modelShards[Math.floor(Math.random() * modelShards.length)])
}

/** The context at the shard that the id of a future model names, or at any other if that gets no models. */
export function atReservedId<C extends AccountContext>(ctx: C, uuid: string): C {
  const shard = ctx.spread?.modelShards.find(number => number === Number.parseInt(uuid.slice(-3), 16))
  return shard === undefined ? atNewModel(ctx) : atShard(ctx, shard)
}

/** The shard for a new account: the one with the fewest passports, then accounts. Null without shards. */
export async function chooseShard(sql: Sql): Promise<number | null> {
  if (!hasShards(sql)) return null
  const loads = await Promise.all(
    listShards(getSharedDatabase(sql)).map(async shard => {
      const [row] = await shard<{ passports: number; accounts: number }[]>`
        select coalesce(sum(used), 0)::bigint as passports, count(distinct account_id)::int as accounts from account_usage`
      return { number: getShardNumber(shard), passports: row?.passports ?? 0, accounts: row?.accounts ?? 0 }
    }),
  )
  // Sorting is stable: of equal ones the first.
  const [best] = loads.toSorted((a, b) => a.passports - b.passports || a.accounts - b.accounts)
  return best?.number ?? null
}

/** The home of each account that has several shards, by its id. */
export async function findHomesOfSpread(sql: Sql): Promise<ReadonlyMap<number, number | null>> {
  if (!hasShards(sql)) return new Map()
  const rows = await getSharedDatabase(sql)<{ id: number; shard: number | null }[]>`
    select id, shard from account where shards is not null`
  return new Map(rows.map(({ id, shard }) => [id, shard]))
}

/** Runs `work` once in each shard that has an account of this person. */
export async function forEachShardOf(
  ctx: OperatorContext,
  personId: string,
  work: (ctx: OperatorContext, shard: number | null) => Promise<void>,
): Promise<void> {
  if (!hasShards(ctx.sql)) return work(ctx, null)
  const rows = await ctx.sql<{ shard: number | null }[]>`
    select distinct a.shard from membership m join account a on a.id = m.account_id where m.person_id = ${personId}`
  for (const { shard } of rows) await work({ ...ctx, sql: getShard(ctx.sql, shard) }, shard)
}

/** The number of accounts with passports on each shard. */
export async function countAccountsByShard({ sql }: OperatorContext): Promise<Map<number, number>> {
  const rows = await sql<{ shard: number; n: number }[]>`
    select number as shard, count(*)::int as n from account a cross join unnest(coalesce(a.shards, array[a.shard])) number
    where number is not null group by number`
  return new Map(rows.map(({ shard, n }) => [shard, n]))
}

/** Sentences about accounts on a shard that does not exist, or on none although there are shards. */
export async function findMisplacedAccounts({ sql }: OperatorContext): Promise<string[]> {
  const shards = listShards(sql).map(getShardNumber)
  const rows = await sql<{ shard: number | null; n: number }[]>`
    select number as shard, count(*)::int as n from account a cross join unnest(coalesce(a.shards, array[a.shard])) number
    group by number order by number`
  return rows
    .filter(({ shard }) => !shards.includes(shard))
    .map(({ shard, n }) =>
      shard === null
        ? `${n} accounts are on no shard: a server created them that was not restarted after "shards create"`
        : `${n} accounts are on shard ${shard}, which does not exist: restore it from a backup`,
    )
}
