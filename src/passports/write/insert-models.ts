/**
 * Writes checked models, GTIN claims, quota, counters and events in one statement, or rejects rows and writes
 * nothing.
 */
import type { AccountContext } from '../../accounts/context.ts'
import { storeResponses, type toIdempotencyRow } from '../../accounts/idempotency-record.ts'
import { reserveQuota } from '../../accounts/limits/quota.ts'
import {
  findRefusalReason,
  isLockTimeout,
  type Sql,
  sqlState,
  withRetries,
} from '../../kernel/db/database.ts'
import { newPassportUuid } from '../../kernel/db/shards.ts'
import { AppError } from '../../kernel/errors.ts'
import { newUuid } from '../../kernel/ids.ts'
import { buildPassportEvent, insertEvents } from '../../webhooks/insert-events.ts'
import type { CheckedData } from '../core/check-data.ts'
import type { PassportRow } from '../core/record.ts'
import { addPassportCounts } from '../core/unit-counts.ts'

export type RejectReason = 'key_taken' | 'gtin_taken' | 'plan_limit' | 'sku_taken'

/** `idempotency`: the request's idempotency record. */
export type ModelRow = ReturnType<typeof buildModelRow> & {
  idempotency?: ReturnType<typeof toIdempotencyRow>
}

/** A row that also claims its SKU; `claimedBy` is the model that held the claim when it was looked up. */
type SkuClaimRow = ModelRow & { claimedBy: string | null }

export function buildModelRow(ctx: AccountContext, category: string, checked: CheckedData, now: Date) {
  const id = newPassportUuid(ctx.sql, now.getTime())
  return {
    id,
    account_id: ctx.accountId,
    content_id: newUuid(now.getTime()),
    event_id: newUuid(now.getTime()),
    category,
    gtin14: checked.gtin14,
    sku: checked.sku,
    search: checked.search,
    schema_version: checked.schemaVersion,
    created_by: ctx.actorId,
    at: now.toISOString(),
    data: checked.data,
    event: buildPassportEvent({ id, category, version_no: 1 }),
  }
}

export function toPassportRow(row: ModelRow): PassportRow {
  const { gtin } = row.data
  return {
    id: row.id,
    account_id: row.account_id,
    version_no: 1,
    created_by: row.created_by,
    parent_id: null,
    model_id: row.id,
    schema_version: row.schema_version,
    level: 'm',
    status: 'a',
    category: row.category,
    lot: null,
    serial: null,
    updated_at: new Date(row.at),
    outdated: false,
    gtin: typeof gtin === 'string' ? gtin : null,
    data: JSON.stringify(row.data),
  }
}

export const modelQuotaError = () =>
  new AppError(
    'plan_limit',
    'The quota of models of this account is used up. Ask for a larger plan, or for extra quota.',
  )

/** Returns the rejected rows by id, each with its reason. If there are any, no row is written. */
export async function insertModels(
  sql: Sql,
  rows: readonly ModelRow[],
  skuClaims: readonly SkuClaimRow[] = [],
): Promise<Map<string, RejectReason>> {
  try {
    await withRetries(() => insert(sql, rows, skuClaims))
    return new Map()
  } catch (error) {
    const refusal = findRefusalReason(error)
    if (refusal !== undefined) {
      const rejected: [string, RejectReason][] = JSON.parse(refusal)
      return new Map(rejected.sort(([, a], [, b]) => PRECEDENCE[a] - PRECEDENCE[b]))
    }
    const withKey = rows.filter(hasIdempotencyKey)
    if (withKey.length > 0 && isLockTimeout(error)) return new Map(withKey.map(row => [row.id, 'key_taken']))
    throw error
  }
}

/**
 * The reason with the highest number is reported. A replay also collides with its own GTIN, so `key_taken`
 * wins.
 */
const PRECEDENCE = {
  plan_limit: 0,
  gtin_taken: 1,
  sku_taken: 1,
  key_taken: 2,
} as const satisfies Record<RejectReason, number>

const hasIdempotencyKey = ({ idempotency }: ModelRow) => idempotency !== undefined && idempotency !== null

/** SQLSTATE classes 22 and 54: a value that cannot be stored or indexed. Other errors concern all rows. */
export const isUnstorable = (error: unknown) => /^(22|54)/.test(sqlState(error) ?? '')

/**
 * Locks rows in one order (keys, GTINs, SKUs, counters), so that two processes cannot deadlock.
 * `carnet_refuse` raises an error that undoes the whole statement; its message is the JSON of reasons.
 */
async function insert(sql: Sql, rows: readonly ModelRow[], skuClaims: readonly SkuClaimRow[]): Promise<void> {
  const storesKeys = rows.some(hasIdempotencyKey)
  await sql`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r(id uuid, account_id int, content_id uuid,
        event_id uuid, category text, gtin14 text, sku text, search text, schema_version smallint, created_by int,
        at timestamptz, data jsonb, event jsonb, idempotency jsonb)
    ), ${storesKeys ? sql`stored_key as (${storeResponses(sql)}), ` : sql``} claimed_gtin as (
      insert into gtin_claim (gtin14, account_id, model_id, claimed_at)
      select gtin14, account_id, id, at from input where gtin14 is not null order by gtin14
      on conflict do nothing returning model_id
    ), ${skuClaims.length === 0 ? sql`` : claimSkus(sql, skuClaims)}
    quota_reserved as (
      ${reserveQuota(sql, 'm', sql`select account_id, count(*) as n from input group by account_id`)}
    ), new_counts as (
      ${addPassportCounts(sql, sql`select account_id, 'm', 'a', category, count(*) from input group by account_id, category order by account_id, category`)}
    ), new_contents as (
      insert into content (account_id, upto, id, owner_id, data)
      select account_id, 1, content_id, id, data from input
    ), new_passports as (
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, model_id,
        schema_version, level, status, category, gtin14, sku, search)
      select at, account_id, 1, created_by, 0, id, content_id, id, schema_version, 'm', 'a', category, gtin14, sku, search
      from input
    ), new_events as (
      ${insertEvents(sql)} select at, account_id, event_id, 'product.created', event from input
    ), rejected as (
      ${storesKeys ? selectTakenKeys(sql) : sql``}
      select id, 'gtin_taken' as reason from input
      where gtin14 is not null and id not in (select model_id from claimed_gtin)
      ${skuClaims.length === 0 ? sql`` : sql`union all select id, 'sku_taken' from sku_input where id not in (select model_id from claimed_sku)`}
      union all
      select id, 'plan_limit' from input where account_id not in (select account_id from quota_reserved)
    )
    select carnet_refuse(jsonb_agg(jsonb_build_array(id, reason))::text) from rejected having count(*) > 0`
}

const selectTakenKeys = (sql: Sql) => sql`
  select id, 'key_taken' as reason from input
  where idempotency is not null and (account_id, idempotency->>'key') not in (select account_id, key from stored_key)
  union all`

/**
 * Two requests may find a SKU free; the claim is a compare-and-set that rejects the second. ON CONFLICT
 * compares `claimed_by` with the newest row, which the snapshot does not show.
 */
const claimSkus = (sql: Sql, rows: readonly SkuClaimRow[]) => {
  const claims = rows.map(({ id, account_id, sku, claimedBy }) => ({
    id,
    account_id,
    sku,
    claimed_by: claimedBy,
  }))
  return sql`
    sku_input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(claims)}::text::jsonb) as r(id uuid, account_id int, sku text, claimed_by uuid)
    ), claimed_sku as (
      insert into sku_claim (account_id, sku, model_id) select account_id, sku, id from sku_input order by account_id, sku
      on conflict (account_id, sku) do update set model_id = excluded.model_id
        where sku_claim.model_id = (select s.claimed_by from sku_input s where s.id = excluded.model_id)
      returning model_id
    ),`
}
