/** The totals of a passport's scans, and one event for each milestone that a batch reaches. */

import { idFromUuid, newUuid } from '../kernel/crypto/ids.ts'
import type { Sql } from '../kernel/db/database.ts'
import { announceEvents } from '../webhooks/insert-events.ts'
import type { ScanBatch } from './batch.ts'
import { findNextMilestone, listMilestonesUpTo } from './milestones.ts'

type Total = { passport_id: string; account_id: number; scans: number; next_milestone: number }

/** Adds the batch to the totals. Rows are locked until the commit, so each milestone causes one event. */
export async function addTotals(tx: Sql, now: Date, { counters }: ScanBatch): Promise<void> {
  const sums = new Map<string, { accountId: number; scans: number }>()
  for (const { passport, scans } of counters.values()) {
    if (scans === 0) continue
    const sum = sums.get(passport.id) ?? { accountId: passport.account_id, scans: 0 }
    sum.scans += scans
    sums.set(passport.id, sum)
  }
  const all = [...sums.values()]
  const crossed = await tx<Total[]>`
    with added as (
      insert into scan_total as t (passport_id, account_id, scans)
      select * from unnest(
        ${[...sums.keys()]}::text[]::uuid[], ${all.map(one => one.accountId)}::int[], ${all.map(one => one.scans)}::int[]
      ) as u(passport_id, account_id, scans) order by passport_id, account_id
      on conflict (passport_id, account_id) do update set scans = t.scans + excluded.scans
      returning t.passport_id, t.account_id, t.scans, t.next_milestone
    )
    select * from added where scans >= next_milestone`
  if (crossed.length > 0) await announceMilestones(tx, now, crossed)
}

async function announceMilestones(tx: Sql, now: Date, crossed: readonly Total[]): Promise<void> {
  const events = crossed.flatMap(total =>
    listMilestonesUpTo(total.next_milestone, total.scans).map(milestone => ({
      accountId: total.account_id,
      data: { product_id: idFromUuid(total.passport_id), count: total.scans, milestone },
    })),
  )
  await insertScanEvents(tx, now, 'scan.milestone', events)
  await tx`
    update scan_total t set next_milestone = u.next
    from unnest(
      ${crossed.map(one => one.passport_id)}::text[]::uuid[], ${crossed.map(one => one.account_id)}::int[],
      ${crossed.map(one => findNextMilestone(one.scans))}::text[]::bigint[]
    ) as u(passport_id, account_id, next)
    where t.passport_id = u.passport_id and t.account_id = u.account_id`
}

/** Announces scan events, in the transaction that found their cause. */
export async function insertScanEvents(
  tx: Sql,
  now: Date,
  type: 'scan.milestone' | 'scan.clone_suspected',
  events: readonly { accountId: number; data: object }[],
): Promise<void> {
  const rows = tx`
    select ${now}::timestamptz, u.account_id, u.id, ${type}::text, u.data
    from unnest(
      ${events.map(event => event.accountId)}::int[], ${events.map(() => newUuid(now.getTime()))}::text[]::uuid[],
      ${events.map(event => JSON.stringify(event.data))}::text[]::jsonb[]
    ) as u(account_id, id, data)`
  await tx`with ${announceEvents(tx, rows)} select`
}
