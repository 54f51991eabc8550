/**
 * Writes checked models, GTIN claims, quota, counters and events in one statement. If it rejects any row, it
 * writes nothing.
 */
import type { AccountContext } from '../../accounts/account/context.ts'
import type { toIdempotencyRow } from '../../accounts/account/idempotency-record.ts'
import { newUuid } from '../../kernel/crypto/ids.ts'
import { findRejectReason, isLockTimeout, type Sql, sqlState, withRetries } from '../../kernel/db/database.ts'
import { getShard, getShardNumber, newPassportUuid } from '../../kernel/db/shards.ts'
import { inTransaction } from '../../kernel/db/transaction.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { storeUses } from '../../media/uses/media-use.ts'
import { buildPassportEvent } from '../../webhooks/insert-events.ts'
import type { CheckedData } from '../core/check-data.ts'
import { type FileUse, listFileUses, orUnknownFiles } from '../core/file-uses.ts'
import type { PassportRow } from '../core/record.ts'

export type RejectReason = 'key_taken' | 'gtin_taken' | 'plan_limit' | 'sku_taken'

/** `idempotency`: the request's idempotency record. */
export type ModelRow = ReturnType<typeof buildModelRow> & {
  idempotency?: ReturnType<typeof toIdempotencyRow>
}

/** A row that also claims its SKU; `claimedBy` is the model that held the claim when it was looked up. */
type SkuClaimRow = ModelRow & { claimedBy: string | null }

export function buildModelRow(
  ctx: AccountContext,
  category: string,
  checked: CheckedData,
  now: Date,
  id: string = newPassportUuid(ctx.sql, now.getTime()),
) {
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

/** `home`: where the account's SKUs are claimed, if its models are on several shards. */
type SkuClaims = { rows: readonly SkuClaimRow[]; home?: Sql | undefined }

/**
 * Returns the rejected rows by id, each with its reason; an error for one that refers to files that are not
 * there. If there are any, no row is written.
 */
export async function insertModels(
  sql: Sql,
  rows: readonly ModelRow[],
  { rows: claims, home }: SkuClaims = { rows: [] },
): Promise<Map<string, RejectReason | AppError>> {
  const uses = rows.flatMap(listUsesOfModel)
  const run = () =>
    home !== undefined && claims.length > 0
      ? insertWithClaims(sql, { rows, uses }, claims, home)
      : insert(sql, { rows, uses }, claims)
  try {
    return (await orUnknownFiles(sql, uses, () => withRetries(run))) ?? new Map()
  } catch (error) {
    const reason = findRejectReason(error)
    if (reason !== undefined) {
      const rejected: [string, RejectReason][] = JSON.parse(reason)
      // A row may have several reasons. A map keeps the last.
      return new Map(rejected.sort(([, a], [, b]) => PRECEDENCE[a] - PRECEDENCE[b]))
    }
    // Only the lock of an idempotency key has a time limit.
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

export const listUsesOfModel = (row: ModelRow): FileUse[] =>
  listFileUses({
    accountId: row.account_id,
    id: row.id,
    versionNo: 1,
    category: row.category,
    schemaVersion: row.schema_version,
    data: row.data,
  })

type NewModels = { rows: readonly ModelRow[]; uses: readonly FileUse[] }

async function insert(sql: Sql, { rows, uses }: NewModels, skuClaims: readonly SkuClaimRow[]): Promise<void> {
  const call = sql`
    select public.carnet_create_models(${JSON.stringify(rows)}::text::jsonb, ${rows.some(hasIdempotencyKey)},
      ${skuClaims.length === 0 ? null : formatClaims(skuClaims)}::text::jsonb)`
  if (uses.length === 0) await call
  else await sql`with made as materialized (${call}) select ${storeUses(sql, uses)} from made`
}

/** Always the claims first, so that two calls lock in one order, whatever shards they write. */
const insertWithClaims = (
  sql: Sql,
  models: NewModels,
  claims: readonly SkuClaimRow[],
  home: Sql,
): Promise<void> =>
  inTransaction(sql, async tx => {
    await getShard(tx, getShardNumber(home))`
      select carnet_refuse(refused::text) from public.carnet_claim_skus(${formatClaims(claims)}::text::jsonb) refused
      where refused <> '[]'`
    await insert(tx, models, [])
  })

const formatClaims = (claims: readonly SkuClaimRow[]): string =>
  JSON.stringify(
    claims.map(({ id, account_id, sku, claimedBy }) => ({ id, account_id, sku, claimed_by: claimedBy })),
  )
