/** What an account uses of what it may have, by level. */
import { assert } from '../../kernel/errors.ts'
import type { AccountContext } from '../context.ts'
import { LEVEL_LETTER, LEVELS, type PassportLevel } from '../plans.ts'

/** `quota` null: unlimited. */
export type Usage = { level: PassportLevel; used: number; quota: number | null }

/** Models, batches, items, in this order. Archived passports count. */
export async function getUsage(ctx: AccountContext): Promise<Usage[]> {
  const [row] = await ctx.sql<QuotaRow[]>`
    select coalesce(a.model_quota, p.model_quota) as model, coalesce(a.batch_quota, p.batch_quota) as batch,
      coalesce(a.item_quota, p.item_quota) as item,
      (select coalesce(json_object_agg(u.level, u.used), '{}') from account_usage u where u.account_id = a.id) as used
    from account a join plan p on p.id = a.plan where a.id = ${ctx.accountId}`
  assert(row, 'a context names an account that exists')
  return LEVELS.map(level => ({ level, used: row.used[LEVEL_LETTER[level]] ?? 0, quota: row[level] }))
}

type QuotaRow = Record<PassportLevel, number | null> & { used: Partial<Record<'m' | 'b' | 'i', number>> }
