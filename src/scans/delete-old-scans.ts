/** Deletes scan data that the statistics no longer need. Of several processes, one does it at a time. */
import type { OperatorContext } from '../accounts/context.ts'
import type { Fragment, Sql } from '../kernel/db/database.ts'
import { DAY_MS, dayOf, formatDay, formatHour, hourOf } from './day.ts'
import { SPAN_DAYS } from './spans.ts'
import { CLONE_WINDOW_HOURS } from './suspect-clones.ts'

const INTERVAL_MS = 600_000
/** The longest range of the API is 365 days; a month is added as a margin. */
export const KEPT_DAYS = 400
const KEPT_READER_DAYS = 2
/** Rows deleted by one statement, which holds its locks for about 50 ms. */
const STEP_ROWS = 5_000

/** Rows deleted, by table; undefined if a process did it within the last ten minutes. */
type DeletedScans = Readonly<Record<string, number>> | undefined

/** Deletes expired rows, at most once in ten minutes; `isStopped` ends it between two steps. */
export async function deleteOldScans(
  { sql, clock }: OperatorContext,
  isStopped: () => boolean = () => false,
): Promise<DeletedScans> {
  const now = clock.now()
  if (!(await takeTurn(sql, now))) return undefined
  const today = dayOf(now)
  const firstReaderDay = formatDay(today - KEPT_READER_DAYS + 1)
  const firstDay = formatDay(today - KEPT_DAYS)
  const before = new Date(now.getTime() - KEPT_READER_DAYS * DAY_MS)
  const firstHour = formatHour(hourOf(now) - CLONE_WINDOW_HOURS + 1)
  const expired: [string, Fragment][] = [
    ['scan_salt', sql`day < ${firstReaderDay}::text::date`],
    ['scan_visitor', sql`day < ${firstReaderDay}::text::date`],
    ['scan_item_hour', sql`hour < ${firstHour}::text::timestamptz`],
    ['scan_writer', sql`wrote_at < ${before}`],
    ['scan_day', sql`day < ${firstDay}::text::date`],
    ...['scan_account_span', 'scan_model_span'].flatMap(table =>
      SPAN_DAYS.map((days): [string, Fragment] => [
        table,
        sql`days = ${days} and first_day <= ${formatDay(today - KEPT_DAYS - days)}::text::date`,
      ]),
    ),
  ]
  const cleaned: Record<string, number> = {}
  for (const [table, condition] of expired) {
    let deleted = STEP_ROWS
    while (deleted === STEP_ROWS && !isStopped()) {
      const { count } = await sql`
        delete from ${sql(table)} where ctid = any(array(
          select ctid from ${sql(table)} where ${condition} limit ${STEP_ROWS}))`
      deleted = count
      cleaned[table] = (cleaned[table] ?? 0) + deleted
    }
  }
  return cleaned
}

/** The process that updates the row does the work, so only one does. */
async function takeTurn(sql: Sql, now: Date): Promise<boolean> {
  const mine = await sql`
    update scan_cleaning set done_at = ${now}
    where done_at <= ${new Date(now.getTime() - INTERVAL_MS)} or done_at > ${new Date(now.getTime() + INTERVAL_MS)}
    returning 1`
  return mine.length === 1
}
