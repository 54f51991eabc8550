/** Creates a model: checks its data, then writes it with its event, or nothing. */
import { atNewModel, atReservedId } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { type StoredResponse, toIdempotencyRow } from '../../accounts/account/idempotency-record.ts'
import { getRemainingQuota, withQuota } from '../../accounts/limits/quota.ts'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { pauseIfLarge } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { retryOnLockTimeout } from '../../kernel/db/transaction.ts'
import { AppError, type Detail } from '../../kernel/errors/errors.ts'
import { checkData, removeNulls, requireCategory, requireData } from '../core/check-data.ts'
import { requireKnownFiles } from '../core/file-uses.ts'
import type { PassportRow } from '../core/record.ts'
import { type Gate, openGate } from '../readiness/gate.ts'
import { tryInsertModel } from './batch-creates.ts'
import { explainTakenGtin, requireFreeGtin } from './find-matches.ts'
import {
  buildModelRow,
  listUsesOfModel,
  type ModelRow,
  modelQuotaError,
  toPassportRow,
} from './insert-models.ts'

/** `category` and `data` are unchecked. `strict` rejects unknown fields, which otherwise cause warnings. */
type NewPassport = {
  category: unknown
  data: unknown
  strict: boolean
  /** UUID of a draft; undefined: a new one. */
  id?: string | undefined
}
export type WrittenPassport = { passport: PassportRow; warnings: readonly Detail[] }

/**
 * Creates a model with its first version and `product.created`. If the context has an idempotency record, the
 * same statement stores the response that `buildResponse` returns. Throws `validation` with every violation,
 * `gtin_taken`, `plan_limit`.
 */
export async function createPassport(
  ctx: AccountContext,
  input: NewPassport,
  buildResponse?: (written: WrittenPassport) => StoredResponse,
): Promise<WrittenPassport> {
  const at = input.id === undefined ? atNewModel(ctx) : atReservedId(ctx, input.id)
  const { row, warnings } = buildCheckedRow(at, input, await openGate(ctx, getSource(input)))
  const written = { passport: toPassportRow(row), warnings }
  const dataLength = written.passport.data.length
  await pauseIfLarge(dataLength)
  const idempotency = buildResponse ? toIdempotencyRow(ctx.idempotency, () => buildResponse(written)) : null
  const error = await insertModel(at, { row: { ...row, idempotency }, dataLength })
  if (error !== undefined) {
    if (!isGtinTaken(error)) throw error
    // A nested transaction, as of a publication with a key, runs no look-up after a refused statement.
    throw await explainTakenGtin(ctx, row.gtin14).catch(() => error)
  }
  // The statement has stored the idempotency record too.
  if (ctx.idempotency && idempotency !== null) ctx.idempotency.isStored = true
  return written
}

/** A shard whose part of the quota is used up gets a part of another. */
async function insertModel(ctx: AccountContext, row: Parameters<typeof tryInsertModel>[1]) {
  const error = await tryInsertModel(ctx.sql, row)
  if (ctx.spread === undefined || !(error instanceof AppError) || error.code !== 'plan_limit') return error
  // The counters are locked before the GTIN; others do that the other way round.
  const insertUpToQuota = () =>
    withQuota(ctx, { level: 'm', wanted: 1 }, async (tx, left) => {
      if (left < 1) return error
      await tx.sql`set local lock_timeout = '100ms'`
      const refused = await tryInsertModel(tx.sql, row)
      // A nested transaction in which a statement has failed takes no other one.
      if (refused !== undefined) throw new Refused(refused)
      await tx.sql`set local lock_timeout to default`
      return undefined
    })
  return retryOnLockTimeout(ctx.sql, insertUpToQuota).catch(thrown => {
    if (thrown instanceof Refused) return thrown.reason
    throw thrown
  })
}

/** Rolls back the transaction in which the row was refused. */
class Refused extends Error {
  override name = 'Refused'
  readonly reason: Error
  constructor(reason: Error) {
    super(reason.message)
    this.reason = reason
  }
}

const isGtinTaken = (error: Error) => error instanceof AppError && error.code === 'gtin_taken'

/** Returns or throws what `createPassport` would, and writes nothing. The id belongs to no passport. */
export async function previewCreate(ctx: AccountContext, input: NewPassport): Promise<WrittenPassport> {
  const { row, warnings } = buildCheckedRow(ctx, input, await openGate(ctx, getSource(input)))
  await requireFreeGtin(ctx, row.id, row.gtin14)
  await requireKnownFiles(ctx, listUsesOfModel(row))
  if ((await getRemainingQuota(ctx, 'm')) < 1) throw modelQuotaError()
  return { passport: toPassportRow(row), warnings }
}

const getSource = ({ id }: NewPassport) => (id === undefined ? 'direct' : 'draft')

function buildCheckedRow(
  ctx: AccountContext,
  input: NewPassport,
  requireReady: Gate,
): { row: ModelRow; warnings: readonly Detail[] } {
  const category = requireCategory(input.category)
  const checked = checkNewData(category, input.data, { strict: input.strict, ownHost: ctx.ownHost })
  requireReady(category.id, checked.data)
  return {
    row: buildModelRow(ctx, category.id, checked, ctx.clock.now(), input.id),
    warnings: checked.warnings,
  }
}

/** Throws `validation` with every violation. */
export const checkNewData = (
  category: CompleteCategory,
  data: unknown,
  options: { strict: boolean; ownHost?: string | undefined },
) => checkData(category, removeNulls(requireData(data)), options)
