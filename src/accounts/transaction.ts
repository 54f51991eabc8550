/** Several verbs of this slice as one: all of what they write is kept, or nothing. */
import type { Sql } from '../kernel/db.ts'
import type { OperatorContext } from './context.ts'

/** Runs `work` with a context whose statements belong to one transaction; what it throws undoes them. */
export async function inTransaction<C extends OperatorContext, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  const outcome = await ctx.sql.begin(async tx => ({
    // A transaction is the pool without what opens and closes it, which no verb uses.
    value: await work({ ...ctx, sql: tx as unknown as Sql }),
  }))
  return outcome.value as T
}
