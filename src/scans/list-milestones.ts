/** Lists reached milestones: the newest of an account, and all of one passport with their days. */
import type { AccountContext } from '../accounts/account/context.ts'
import { parseId } from '../kernel/crypto/ids.ts'
import { listScanEvents } from '../webhooks/scan-events.ts'
import { findNextMilestone, listMilestonesUpTo } from './milestones.ts'

export type ReachedMilestone = { uuid: string; milestone: number; at: string }

/** Newest first, for as long as their events are stored. */
export async function listMilestones(
  ctx: AccountContext,
  { limit }: { limit: number },
): Promise<ReachedMilestone[]> {
  const events = await listScanEvents<{ product_id: string; milestone: number }>(ctx, {
    type: 'scan.milestone',
    limit,
  })
  return events.flatMap(({ at, data }) => {
    const uuid = parseId(data.product_id)
    return uuid === undefined ? [] : [{ uuid, milestone: data.milestone, at: at.toISOString() }]
  })
}

/** `day` is undefined if the milestone was reached before the oldest day that is stored. */
export type PassportMilestone = { milestone: number; day: string | undefined }

/** Lists all milestones of a passport, highest first, from its days, which outlive the events. */
export async function listPassportMilestones(
  ctx: AccountContext,
  uuid: string,
): Promise<PassportMilestone[]> {
  const rows = await ctx.sql<{ all: number; day: string | null; scans: number | null }[]>`
    select t.scans as all, d.day::text, d.scans from scan_total t left join lateral (
      select day, sum(scans)::bigint as scans from scan_day
      where passport_id = t.passport_id and account_id = t.account_id and "of" = 'o' group by day) d on true
    where t.passport_id = ${uuid} and t.account_id = ${ctx.accountId} order by d.day`
  const scansInDays = rows.reduce((sum, row) => sum + (row.scans ?? 0), 0)
  // Scans before the oldest stored day.
  let count = (rows[0]?.all ?? 0) - scansInDays
  const reached = listMilestonesUpTo(findNextMilestone(0), count).map(
    (milestone): PassportMilestone => ({ milestone, day: undefined }),
  )
  for (const { day, scans } of rows) {
    const next = findNextMilestone(count)
    count += scans ?? 0
    reached.push(...listMilestonesUpTo(next, count).map(milestone => ({ milestone, day: day ?? undefined })))
  }
  return reached.reverse()
}
