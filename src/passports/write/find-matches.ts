/** Finds the models that have these SKUs or GTINs, many in one statement. */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { getPrefixDigits } from '../../gs1/gtin.ts'
import { unprepared } from '../../kernel/db/database.ts'
import type { AppError } from '../../kernel/errors/errors.ts'
import { gtinTakenError } from '../core/check-data.ts'
import { getGtinOfClaim, toClaimKey } from '../core/claim-key.ts'

/** An error names at most this many products with one SKU. */
export const MAX_NAMED_PRODUCTS = 20

export type SkuMatch = {
  /**
   * Models that have the SKU now, also archived ones and one that is not visible yet, oldest first; at most
   * one more than an error names.
   */
  ids: readonly string[]
  /** The model that holds the SKU's claim, even if it has another SKU now. */
  claimedBy: string | null
}

/** `skus` must be in NFC. The result has an entry for each. */
export async function findBySku(
  ctx: AccountContext,
  skus: readonly string[],
): Promise<Map<string, SkuMatch>> {
  if (skus.length === 0) return new Map()
  const [home = ctx, ...others] = listAccountShards(ctx)
  // Claims are read first: the model of a claim that is there must be seen, or it would be created again.
  const matches = await readBySku(home, skus)
  const found = await Promise.all(others.map(at => readBySku(at, skus)))
  for (const [sku, { ids }] of found.flatMap(one => [...one])) {
    const match = matches.get(sku)
    if (match !== undefined) match.ids = [...match.ids, ...ids].sort().slice(0, MAX_NAMED_PRODUCTS + 1)
  }
  if (others.length === 0) return matches
  const claimed = [...matches].flatMap(([sku, { ids, claimedBy }]) =>
    ids.length === 0 && claimedBy !== null ? [{ sku, claimedBy }] : [],
  )
  if (claimed.length === 0) return matches
  const claimants = await readClaimants(
    ctx,
    claimed.map(one => one.claimedBy),
  )
  for (const { sku, claimedBy } of claimed) {
    const keys = claimants.get(claimedBy)
    if (keys === undefined || keys.sku === sku) matches.set(sku, { ids: [claimedBy], claimedBy })
  }
  return matches
}

/**
 * The models of claims, with their keys now. On several machines a claim may be visible a moment before its
 * model, which is then missing here. It counts as a match: a sync cannot read it, and starts again.
 */
async function readClaimants(
  ctx: AccountContext,
  ids: readonly string[],
): Promise<Map<string, { sku: string | null; gtin14: string | null }>> {
  const rows = await Promise.all(
    listAccountShards(ctx).map(
      at => at.sql<{ id: string; sku: string | null; gtin14: string | null }[]>`
        select id, sku, gtin14 from passport
        where account_id = ${ctx.accountId} and id = any(${[...ids]}::text[]::uuid[])`,
    ),
  )
  return new Map(rows.flat().map(({ id, ...keys }) => [id, keys]))
}

async function readBySku(
  { sql, accountId }: AccountContext,
  skus: readonly string[],
): Promise<Map<string, SkuMatch>> {
  // Planned at each call: a plan made for a small table scans it for each SKU, also when it has grown.
  const rows = await unprepared(sql<(SkuMatch & { sku: string })[]>`
    select s.sku, c.model_id as "claimedBy", array(
      select p.id from passport p where p.account_id = ${accountId} and p.sku = s.sku order by p.id limit ${MAX_NAMED_PRODUCTS + 1}
    )::text[] as ids
    from unnest(${[...skus]}::text[]) as s(sku)
    left join sku_claim c on c.account_id = ${accountId} and c.sku = s.sku`)
  return new Map(rows.map(({ sku, ids, claimedBy }) => [sku, { ids, claimedBy }]))
}

export type GtinMatch = {
  /** The model with the claim; null if it belongs to another account. */
  id: string | null
  /** False if the model no longer has the GTIN. It keeps the claim because of printed codes. */
  isCurrent: boolean
  /** Nobody has the GTIN, but its GS1 company prefix is approved for another account. */
  isReserved: boolean
}

/** Finds which of these GTIN-14s are claimed, by any account, or released to another account. */
export async function findByGtin(
  ctx: AccountContext,
  gtin14s: readonly (string | null)[],
): Promise<Map<string, GtinMatch>> {
  const gtins = gtin14s.filter(gtin14 => gtin14 !== null)
  if (gtins.length === 0) return new Map()
  const found = (await Promise.all(listAccountShards(ctx).map(at => readByGtin(at, gtins)))).flat()
  // Each shard knows all claims, and whether a model of its own still has the GTIN.
  const current = found.filter(([, match]) => match.isCurrent)
  const matches = new Map([...found, ...current])
  const former = [...matches].flatMap(([gtin14, { id, isCurrent }]) =>
    id === null || isCurrent ? [] : [{ gtin14, id }],
  )
  if (former.length === 0) return matches
  const claimants = await readClaimants(
    ctx,
    former.map(one => one.id),
  )
  for (const { gtin14, id } of former) {
    const keys = claimants.get(id)
    if (keys === undefined || keys.gtin14 === gtin14)
      matches.set(gtin14, { id, isCurrent: true, isReserved: false })
  }
  return matches
}

async function readByGtin(
  { sql, accountId }: AccountContext,
  gtins: readonly string[],
): Promise<[string, GtinMatch][]> {
  const keys = gtins.map(gtin14 => toClaimKey(gtin14, accountId))
  // Claims are read first: they are stored by GTIN, passports by account.
  const rows = await sql<{ gtin14: string; id: string | null; isCurrent: boolean; isReserved: boolean }[]>`
    with claim as materialized (
      select gtin14, account_id, model_id from gtin_claim
      where gtin14 = any(${keys}::text[]) and prefix_digits = any(${keys.map(getPrefixDigits)}::text[])
    )
    select g.gtin14, case when g.account_id = ${accountId} then g.model_id end as id,
      coalesce(p.gtin14 = left(g.gtin14, 14), false) as "isCurrent", false as "isReserved"
    from claim g left join passport p on p.id = g.model_id and p.account_id = g.account_id
    union all
    select r.gtin14, null, false, false from (
      select distinct gtin14 from released_gtin where gtin14 = any(${keys}::text[])) r
    where not carnet_may_claim_gtin(r.gtin14, ${accountId})
      and not exists (select 1 from claim g where g.gtin14 = r.gtin14)
    union all
    select r.gtin14, null, false, true
    from unnest(public.carnet_reserved_gtins(array_fill(${accountId}::int, array[${keys.length}::int]), ${keys}::text[])) as r(gtin14)
    where not exists (select 1 from claim g where g.gtin14 = r.gtin14)`
  return rows.map(({ gtin14, ...match }) => [getGtinOfClaim(gtin14), match])
}

/** Throws `gtin_taken` if another passport than `uuid` has claimed the GTIN. */
export async function requireFreeGtin(
  ctx: AccountContext,
  uuid: string,
  gtin14: string | null,
): Promise<void> {
  if (gtin14 === null) return
  const match = (await findByGtin(ctx, [gtin14])).get(gtin14)
  if (match !== undefined && match.id !== uuid) throw gtinTakenError(match)
}

export async function explainTakenGtin(ctx: AccountContext, gtin14: string | null): Promise<AppError> {
  return gtinTakenError((await findByGtin(ctx, [gtin14])).get(gtin14 ?? ''))
}
