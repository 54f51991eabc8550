/** Runs several operations in one transaction: all their writes are kept, or none. */
import { inTransaction as runInTransaction } from '../kernel/db/transaction.ts'
import type { OperatorContext } from './context.ts'

export const withTransaction = <C extends OperatorContext, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> => runInTransaction(ctx.sql, sql => work({ ...ctx, sql }))
