/**
 * Creating model passports. The creates that wait go into one statement, whoever they are for: the quota counter of a
 * busy account is locked, and its commit waited for, once for many rows (4 times the throughput of one by one).
 */
import type { AccountContext } from '../../accounts/context.ts'
import {
  IdempotencyKeyTaken,
  type StoredResponse,
  toIdempotencyRow,
} from '../../accounts/idempotency-record.ts'
import { getRemainingQuota } from '../../accounts/limits/quota.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { AppError, type Detail } from '../../kernel/errors.ts'
import { checkData, gtinTakenError, removeNulls, requireCategory, requireData } from '../core/check-data.ts'
import type { PassportRow } from '../core/record.ts'
import { explainTakenGtin, requireFreeGtin } from './find-matches.ts'
import {
  buildModelRow,
  insertModels,
  isUnstorable,
  type ModelRow,
  modelQuotaError,
  type RejectReason,
  toFirstVersion,
} from './insert-models.ts'

/** `category` and `data` as they were sent, not yet checked. */
export type NewPassport = { category: unknown; data: unknown; strict: boolean }
export type WrittenPassport = { passport: PassportRow; warnings: readonly Detail[] }

/**
 * Creates a model passport, its first version and its `product.created` event, or nothing.
 * Throws `validation` with every violation, `gtin_taken`, `plan_limit`. With a receipt in the context the answer that
 * `answer` makes of it is kept by the same statement.
 */
export async function createPassport(
  ctx: AccountContext,
  input: NewPassport,
  answer?: (written: WrittenPassport) => StoredResponse,
): Promise<WrittenPassport> {
  const { row, warnings } = checkNew(ctx, input)
  const written = { passport: toFirstVersion(row), warnings }
  const receipt = answer === undefined ? null : toIdempotencyRow(ctx.idempotency, () => answer(written))
  const bytes = written.passport.data.length
  const refusal = await creators(ctx.sql).create({ row: { ...row, receipt }, bytes })
  if (refusal !== undefined) throw isTaken(refusal) ? await explainTakenGtin(ctx, row.gtin14) : refusal
  if (ctx.idempotency && receipt !== null) ctx.idempotency.isStored = true
  return written
}

const isTaken = (error: Error) => error instanceof AppError && error.code === 'gtin_taken'

/** What `createPassport` would answer or throw as things are now; nothing is written, and the id names nothing. */
export async function previewCreate(ctx: AccountContext, input: NewPassport): Promise<WrittenPassport> {
  const { row, warnings } = checkNew(ctx, input)
  await requireFreeGtin(ctx, row.id, row.gtin14)
  if ((await getRemainingQuota(ctx.sql, { accountId: ctx.accountId, level: 'm' })) < 1)
    throw modelQuotaError()
  return { passport: toFirstVersion(row), warnings }
}

function checkNew(ctx: AccountContext, input: NewPassport): { row: ModelRow; warnings: readonly Detail[] } {
  const category = requireCategory(input.category)
  const checked = checkNewData(category.id, input.data, input.strict)
  return { row: buildModelRow(ctx, category.id, checked, ctx.clock.now()), warnings: checked.warnings }
}

/** The data of a new model, checked. Throws `validation` with every violation. */
export const checkNewData = (category: unknown, data: unknown, strict: boolean) =>
  checkData(requireCategory(category), removeNulls(requireData(data)), { strict })

type Waiting = { row: ModelRow; bytes: number }

/** Products of this size wait by themselves: a small one is not to stand behind a statement with megabytes. */
export const MIN_LARGE_BYTES = 16 * 1024
/** Of large ones: as much as all small ones of a statement. */
const MAX_STATEMENT_BYTES = 512 * 1024

/** The creates that wait, small and large ones in statements of their own. */
export function gatherCreates(insert: (rows: readonly ModelRow[]) => Promise<(Error | undefined)[]>) {
  const load = (all: readonly Waiting[]) => insert(all.map(({ row }) => row))
  const weight = { weigh: ({ bytes }: Waiting) => bytes, maxWeight: MAX_STATEMENT_BYTES }
  const createSmall = createBatchLoader(load, 1)
  const createLarge = createBatchLoader(load, 1, undefined, weight)
  return {
    create: (one: Waiting) => (one.bytes < MIN_LARGE_BYTES ? createSmall : createLarge)(one),
  }
}

const creators = perDatabase((sql: Sql) => gatherCreates(rows => insertAll(sql, rows)))

/** All rows in one statement. Those in the way of it are tried again each by itself, so that none spoils another. */
async function insertAll(sql: Sql, rows: readonly ModelRow[]): Promise<(Error | undefined)[]> {
  const refused = await tryAll(sql, rows)
  if (refused.size === 0) return rows.map(() => undefined)
  if (rows.length === 1) return rows.map(row => refusalError(refused.get(row.id)))
  const others = rows.filter(row => !refused.has(row.id))
  const outcomes = new Map(zip(others, others.length === 0 ? [] : await insertAll(sql, others)))
  for (const row of rows) {
    if (!refused.has(row.id)) continue
    const isDone = refused.get(row.id) === 'key_taken'
    outcomes.set(row, isDone ? new IdempotencyKeyTaken() : (await insertAll(sql, [row]))[0])
  }
  return rows.map(row => outcomes.get(row))
}

/** Why which rows are in the way. The database does not say whose value it cannot store: then all of them may be. */
async function tryAll(
  sql: Sql,
  rows: readonly ModelRow[],
): Promise<ReadonlyMap<string, RejectReason | undefined>> {
  try {
    return await insertModels(sql, rows)
  } catch (error) {
    if (rows.length > 1 && isUnstorable(error)) return new Map(rows.map(row => [row.id, undefined]))
    throw error
  }
}

const zip = <A, B>(left: readonly A[], right: readonly B[]): [A, B][] =>
  left.map((one, i) => [one, right[i] as B])

function refusalError(obstacle: RejectReason | undefined): Error {
  if (obstacle === 'key_taken') return new IdempotencyKeyTaken()
  return obstacle === 'gtin_taken' ? gtinTakenError() : modelQuotaError()
}
