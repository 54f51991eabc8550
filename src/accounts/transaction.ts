/** Several verbs as one: all of what they write is kept, or nothing. */
import { inTransaction as inOne } from '../kernel/db/transaction.ts'
import type { OperatorContext } from './context.ts'

/** Runs `work` with a context whose statements belong to one transaction; what it throws undoes them. */
export const withTransaction = <C extends OperatorContext, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> => inOne(ctx.sql, sql => work({ ...ctx, sql }))
