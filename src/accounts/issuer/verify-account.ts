/** Approves who an account is, or withdraws that. Signed documents name it from the next signature on. */
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import { audit } from '../account/audit.ts'
import { type AccountContext, withTransaction } from '../account/context.ts'
import { requestRegistryCheck } from '../account/registry-settings.ts'
import {
  type AccountIdentity,
  describeIdentity,
  findIdentity,
  type IdentityRecord,
} from '../identity/identity.ts'
import { closeVerificationRequest, takeVerificationRequest } from '../identity/verification-request.ts'

/**
 * Replaces what was approved before, and closes the account's request. The context's actor approves;
 * `approvedBy` is their name. Throws `not_found`, and `in_use` for a name that another account has.
 */
export const verifyAccount = (
  ctx: AccountContext,
  identity: AccountIdentity,
  approvedBy: string,
): Promise<IdentityRecord> =>
  change(ctx, async tx => {
    await closeVerificationRequest(tx)
    return approve(tx, identity, approvedBy)
  })

/** Approves what the account asks for, and ends the request. Throws as `verifyAccount`. */
export const approveVerification = (
  ctx: AccountContext,
  { request, approvedBy }: { request: string; approvedBy: string },
): Promise<IdentityRecord> =>
  change(ctx, async tx => approve(tx, await takeVerificationRequest(tx, request), approvedBy))

async function approve(
  tx: AccountContext,
  identity: AccountIdentity,
  approvedBy: string,
): Promise<IdentityRecord> {
  const { sql, accountId } = tx
  const now = tx.clock.now()
  await requireUnapproved(tx, identity.names)
  await sql`
      insert into account_identity (account_id, legal_name, identifiers, approved_at, approved_by)
      values (${accountId}, ${identity.legalName}, ${JSON.stringify(identity.identifiers)}::text::jsonb, ${now}, ${approvedBy})
      on conflict (account_id) do update set legal_name = excluded.legal_name, identifiers = excluded.identifiers,
        approved_at = excluded.approved_at, approved_by = excluded.approved_by`
  await sql`
      delete from approved_name where account_id = ${accountId} and name <> all(${[...identity.names]}::text[])`
  await sql`
      insert into approved_name (name, account_id, approved_at)
      select name, ${accountId}::int, ${now}::timestamptz from unnest(${[...identity.names]}::text[]) name
      on conflict do nothing`
  await audit(tx, 'account_verified', describeIdentity(identity))
  return { ...identity, approvedAt: now, approvedBy }
}

/** Returns what was approved; undefined if nothing was. Throws `not_found`. */
export function withdrawVerification(ctx: AccountContext): Promise<AccountIdentity | undefined> {
  return change(ctx, async tx => {
    const { sql, accountId } = tx
    const before = await findIdentity(sql, accountId)
    if (before === undefined) return undefined
    await sql`delete from approved_name where account_id = ${accountId}`
    await sql`delete from account_identity where account_id = ${accountId}`
    await audit(tx, 'verification_withdrawn', before.legalName)
    return before
  })
}

/** Approvals wait for each other, so that two never get the same name. */
async function change<T>(ctx: AccountContext, work: (tx: AccountContext) => Promise<T>): Promise<T> {
  return withTransaction(ctx, async tx => {
    await tx.sql`lock table approved_name in share row exclusive mode`
    const rows = await tx.sql`select from account where id = ${ctx.accountId} for no key update`
    if (rows.length === 0) throw notFound('account')
    const result = await work(tx)
    // Lines for the registry say for whom they are made.
    await requestRegistryCheck(tx)
    return result
  })
}

async function requireUnapproved(ctx: AccountContext, names: readonly string[]): Promise<void> {
  const [taken] = await listTakenNames(ctx, names)
  if (taken === undefined) return
  throw new AppError(
    'in_use',
    `${taken.wanted} cannot be approved: ${taken.name} is approved for account ${taken.account}. Withdraw that first, or leave it out.`,
  )
}

/** `name` is approved for another account, so `wanted` cannot be. */
export type TakenName = { wanted: string; name: string; account: number }

const MAX_TAKEN = 100

/** At most a hundred. No company prefix begins with another, so two that overlap cannot both be right. */
export const listTakenNames = async (
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  names: readonly string[],
): Promise<TakenName[]> =>
  sql<TakenName[]>`
    select w.name as wanted, n.name, n.account_id as account
    from unnest(${[...names]}::text[]) as w(name)
    join approved_name n on n.account_id <> ${accountId} and (n.name = w.name
      or w.name like 'gs1:%' and (starts_with(n.name, w.name) or starts_with(w.name, n.name) and n.name like 'gs1:%'))
    order by w.name, n.name limit ${MAX_TAKEN}`
