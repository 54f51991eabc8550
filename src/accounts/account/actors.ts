/** Actors: the keys, people and services that change passports. A version stores only the actor's number. */
import type { Sql } from '../../kernel/db/database.ts'
import { findHome } from './account-shard.ts'
import type { AccountContext, OperatorContext } from './context.ts'

export type ActorKind = 'api_key' | 'person' | 'operator' | 'service'

/** Numbers the actors of each account from 1: a sequence cannot be drawn on every machine of a cluster. */
export async function createActor(
  ctx: OperatorContext,
  input: { accountId: number; kind: ActorKind; label: string },
): Promise<number> {
  for (;;) {
    const [row] = await ctx.sql<{ id: number }[]>`
      with next as materialized (
        select coalesce(max(id), 0) + 1 as id from actor where account_id = ${input.accountId}
      )
      insert into actor (account_id, id, kind, label) overriding system value
      select ${input.accountId}::int, id, ${input.kind}::text, ${input.label}::text from next
      on conflict (account_id, id) do nothing returning id`
    // No row: another transaction committed this id meanwhile.
    if (row !== undefined) return row.id
  }
}

/** The operator's actor in an account, created at first use. */
export const getOperatorActor = (ctx: OperatorContext, accountId: number): Promise<number> =>
  findOrCreateActor(ctx, { accountId, kind: 'operator', label: 'Operator' })

/** The actor of background work in an account, created at first use. */
export const getServiceActor = (ctx: OperatorContext, accountId: number): Promise<number> =>
  findOrCreateActor(ctx, { accountId, kind: 'service', label: 'Carnet' })

async function findOrCreateActor(
  ctx: OperatorContext,
  input: { accountId: number; kind: ActorKind; label: string },
): Promise<number> {
  const [row] = await ctx.sql<{ id: number }[]>`
    select id from actor where account_id = ${input.accountId} and kind = ${input.kind} order by id limit 1`
  return row?.id ?? createActor(ctx, input)
}

/** Adds the account and its database to a context. Without an actor in it, the operator acts. */
export async function withActor<C extends OperatorContext & { actorId?: number }>(
  ctx: C,
  accountId: number,
): Promise<C & AccountContext> {
  const actorId = ctx.actorId ?? (await getOperatorActor(ctx, accountId))
  return { ...ctx, ...(await findHome(ctx.sql, accountId)), accountId, actorId }
}

export async function getActorLabels(
  sql: Sql,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; label: string }[]>`
    select id, label from actor where account_id = ${accountId} and id = any(${[...new Set(ids)]}::int[])`
  return new Map(rows.map(row => [row.id, row.label]))
}
