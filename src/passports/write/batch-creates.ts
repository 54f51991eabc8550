/** Inserts the models of concurrent creates together: one commit, and one lock of each quota counter. */
import { IdempotencyKeyTaken } from '../../accounts/account/idempotency-record.ts'
import { getPrefixDigits } from '../../gs1/gtin.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { findClaimNode } from '../../kernel/db/citus.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { hasShards } from '../../kernel/db/shards.ts'
import { AppError, assert, toError } from '../../kernel/errors/errors.ts'
import { gtinTakenError } from '../core/check-data.ts'
import {
  insertModels,
  isUnstorable,
  type ModelRow,
  modelQuotaError,
  type RejectReason,
} from './insert-models.ts'

/** `dataLength` is the length of the data as JSON. */
type SizedRow = { row: ModelRow; dataLength: number }

/** Writes a model with its event, or returns `gtin_taken`, `plan_limit` or `IdempotencyKeyTaken`. */
export const tryInsertModel = (sql: Sql, sized: SizedRow): Promise<Error | undefined> =>
  batchedInsert(sql)(sized)

/** Larger models are batched separately: a small one must not wait for megabytes. */
export const MIN_LARGE_LENGTH = 16 * 1024
/** About the length of a full statement of small models. */
export const MAX_STATEMENT_LENGTH = 512 * 1024

/** Returns a function that inserts one row, in one statement with other waiting rows. */
export function createBatchedInsert(insert: (rows: readonly ModelRow[]) => Promise<(Error | undefined)[]>) {
  const load = (batch: readonly SizedRow[]) => insert(batch.map(({ row }) => row))
  const weight = { weigh: ({ dataLength }: SizedRow) => dataLength, maxWeight: MAX_STATEMENT_LENGTH }
  const insertSmall = createBatchLoader(load, { maxInFlight: 1 })
  const insertLarge = createBatchLoader(load, { maxInFlight: 1, weight })
  return (sized: SizedRow) => (sized.dataLength < MIN_LARGE_LENGTH ? insertSmall : insertLarge)(sized)
}

const batchedInsert = perDatabase((sql: Sql) => {
  const insertAll = async (rows: readonly ModelRow[]) => {
    const errors = await insertRows(sql, rows)
    return rows.map(row => errors.get(row.id))
  }
  const insert = createBatchedInsert(insertAll)
  if (!hasShards(sql)) return insert
  // The claim of a GTIN may be on a machine that does not answer: nothing else must wait for that one.
  const findNode = rememberForMinutes((digits: string) => findClaimNode(sql, digits))
  const byNode = new Map<number | null, typeof insert>()
  return async (sized: SizedRow) => {
    const { gtin14 } = sized.row
    if (gtin14 === null) return insert(sized)
    const node = await findNode(getPrefixDigits(gtin14))
    const insertClaiming = byNode.get(node) ?? createBatchedInsert(insertAll)
    byNode.set(node, insertClaiming)
    return insertClaiming(sized)
  }
})

/** Claims move to other machines seldom. A wrong machine costs only time. */
const REMEMBERED_MS = 5 * 60_000

function rememberForMinutes<T>(find: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  let since = performance.now()
  return key => {
    if (performance.now() - since > REMEMBERED_MS) {
      known.clear()
      since = performance.now()
    }
    const found = known.get(key) ?? find(key)
    known.set(key, found)
    found.catch(() => known.delete(key))
    return found
  }
}

/**
 * Returns errors by id. After a rejection, inserts the other rows together, then each rejected row alone: if
 * an account has no quota for all its rows, it may have some for the first.
 */
async function insertRows(sql: Sql, rows: readonly ModelRow[]): Promise<Map<string, Error>> {
  const rejected = await tryInsertTogether(sql, rows)
  if (rejected.size === 0) return new Map()
  if (rows.length === 1) return new Map(rows.map(row => [row.id, buildError(rejected.get(row.id))]))
  const others = rows.filter(row => !rejected.has(row.id))
  const errors = others.length === 0 ? new Map<string, Error>() : await insertRows(sql, others)
  for (const row of rows.filter(({ id }) => rejected.has(id))) {
    const reason = rejected.get(row.id)
    // These two stay as they are whatever happens to the other rows.
    const isFinal = reason === 'key_taken' || reason instanceof AppError
    const error = isFinal ? buildError(reason) : await insertAlone(sql, row)
    if (error !== undefined) errors.set(row.id, error)
  }
  return errors
}

/** Returns errors instead of throwing them, because other rows of the batch are inserted already. */
const insertAlone = (sql: Sql, row: ModelRow): Promise<Error | undefined> =>
  insertRows(sql, [row]).then(errors => errors.get(row.id), toError)

/**
 * Returns the rejected rows with a reason each. If PostgreSQL cannot store a value, it does not say of which
 * row: then all rows are rejected without a reason.
 */
async function tryInsertTogether(
  sql: Sql,
  rows: readonly ModelRow[],
): Promise<ReadonlyMap<string, RejectReason | AppError | undefined>> {
  try {
    return await insertModels(sql, rows)
  } catch (error) {
    if (rows.length > 1 && isUnstorable(error)) return new Map(rows.map(row => [row.id, undefined]))
    throw error
  }
}

function buildError(reason: RejectReason | AppError | undefined): Error {
  if (reason instanceof AppError) return reason
  if (reason === 'key_taken') return new IdempotencyKeyTaken()
  if (reason === 'gtin_taken') return gtinTakenError()
  assert(reason === 'plan_limit', 'a single row is rejected with a reason, and a create never claims a SKU')
  return modelQuotaError()
}
