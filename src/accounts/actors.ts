/** Whoever changes a passport is an actor of its account: four bytes in each version, a name in the history. */
import type { Sql } from '../kernel/db/database.ts'
import type { AccountContext, OperatorContext } from './context.ts'

export type ActorKind = 'api_key' | 'person' | 'operator' | 'service'

/** The number of a new actor. */
export async function createActor(
  ctx: OperatorContext,
  input: { accountId: number; kind: ActorKind; label: string },
): Promise<number> {
  const [row] = await ctx.sql<{ id: number }[]>`
    insert into actor (account_id, kind, label) values (${input.accountId}, ${input.kind}, ${input.label}) returning id`
  return Number(row?.id)
}

/** The operator's own actor in an account, made at first use. */
export const getOperatorActor = (ctx: OperatorContext, accountId: number): Promise<number> =>
  onlyActor(ctx, { accountId, kind: 'operator', label: 'Operator' })

/** Carnet itself, for what it does without being asked; made at first use. */
export const getServiceActor = (ctx: OperatorContext, accountId: number): Promise<number> =>
  onlyActor(ctx, { accountId, kind: 'service', label: 'Carnet' })

async function onlyActor(
  ctx: OperatorContext,
  input: { accountId: number; kind: ActorKind; label: string },
): Promise<number> {
  const [row] = await ctx.sql<{ id: number }[]>`
    select id from actor where account_id = ${input.accountId} and kind = ${input.kind} order by id limit 1`
  return row?.id ?? createActor(ctx, input)
}

/** A context that acts in the account: as the actor it names, or as the operator when it names none. */
export async function withActor<C extends OperatorContext & { actorId?: number }>(
  ctx: C,
  accountId: number,
): Promise<C & AccountContext> {
  return { ...ctx, accountId, actorId: ctx.actorId ?? (await getOperatorActor(ctx, accountId)) }
}

/** The labels of an account's actors, by number. */
export async function getActorLabels(
  sql: Sql,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; label: string }[]>`
    select id, label from actor where account_id = ${accountId} and id = any(${[...new Set(ids)]}::int[])`
  return new Map(rows.map(row => [row.id, row.label]))
}
