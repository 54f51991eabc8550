/** Room for new passports: taken in the statement that makes them, from one counter an account and level, so it is exact. */
import type { Fragment, Sql } from '../kernel/db.ts'
import type { LevelLetter } from './plans.ts'

const QUOTA_COLUMN = { m: 'model_quota', b: 'batch_quota', i: 'item_quota' } as const

/** Body of a CTE that returns one row when `count` more fit, and changes nothing otherwise. */
export function takeRoom(sql: Sql, want: { accountId: number; level: LevelLetter; count: number }): Fragment {
  const quota = sql(QUOTA_COLUMN[want.level])
  return sql`
    update account_usage u set used = u.used + ${want.count}
    from account a join plan p on p.id = a.plan
    where u.account_id = ${want.accountId} and u.level = ${want.level}::text::"char" and a.id = u.account_id
      and (coalesce(a.${quota}, p.${quota}) is null or u.used + ${want.count} <= coalesce(a.${quota}, p.${quota}))
    returning u.used`
}
