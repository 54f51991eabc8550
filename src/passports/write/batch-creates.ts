/** Batches creates of all accounts: one lock of the quota counter and one commit for many rows. */
import { IdempotencyKeyTaken } from '../../accounts/idempotency-record.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { assert } from '../../kernel/errors.ts'
import { gtinTakenError } from '../core/check-data.ts'
import {
  insertModels,
  isUnstorable,
  type ModelRow,
  modelQuotaError,
  type RejectReason,
} from './insert-models.ts'

type WaitingRow = { row: ModelRow; dataLength: number }

/**
 * Writes a model with its event, or returns the error: `gtin_taken`, `plan_limit`, a used idempotency key.
 */
export const insertModel = (sql: Sql, waiting: WaitingRow): Promise<Error | undefined> =>
  batchedCreates(sql).create(waiting)

/** Larger products are batched separately: a small one must not wait for megabytes. */
export const MIN_LARGE_LENGTH = 16 * 1024
/** As large as a full statement of small products. */
const MAX_STATEMENT_LENGTH = 512 * 1024

export function batchCreates(insert: (rows: readonly ModelRow[]) => Promise<(Error | undefined)[]>) {
  const load = (all: readonly WaitingRow[]) => insert(all.map(({ row }) => row))
  const weight = { weigh: ({ dataLength }: WaitingRow) => dataLength, maxWeight: MAX_STATEMENT_LENGTH }
  const createSmall = createBatchLoader(load, 1)
  const createLarge = createBatchLoader(load, 1, undefined, weight)
  return {
    create: (one: WaitingRow) => (one.dataLength < MIN_LARGE_LENGTH ? createSmall : createLarge)(one),
  }
}

const batchedCreates = perDatabase((sql: Sql) =>
  batchCreates(async rows => {
    const errors = await insertAll(sql, rows)
    return rows.map(row => errors.get(row.id))
  }),
)

/** Returns errors by id. Inserts the valid rows together, and retries each suspect row alone. */
async function insertAll(sql: Sql, rows: readonly ModelRow[]): Promise<Map<string, Error>> {
  const rejected = await tryAll(sql, rows)
  if (rejected.size === 0) return new Map()
  if (rows.length === 1) return new Map(rows.map(row => [row.id, toError(rejected.get(row.id))]))
  const others = rows.filter(row => !rejected.has(row.id))
  const errors = others.length === 0 ? new Map<string, Error>() : await insertAll(sql, others)
  for (const row of rows.filter(({ id }) => rejected.has(id))) {
    const isKeyTaken = rejected.get(row.id) === 'key_taken'
    const error = isKeyTaken ? toError('key_taken') : (await insertAll(sql, [row])).get(row.id)
    if (error !== undefined) errors.set(row.id, error)
  }
  return errors
}

/** The rejected rows with reasons. If a value cannot be stored, all rows are returned as suspects. */
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

function toError(reason: RejectReason | undefined): Error {
  if (reason === 'key_taken') return new IdempotencyKeyTaken()
  if (reason === 'gtin_taken') return gtinTakenError()
  assert(reason === 'plan_limit', 'a single row is rejected with a reason, and a create never claims a SKU')
  return modelQuotaError()
}
