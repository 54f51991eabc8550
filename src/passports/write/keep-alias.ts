/** Creates passports that keep the identifier they had in another system. */
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { findApprovedAccounts } from '../../accounts/identity/approved-names.ts'
import { getPrefixDigits } from '../../gs1/gtin.ts'
import { getShard } from '../../kernel/db/shards.ts'
import { isTransaction } from '../../kernel/db/transaction.ts'
import { invalidField } from '../../kernel/errors/errors.ts'
import { HEADER_MEMBER } from '../../standards/en18223/names.ts'
import { findNamedOwners } from '../core/named-owners.ts'
import { atPassport } from '../read/find.ts'
import { findByAlias } from '../read/find-alias.ts'
import { dropCachedMetadata } from '../read/public-passport.ts'

/** `key`: the identifier in its normal form. */
export type Alias = { dppId: string; key: string }

/**
 * Creates a passport and its alias, or neither. `create` returns the UUID. Throws `validation` if the
 * identifier belongs to another passport or company, and what `create` throws.
 */
export async function createWithAlias(
  ctx: AccountContext,
  alias: Alias,
  create: (ctx: AccountContext) => Promise<string>,
): Promise<string> {
  if ((await findByAlias(ctx.sql, alias.key)) !== undefined) throw aliasTakenError(alias)
  await requireOwnNames(ctx, alias)
  const work = async (tx: AccountContext) => {
    const id = await create(tx)
    if (!(await claimAlias(tx, alias, id))) throw aliasTakenError(alias)
    // The operator may have approved a name meanwhile.
    await requireOwnNames(tx, alias)
    const { sql, accountId } = await atPassport(tx, id)
    await sql`update passport set dpp_id = ${alias.dppId} where id = ${id} and account_id = ${accountId}`
    dropCachedMetadata(sql, id)
    return id
  }
  // A nested transaction could not explain why a statement of `create` was refused.
  return isTransaction(ctx.sql) ? work(ctx) : withTransaction(ctx, work)
}

export const aliasTakenError = ({ dppId }: Pick<Alias, 'dppId'>) =>
  invalidField(
    [HEADER_MEMBER.id],
    'duplicate',
    `${HEADER_MEMBER.id} ${dppId} already belongs to a passport here. Send another one, or none to get a new one.`,
  )

/** False if the identifier belongs to another passport; waits for a transaction that claims it. */
async function claimAlias(
  { sql, clock, accountId }: AccountContext,
  { key }: Alias,
  id: string,
): Promise<boolean> {
  const kept = await getShard(sql, null)`
    insert into dpp_alias (key, account_id, passport_id, created_at)
    values (${key}, ${accountId}, ${id}, ${clock.now()}) on conflict do nothing returning key`
  return kept.length > 0
}

/**
 * Throws `validation` if the identifier has a name of another account. The nearest approved host or DID
 * decides; without one, the GS1 company prefix does, then who has the GTIN. Anybody may use other names.
 */
async function requireOwnNames({ sql, accountId }: AccountContext, alias: Alias): Promise<void> {
  const { nearest, prefixes, gtins } = findNamedOwners(alias.key)
  const shared = getShard(sql, null)
  const approved = await findApprovedAccounts(shared, [...nearest, ...prefixes])
  const host = nearest.find(name => approved.has(name))
  const names = host === undefined ? prefixes.filter(name => approved.has(name)) : [host]
  const foreign = names.find(name => approved.get(name) !== accountId)
  if (foreign !== undefined) throw foreignNameError(alias, describeName(foreign))
  if (names.length > 0 || gtins.length === 0) return
  const [claim] = await shared<{ gtin14: string }[]>`
    select gtin14 from gtin_claim where gtin14 = any(${[...gtins]}::text[])
      and prefix_digits = any(${gtins.map(getPrefixDigits)}::text[]) and account_id <> ${accountId} limit 1`
  if (claim !== undefined) throw foreignNameError(alias, `GTIN ${claim.gtin14}`)
}

const describeName = (name: string): string =>
  name.startsWith('host:')
    ? `host ${name.slice('host:'.length)}`
    : name.startsWith('gs1:')
      ? `GS1 company prefix ${name.slice('gs1:'.length)}`
      : name

const foreignNameError = ({ dppId }: Alias, name: string) =>
  invalidField(
    [HEADER_MEMBER.id],
    'format',
    `${HEADER_MEMBER.id} ${dppId} names the ${name}, which belongs to another account here. Send an identifier of your own, or none to get a new one. If the name is yours, ask the operator to verify your account.`,
  )
