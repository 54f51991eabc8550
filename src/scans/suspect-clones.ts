/**
 * Finds items whose code may have been copied: scans in many countries or by many devices within 24 hourly
 * buckets. An item is reported at most once in seven days.
 */

import { idFromUuid } from '../kernel/crypto/ids.ts'
import type { Sql } from '../kernel/db/database.ts'
import type { Clock } from '../kernel/values/clock.ts'
import type { ItemVisit, ScanBatch } from './batch.ts'
import { UNKNOWN_COUNTRY } from './country.ts'
import { DAY_MS, dayOf, formatHour, HOURS_PER_DAY, hourOf } from './day.ts'
import { type CloneRules, DEFAULT_CLONE_RULES, type SettingsCache } from './settings.ts'
import { insertScanEvents } from './totals.ts'

export const CLONE_WINDOW_HOURS = 24
/** An item is not reported again for this long. */
const REPORT_PAUSE_DAYS = 7

/**
 * Stores visits and inserts events for suspects. The caller's lock on `scan_total` keeps other processes out.
 */
export async function recordItemVisits(
  tx: Sql,
  { clock, settings }: { clock: Clock; settings: SettingsCache },
  { items }: ScanBatch,
): Promise<void> {
  if (items.size === 0) return
  const now = clock.now()
  const visits = [...items.values()]
  await storeVisits(tx, now, visits)
  const suspects = await findSuspects(tx, now, visits, accountId => settings.get(accountId).clone_rules)
  if (suspects.length > 0) await announceSuspects(tx, now, suspects)
}

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * DAY_MS)

/** Skips reported items: their hours are not needed until a day before the next possible report. */
async function storeVisits(tx: Sql, now: Date, visits: readonly ItemVisit[]): Promise<void> {
  await tx`
    with new_visit as materialized (
      select u.* from unnest(
        ${visits.map(one => formatHour(one.hour))}::text[]::timestamptz[], ${visits.map(one => one.accountId)}::int[],
        ${visits.map(one => one.scans)}::int[], ${visits.map(one => one.passportId)}::text[]::uuid[],
        ${visits.map(one => one.readerHash)}::text[]::uuid[], ${visits.map(one => one.previousHash)}::text[]::uuid[],
        ${visits.map(one => one.country)}::text[]
      ) as u(hour, account_id, scans, passport_id, visitor, before, country)
      join scan_total t on t.passport_id = u.passport_id and t.account_id = u.account_id
      where t.suspected_at is null or t.suspected_at < ${daysBefore(now, REPORT_PAUSE_DAYS - 1)}
    )
    insert into scan_item_hour as h (hour, account_id, scans, passport_id, visitor, before, country)
    select hour, account_id, scans, passport_id, visitor, before, country from new_visit
    order by passport_id, hour, visitor, country, account_id
    on conflict (passport_id, hour, visitor, country, account_id) do update set scans = h.scans + excluded.scans`
}

type Suspect = { passport_id: string; account_id: number; scans: number; countries: number; devices: number }

/** Items with fewer scans in total than any rule requires are skipped, without reading their hours. */
async function findSuspects(
  tx: Sql,
  now: Date,
  visits: readonly ItemVisit[],
  getRules: (accountId: number) => CloneRules | null,
) {
  const items = [...new Map(visits.map(visit => [visit.passportId, visit])).values()]
  const rules = items.map(item => getRules(item.accountId) ?? DEFAULT_CLONE_RULES)
  const minScans = rules.map(rule =>
    Math.min(
      Math.max(rule.countries, rule.devices),
      rule.many_countries,
      Math.max(rule.scans, rule.scan_devices),
    ),
  )
  return tx<Suspect[]>`
    select u.passport_id, u.account_id, recent.scans, recent.countries, recent.devices
    from unnest(
      ${items.map(item => item.passportId)}::text[]::uuid[], ${items.map(item => item.accountId)}::int[],
      ${minScans}::int[], ${rules.map(rule => rule.countries)}::int[], ${rules.map(rule => rule.devices)}::int[],
      ${rules.map(rule => rule.many_countries)}::int[], ${rules.map(rule => rule.scans)}::int[],
      ${rules.map(rule => rule.scan_devices)}::int[]
    ) as u(passport_id, account_id, min_scans, countries, devices, many_countries, scans, scan_devices)
    join scan_total t on t.passport_id = u.passport_id and t.account_id = u.account_id and t.scans >= u.min_scans
      and (t.suspected_at is null or t.suspected_at <= ${daysBefore(now, REPORT_PAUSE_DAYS)})
    cross join lateral (
      select coalesce(sum(h.scans), 0)::int as scans,
        (count(distinct h.country) filter (where h.country <> ${UNKNOWN_COUNTRY}))::int as countries,
        count(distinct case when h.hour < ${formatHour(dayOf(now) * HOURS_PER_DAY)}::text::timestamptz then h.visitor else h.before end)::int as devices
      from scan_item_hour h
      where h.passport_id = u.passport_id and h.account_id = u.account_id
        and h.hour >= ${formatHour(hourOf(now) - CLONE_WINDOW_HOURS + 1)}::text::timestamptz
    ) recent
    where (recent.countries >= u.countries and recent.devices >= u.devices) or recent.countries >= u.many_countries
      or (recent.scans >= u.scans and recent.devices >= u.scan_devices)`
}

async function announceSuspects(tx: Sql, now: Date, suspects: readonly Suspect[]): Promise<void> {
  const events = suspects.map(({ passport_id, account_id, scans, countries, devices }) => ({
    accountId: account_id,
    data: { product_id: idFromUuid(passport_id), count: scans, countries, unique_devices: devices },
  }))
  await insertScanEvents(tx, now, 'scan.clone_suspected', events)
  await tx`
    update scan_total t set suspected_at = ${now}
    from unnest(
      ${suspects.map(one => one.passport_id)}::text[]::uuid[], ${suspects.map(one => one.account_id)}::int[]
    ) as u(passport_id, account_id)
    where t.passport_id = u.passport_id and t.account_id = u.account_id`
}
