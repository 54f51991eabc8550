/** Makes the claims of GTINs and SKUs of a restored database fit its products, which are newer or older. */

import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { selectClaimKey } from '../core/claim-key.ts'

type Claim = { gtin14: string; model_id: string }

/** The claims since then. On several machines, a claim may be visible a moment before its product. */
export const listClaims = (sql: Sql, since: Date): Promise<Claim[]> =>
  sql<Claim[]>`select gtin14, model_id from gtin_claim where claimed_at > ${since}`

/** Those of the claims whose product is not in the shard. */
export async function findUnusedClaims<C extends { model_id: string }>(
  sql: Sql,
  claims: readonly C[],
): Promise<C[]> {
  if (claims.length === 0) return []
  const found = await sql<{ id: string }[]>`
    select id from passport where id = any(${claims.map(claim => claim.model_id)}::text[]::uuid[])`
  const models = new Set(found.map(row => row.id))
  return claims.filter(claim => !models.has(claim.model_id))
}

export async function deleteClaims(sql: Sql, claims: readonly Claim[]): Promise<void> {
  await sql`delete from gtin_claim where gtin14 = any(${claims.map(claim => claim.gtin14)}::text[])`
}

/** The SKUs that the account has claimed for products created since then. */
export const listSkuClaims = (sql: Sql, accountId: number, since: Date) =>
  sql<{ sku: string; model_id: string }[]>`
    select sku, model_id from sku_claim where account_id = ${accountId} and carnet_created_at(model_id) > ${since}`

export async function deleteSkuClaims(sql: Sql, accountId: number, skus: readonly string[]): Promise<void> {
  await sql`delete from sku_claim where account_id = ${accountId} and sku = any(${[...skus]}::text[])`
}

/** Claims the GTINs that products of the shard have, and those that they had lately. */
export async function claimMissingGtins(sql: Sql, since: Date): Promise<void> {
  await sql`
    with released as materialized (select gtin14 as key, model_id from released_gtin),
    held as materialized (
      select gtin14, account_id, id, updated_at from passport where gtin14 is not null
      union
      select lpad(c.data->>'gtin', 14, '0'), p.account_id, p.id, p.updated_at
      from passport p join content c on c.owner_id = p.id and c.account_id = p.account_id
      where p.level = 'm' and p.updated_at > ${since} and c.data->>'gtin' is not null
    )
    insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at)
    select key, substr(key, 5, 4), account_id, id, updated_at
    from (select ${selectClaimKey(sql)} as key, account_id, id, updated_at from held) h
    where not exists (select from released r where r.key = h.key and r.model_id = h.id)
    on conflict do nothing`
}

/** Sentences about products whose GTIN another product claims, which had it before. */
export async function findLostGtins(sql: Sql, since: Date): Promise<string[]> {
  const rows = await sql<{ id: string; gtin14: string; model_id: string }[]>`
    with held as materialized (
      select gtin14, ${selectClaimKey(sql)} as key, id from passport
      where gtin14 is not null and updated_at > ${since} and status = 'a'
    ),
    claims as materialized (select gtin14 as key, model_id from gtin_claim where gtin14 in (select key from held))
    select h.id, h.gtin14, c.model_id from held h join claims c on c.key = h.key where c.model_id <> h.id`
  return rows.map(
    ({ id, gtin14, model_id }) =>
      `product ${idFromUuid(id)} shows GTIN ${gtin14}, which product ${idFromUuid(model_id)} had when the backup began`,
  )
}
