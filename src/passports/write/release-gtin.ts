/**
 * Releases a GTIN; only for operators, because printed codes contain it. The row in `released_gtin` stays
 * forever: codes keep leading to the model's units, and only the chosen account can claim the GTIN.
 */
import { requireAccount } from '../../accounts/account/accounts.ts'
import { withActor } from '../../accounts/account/actors.ts'
import { audit } from '../../accounts/account/audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../../accounts/account/context.ts'
import { getPrefixDigits, isGtin, toGtin14 } from '../../gs1/gtin.ts'
import { isWorldwideGtin } from '../../gs1/gtin-kind.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { isLockTimeout } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { getGtinOfClaim, toClaimKey } from '../core/claim-key.ts'
import { selectContents } from '../core/outdated.ts'
import { findPassportShard } from '../core/passport-shard.ts'
import { countUnitsWithContents } from '../core/unit-counts.ts'

export type ReleaseOptions = {
  /** An account by its number, or `anyone`; by default the account that had the GTIN. */
  claimableBy?: number | 'anyone' | undefined
  /** Releases the GTIN even if active units were issued under it. */
  force?: boolean
}

export type ReleasedGtin = {
  gtin14: string
  product_id: string
  /** The account that had the GTIN. */
  account_id: string
  /** Units issued under the GTIN; their printed codes keep working. */
  units: number
  active_units: number
  /** The account that may claim the GTIN, or `anyone`. */
  claimable_by: string
}

type Holder = { account_id: number; model_id: string }

/**
 * Releases a GTIN that no active product has, or changes who may claim it. Throws `not_found` if nobody had
 * it, `gtin_taken` if an active product has it, `validation` while units issued under it are active,
 * `unavailable` if constant product writes keep the table locked.
 */
export async function releaseGtin(
  ctx: OperatorContext,
  gtin: string,
  options: ReleaseOptions = {},
): Promise<ReleasedGtin> {
  if (!isGtin(gtin))
    throw new AppError(
      'bad_request',
      `"${gtin}" is not a GTIN: 8, 12, 13 or 14 digits with a correct check digit.`,
    )
  const { claimableBy } = options
  if (typeof claimableBy === 'number') await requireAccount(ctx, claimableBy)
  const key = findClaimKey(gtin, claimableBy)
  try {
    return await withTransaction(ctx, tx => release(tx, key, options))
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    throw new AppError('unavailable', 'Too many products are being written right now. Try again in a moment.')
  }
}

/** Throws `validation` without the account for a number that each account has for itself. */
function findClaimKey(gtin: string, claimableBy: ReleaseOptions['claimableBy']): string {
  const gtin14 = toGtin14(gtin)
  if (isWorldwideGtin(gtin14)) return gtin14
  if (typeof claimableBy === 'number') return toClaimKey(gtin14, claimableBy)
  const message = `The number ${gtin14} is not unique in the world, so each account may have a product with it. Say with --to in which account it is released.`
  throw new AppError('validation', message)
}

async function release(
  ctx: OperatorContext,
  key: string,
  { claimableBy, force = false }: ReleaseOptions,
): Promise<ReleasedGtin> {
  const { sql } = ctx
  const gtin14 = getGtinOfClaim(key)
  const prefixDigits = getPrefixDigits(key)
  // Otherwise a create that waits for the row below could claim the GTIN at once.
  await sql`set local lock_timeout = '2s'`
  await sql`lock table gtin_claim in share row exclusive mode`
  const [claim] = await sql<Holder[]>`
    select account_id, model_id from gtin_claim where gtin14 = ${key} and prefix_digits = ${prefixDigits}`
  const held = claim ?? (await findReleased(ctx, key))
  if (held === undefined) throw new AppError('not_found', `No product has the GTIN ${gtin14}.`)
  const id = idFromUuid(held.model_id)
  const at = await atModel(ctx, held)
  if (claim !== undefined && (await isInUse(at, held, gtin14))) {
    const message = `The active product ${id} has the GTIN ${gtin14}. Archive it or change its GTIN first.`
    throw new AppError('gtin_taken', message)
  }
  const counts = await countIssued(at, gtin14, held)
  if (claim !== undefined && counts.active_units > 0 && !force) throw activeUnitsError(gtin14, id, counts)
  const claimable_by = claimableBy === 'anyone' ? null : (claimableBy ?? held.account_id)
  const account = held.account_id
  await sql`
    insert into released_gtin (gtin14, account_id, model_id, released_at, claimable_by)
    values (${key}, ${account}, ${held.model_id}, ${ctx.clock.now()}, ${claimable_by})
    on conflict (gtin14, account_id, model_id) do update set claimable_by = excluded.claimable_by
      ${claim === undefined ? sql`` : sql`, released_at = excluded.released_at`}`
  await sql`
    delete from gtin_claim where gtin14 = ${key} and prefix_digits = ${prefixDigits} and account_id = ${account}`
  await audit(at, 'gtin_released', gtin14)
  if (claimable_by !== null && claimable_by !== account)
    await audit(await withActor(ctx, claimable_by), 'gtin_released', gtin14)
  return {
    gtin14,
    product_id: id,
    account_id: String(account),
    ...counts,
    claimable_by: claimable_by === null ? 'anyone' : String(claimable_by),
  }
}

/** In the same transaction, where the tables with the model are. */
async function atModel(ctx: OperatorContext, held: Holder): Promise<AccountContext> {
  const home = await withActor(ctx, held.account_id)
  return (home.spread && (await findPassportShard(home, held.model_id))) ?? home
}

async function isInUse({ sql }: OperatorContext, held: Holder, gtin14: string): Promise<boolean> {
  const found = await sql`
    select from passport
    where account_id = ${held.account_id} and id = ${held.model_id} and gtin14 = ${gtin14} and status = 'a'`
  return found.length > 0
}

async function findReleased({ sql }: OperatorContext, key: string): Promise<Holder | undefined> {
  const [last] = await sql<Holder[]>`
    select account_id, model_id from released_gtin where gtin14 = ${key} order by released_at desc limit 1`
  return last
}

async function countIssued(
  { sql }: OperatorContext,
  gtin14: string,
  { account_id, model_id }: Holder,
): Promise<{ units: number; active_units: number }> {
  const issuedUnder = sql`${selectContents(sql, { id: model_id, account_id })} and lpad(c.data->>'gtin', 14, '0') = ${gtin14}`
  const units = await countUnitsWithContents(sql, account_id, issuedUnder)
  if (units === 0) return { units, active_units: 0 }
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from passport p
    where p.account_id = ${account_id} and p.model_id = ${model_id} and p.level <> 'm' and p.status = 'a'
      and p.content_id = any(array(${issuedUnder}))`
  return { units, active_units: row?.n ?? 0 }
}

const activeUnitsError = (gtin14: string, id: string, { active_units: n }: { active_units: number }) =>
  new AppError(
    'validation',
    `${n} active ${n === 1 ? 'unit was' : 'units were'} issued under the GTIN ${gtin14} by product ${id}. ` +
      'Archive them first, or repeat the command with --force: codes printed on them keep working.',
  )
