/** Creates, lists and changes accounts, most of it on behalf of the operator. */
import type { Sql } from '../../kernel/db/database.ts'
import { getShard, listShards } from '../../kernel/db/shards.ts'
import { assert, notFound } from '../../kernel/errors/errors.ts'
import { chooseShard, listAccountShards } from './account-shard.ts'
import { getOperatorActor, withActor } from './actors.ts'
import { audit } from './audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from './context.ts'
import { LEVEL_LETTER, LEVELS, type QuotaOverrides, requirePlan } from './plans.ts'

export type Account = { id: string; name: string; plan: string }
export type AccountWithUsage = Account & {
  created_at: string
  closed_at: string | null
  /** Its owners answer requests for verification in the console. */
  operator: boolean
  quota: QuotaOverrides
  requests_per_minute?: number
  used: Record<(typeof LEVELS)[number], number>
}

/**
 * Creates an account with its counters at zero, in two statements: call it inside a transaction. The counters
 * need not be on the machine that has the account. Without `shard`, it is chosen. Throws `not_found` for an
 * unknown plan.
 */
export async function createAccount(
  ctx: OperatorContext,
  input: { name: string; plan: string; shard?: number | null },
): Promise<Account> {
  const { sql, clock } = ctx
  await requirePlan(sql, input.plan)
  const shard = input.shard === undefined ? await chooseShard(sql) : input.shard
  const [row] = await sql<{ id: number }[]>`
    insert into account (name, plan, created_at, shard)
    values (${input.name}, ${input.plan}, ${clock.now()}, ${shard}) returning id`
  assert(row, 'an insert returns its row')
  const letters = LEVELS.map(level => LEVEL_LETTER[level])
  const shardSql = getShard(sql, shard)
  await shardSql`
    insert into account_usage (account_id, level, used)
    select ${row.id}::int, l::"char", 0 from unnest(${letters}::text[]) l`
  return { id: String(row.id), name: input.name, plan: input.plan }
}

export async function listAccounts(ctx: OperatorContext): Promise<AccountWithUsage[]> {
  const rows = await ctx.sql<AccountRow[]>`
    select a.id::text, a.name, a.plan, a.created_at, a.closed_at, a.is_operator as operator,
      json_strip_nulls(json_build_object('model', a.model_quota, 'batch', a.batch_quota, 'item', a.item_quota)) as quota,
      a.requests_per_minute
    from account a order by a.id`
  const usage = new Map<string, AccountWithUsage['used']>()
  for (const [id, { model, batch, item }] of (await Promise.all(listShards(ctx.sql).map(listUsage))).flat()) {
    const sum = usage.get(id) ?? { model: 0, batch: 0, item: 0 }
    usage.set(id, { model: sum.model + model, batch: sum.batch + batch, item: sum.item + item })
  }
  return rows.map(({ created_at, closed_at, quota, requests_per_minute, ...account }) => ({
    ...account,
    created_at: created_at.toISOString(),
    closed_at: closed_at?.toISOString() ?? null,
    quota,
    ...(requests_per_minute === null ? {} : { requests_per_minute }),
    used: usage.get(account.id) ?? { model: 0, batch: 0, item: 0 },
  }))
}

/** The passports of each account of a shard, with the account's id. */
async function listUsage(shard: Sql): Promise<[string, AccountWithUsage['used']][]> {
  const rows = await shard<{ id: string; used: AccountWithUsage['used'] }[]>`
    select account_id::text as id, json_build_object(
      'model', coalesce(sum(used) filter (where level = 'm'), 0),
      'batch', coalesce(sum(used) filter (where level = 'b'), 0),
      'item', coalesce(sum(used) filter (where level = 'i'), 0)) as used
    from account_usage group by account_id`
  return rows.map(({ id, used }) => [id, used])
}

type AccountRow = Account &
  Pick<AccountWithUsage, 'quota' | 'operator'> & {
    created_at: Date
    closed_at: Date | null
    requests_per_minute: number | null
  }

type PlanChange = {
  accountId: number
  plan: string
  quota: QuotaOverrides
  /** Overrides the plan's rate limit; undefined keeps the plan's. */
  requestsPerMinute?: number | undefined
}

/**
 * Sets an account's plan. `quota` replaces earlier overrides; an empty one removes them. Throws `not_found`.
 */
export async function setPlan(
  ctx: OperatorContext,
  input: PlanChange,
): Promise<Account & { quota: QuotaOverrides; requests_per_minute?: number }> {
  const { accountId, plan, quota } = input
  await requirePlan(ctx.sql, plan)
  const { model = null, batch = null, item = null } = quota
  const perMinute = input.requestsPerMinute ?? null
  return withTransaction(ctx, async tx => {
    const [row] = await tx.sql<{ name: string }[]>`
      update account set plan = ${plan}, model_quota = ${model}, batch_quota = ${batch}, item_quota = ${item},
        requests_per_minute = ${perMinute}
      where id = ${accountId} returning name`
    if (!row) throw notFound('account')
    const account = await withActor(tx, accountId)
    // No shard has quota left now: the next passport deals it anew.
    for (const { sql } of account.spread === undefined ? [] : listAccountShards(account))
      await sql`update account_usage set part = used where account_id = ${accountId}`
    const overrides = LEVELS.flatMap(level =>
      quota[level] === undefined ? [] : [`${level} ${quota[level]}`],
    )
    const rate = perMinute === null ? [] : [`${perMinute} requests a minute`]
    await audit(account, 'plan_changed', [plan, ...overrides, ...rate].join(', '))
    const changed = { id: String(accountId), name: row.name, plan, quota }
    return perMinute === null ? changed : { ...changed, requests_per_minute: perMinute }
  })
}

export async function requireAccount(ctx: OperatorContext, accountId: number): Promise<Account> {
  const [row] = await ctx.sql<{ name: string; plan: string }[]>`
    select name, plan from account where id = ${accountId}`
  if (!row) throw notFound('account')
  return { id: String(accountId), name: row.name, plan: row.plan }
}

/** The context of the operator acting in an account. Throws `not_found` unless it exists. */
export async function actAsOperator<C extends OperatorContext>(
  ctx: C,
  accountId: number,
): Promise<C & AccountContext> {
  await requireAccount(ctx, accountId)
  return withActor({ ...ctx, actorId: await getOperatorActor(ctx, accountId) }, accountId)
}

/** Like `createAccount`, with an audit entry. */
export async function createAccountByOperator(
  ctx: OperatorContext,
  input: { name: string; plan: string },
): Promise<Account> {
  return withTransaction(ctx, async tx => {
    const account = await createAccount(tx, input)
    await audit(await withActor(tx, Number(account.id)), 'account_created', input.name)
    return account
  })
}

export const MAX_ACCOUNT_NAME_LENGTH = 200

/** Pages and invitation e-mails show the name, one line that the door has checked. Throws `not_found`. */
export async function renameAccount(ctx: AccountContext, name: string): Promise<void> {
  await withTransaction(ctx, async tx => {
    const [row] = await tx.sql<{ before: string }[]>`
      update account a set name = ${name}
      from (select id, name as before from account where id = ${ctx.accountId} for update) b
      where a.id = b.id returning b.before`
    if (row === undefined) throw notFound('account')
    if (row.before !== name) await audit(tx, 'account_renamed', `${row.before} → ${name}`)
  })
}

/** In a transaction: others that lock the account wait until it ends. */
export async function lockAccount({
  sql,
  accountId,
}: Pick<AccountContext, 'sql' | 'accountId'>): Promise<void> {
  await sql`select from account where id = ${accountId} for no key update`
}
