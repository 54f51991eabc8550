/** `AccountContext`, the first argument of every operation `(ctx, input)`, and its transactions. */
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db/database.ts'
import { inTransaction } from '../kernel/db/transaction.ts'
import type { IdempotencyRecord } from './idempotency-record.ts'

export type AccountContext = {
  sql: Sql
  clock: Clock
  accountId: number
  /** The actor that new versions name: an API key, a person or the operator. */
  actorId: number
  /** The idempotency record that the operation stores with its writes. Only some operations support it. */
  idempotency?: IdempotencyRecord
}

export type OperatorContext = { sql: Sql; clock: Clock }

/** Runs several operations in one transaction: all their writes are kept, or none. */
export const withTransaction = <C extends OperatorContext, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> => inTransaction(ctx.sql, sql => work({ ...ctx, sql }))
