/** Compares a range with the range before it, if all their days were counted with the same settings. */
import { listAccountShards } from '../accounts/account/account-shard.ts'
import type { AccountContext } from '../accounts/account/context.ts'
import { dayOf, formatDay } from './day.ts'
import { KEPT_DAYS } from './delete-old-scans.ts'

type Sums = { total: number; unique: number }

/** `recent`: the last `days` whole days. `before`: as many days before them. */
export type Comparison =
  | { is: 'compared'; recent: Sums; before: Sums }
  /** Nothing was ever counted. */
  | { is: 'no_scans' }
  /** The earlier days are no longer stored. */
  | { is: 'not_stored' }
  /** Counting began, or its settings changed, within the days to compare. */
  | { is: 'too_new' | 'settings_changed'; since: string }

type Row = {
  total: number
  uniques: number
  total_before: number
  uniques_before: number
  since: string | null
  switched_at: Date | null
}

export async function comparePeriods(ctx: AccountContext, { days }: { days: number }): Promise<Comparison> {
  const today = dayOf(ctx.clock.now())
  const first = today - 2 * days
  const rows = await Promise.all(listAccountShards(ctx).map(at => readPeriods(at, { today, days })))
  const row = rows.reduce(addRows)
  if (row === undefined || row.since === null) return { is: 'no_scans' }
  if (2 * days > KEPT_DAYS) return { is: 'not_stored' }
  if (row.since > formatDay(first)) return { is: 'too_new', since: row.since }
  if (row.switched_at !== null && dayOf(row.switched_at) >= first) {
    return { is: 'settings_changed', since: formatDay(dayOf(row.switched_at)) }
  }
  return {
    is: 'compared',
    recent: { total: row.total, unique: row.uniques },
    before: { total: row.total_before, unique: row.uniques_before },
  }
}

/** Adds two shards. The settings are the account's. */
const addRows = (a: Row | undefined, b: Row | undefined): Row | undefined =>
  a &&
  b && {
    ...a,
    total: a.total + b.total,
    uniques: a.uniques + b.uniques,
    total_before: a.total_before + b.total_before,
    uniques_before: a.uniques_before + b.uniques_before,
    since: a.since === null || (b.since !== null && b.since < a.since) ? b.since : a.since,
  }

async function readPeriods(
  ctx: AccountContext,
  { today, days }: { today: number; days: number },
): Promise<Row | undefined> {
  const [row] = await ctx.sql<Row[]>`
    select coalesce(sum(scans) filter (where is_recent), 0)::bigint as total,
      coalesce(sum(uniques) filter (where is_recent), 0)::bigint as uniques,
      coalesce(sum(scans) filter (where not is_recent), 0)::bigint as total_before,
      coalesce(sum(uniques) filter (where not is_recent), 0)::bigint as uniques_before,
      (select first_day::text from scan_account_span where account_id = ${ctx.accountId} and days = 1
        order by first_day limit 1) as since,
      (select changed_at from scan_setting where account_id = ${ctx.accountId}) as switched_at
    from (
      select scans, uniques, first_day >= ${formatDay(today - days)}::text::date as is_recent from scan_account_span
      where account_id = ${ctx.accountId} and days = 1 and first_day >= ${formatDay(today - 2 * days)}::text::date
        and first_day < ${formatDay(today)}::text::date
    ) day_rows`
  return row
}
