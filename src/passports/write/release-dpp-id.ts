/**
 * Takes the identifier of another system (`digitalProductPassportId`) from a passport; only for operators.
 * Its documents then name its own address. Of two that release one identifier at once, the second finds none.
 */
import { requireAccount } from '../../accounts/account/accounts.ts'
import { withActor } from '../../accounts/account/actors.ts'
import { audit } from '../../accounts/account/audit.ts'
import { type OperatorContext, withTransaction } from '../../accounts/account/context.ts'
import { requestRegistryCheck } from '../../accounts/account/registry-settings.ts'
import { findApprovedAccounts } from '../../accounts/identity/approved-names.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { getShard } from '../../kernel/db/shards.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { normalizeDppId } from '../core/dpp-id.ts'
import { findNamedOwners } from '../core/named-owners.ts'
import { findPassportShard } from '../core/passport-shard.ts'
import { dropCachedMetadata } from '../read/public-passport.ts'

export type ReleasedDppId = {
  dpp_id: string
  product_id: string
  /** The account that had the identifier. */
  account_id: string
  /** The only account that may use it now; null: the first that asks. */
  claimable_by: string | null
}

type Holder = { key: string; account_id: number; passport_id: string }

/** `contestedBy` gets an entry in its audit log. Throws `bad_request`, and `not_found` if nobody has it. */
export async function releaseDppId(
  ctx: OperatorContext,
  dppId: string,
  contestedBy?: number,
): Promise<ReleasedDppId> {
  const key = normalizeDppId(dppId)
  if (key === undefined)
    throw new AppError('bad_request', `"${dppId}" is not an identifier: an http(s) address, a URN or a DID.`)
  if (contestedBy !== undefined) await requireAccount(ctx, contestedBy)
  return withTransaction(ctx, async tx => {
    const holder = await lockHolder(tx, key)
    if (holder === undefined) throw new AppError('not_found', `No passport has the identifier ${dppId}.`)
    const owner = await findOwner(tx, key)
    await removeIdentifier(tx, holder)
    const informed = new Set([holder.account_id, owner ?? contestedBy ?? holder.account_id])
    if (contestedBy !== undefined) informed.add(contestedBy)
    for (const account of informed) await audit(await withActor(tx, account), 'dpp_id_released', key)
    return {
      dpp_id: key,
      product_id: idFromUuid(holder.passport_id),
      account_id: String(holder.account_id),
      claimable_by: owner === undefined ? null : String(owner),
    }
  })
}

/** Account, passport, identifier: the order of all writes. Then whether the passport still has it. */
async function lockHolder(ctx: OperatorContext, key: string): Promise<Holder | undefined> {
  const shared = getShard(ctx.sql, null)
  const select = () => shared<Holder[]>`select key, account_id, passport_id from dpp_alias where key = ${key}`
  const [found] = await select()
  if (found === undefined) return undefined
  const at = await atHolder(ctx, found)
  // Lines for the registry name the identifier.
  await requestRegistryCheck(at)
  await at.sql`select from passport where id = ${found.passport_id} and account_id = ${found.account_id} for no key update`
  const [holder] = await select()
  return holder
}

async function removeIdentifier(ctx: OperatorContext, holder: Holder): Promise<void> {
  const { key, account_id, passport_id } = holder
  const at = await atHolder(ctx, holder)
  // Neither a version nor a change of the data; lists of changes and mirrors name it again all the same.
  await at.sql`
    update passport set dpp_id = null, stored_at = greatest(stored_at, now())
    where id = ${passport_id} and account_id = ${account_id}`
  await getShard(ctx.sql, null)`delete from dpp_alias where key = ${key} and passport_id = ${passport_id}`
  dropCachedMetadata(at.sql, passport_id)
}

/** In the same transaction, where the tables with the passport are. */
async function atHolder(ctx: OperatorContext, { account_id, passport_id }: Holder) {
  const home = await withActor(ctx, account_id)
  return (home.spread && (await findPassportShard(home, passport_id))) ?? home
}

/** The account for which the name in the identifier that decides is approved. */
async function findOwner(ctx: OperatorContext, key: string): Promise<number | undefined> {
  const { nearest, prefixes } = findNamedOwners(key)
  const approved = await findApprovedAccounts(getShard(ctx.sql, null), [...nearest, ...prefixes])
  const name = [...nearest, ...prefixes].find(one => approved.has(one))
  return name === undefined ? undefined : approved.get(name)
}
