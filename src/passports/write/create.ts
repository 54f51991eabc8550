/** Creates model passports: checked, then written together with their event. */
import type { AccountContext } from '../../accounts/context.ts'
import { type StoredResponse, toIdempotencyRow } from '../../accounts/idempotency-record.ts'
import { getRemainingQuota } from '../../accounts/limits/quota.ts'
import { AppError, type Detail } from '../../kernel/errors.ts'
import { checkData, removeNulls, requireCategory, requireData } from '../core/check-data.ts'
import type { PassportRow } from '../core/record.ts'
import { insertModel } from './batch-creates.ts'
import { explainTakenGtin, requireFreeGtin } from './find-matches.ts'
import { buildModelRow, type ModelRow, modelQuotaError, toPassportRow } from './insert-models.ts'

/** As sent, not yet checked. */
type NewPassport = { category: unknown; data: unknown; strict: boolean }
export type WrittenPassport = { passport: PassportRow; warnings: readonly Detail[] }

/**
 * Creates a model with its first version and `product.created`, or nothing. If the context has an idempotency
 * record, the statement also stores what `respond` returns. Throws `validation` with every violation,
 * `gtin_taken`, `plan_limit`.
 */
export async function createPassport(
  ctx: AccountContext,
  input: NewPassport,
  respond?: (written: WrittenPassport) => StoredResponse,
): Promise<WrittenPassport> {
  const { row, warnings } = buildCheckedRow(ctx, input)
  const written = { passport: toPassportRow(row), warnings }
  const idempotency = respond === undefined ? null : toIdempotencyRow(ctx.idempotency, () => respond(written))
  const dataLength = written.passport.data.length
  const error = await insertModel(ctx.sql, { row: { ...row, idempotency }, dataLength })
  if (error !== undefined) throw isTaken(error) ? await explainTakenGtin(ctx, row.gtin14) : error
  if (ctx.idempotency && idempotency !== null) ctx.idempotency.isStored = true
  return written
}

const isTaken = (error: Error) => error instanceof AppError && error.code === 'gtin_taken'

/** What `createPassport` would return or throw. Writes nothing; the id belongs to no passport. */
export async function previewCreate(ctx: AccountContext, input: NewPassport): Promise<WrittenPassport> {
  const { row, warnings } = buildCheckedRow(ctx, input)
  await requireFreeGtin(ctx, row.id, row.gtin14)
  if ((await getRemainingQuota(ctx.sql, { accountId: ctx.accountId, level: 'm' })) < 1)
    throw modelQuotaError()
  return { passport: toPassportRow(row), warnings }
}

function buildCheckedRow(
  ctx: AccountContext,
  input: NewPassport,
): { row: ModelRow; warnings: readonly Detail[] } {
  const category = requireCategory(input.category)
  const checked = checkNewData(category.id, input.data, input.strict)
  return { row: buildModelRow(ctx, category.id, checked, ctx.clock.now()), warnings: checked.warnings }
}

/** Throws `validation` with every violation. */
export const checkNewData = (category: unknown, data: unknown, strict: boolean) =>
  checkData(requireCategory(category), removeNulls(requireData(data)), { strict })
