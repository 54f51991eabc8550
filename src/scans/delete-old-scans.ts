/** Deletes scan data that the statistics no longer need. Only one process deletes at a time. */
import type { OperatorContext } from '../accounts/account/context.ts'
import type { Fragment, Sql } from '../kernel/db/database.ts'
import { DAY_MS, dayOf, formatDay, formatHour, hourOf } from './day.ts'
import { SPAN_DAYS } from './spans.ts'
import { CLONE_WINDOW_HOURS } from './suspect-clones.ts'

const INTERVAL_MS = 600_000
/** The longest range of the API, 365 days, and about a month more. */
export const KEPT_DAYS = 400
const KEPT_READER_DAYS = 2
/** Rows deleted by one statement, which holds its locks for about 50 ms. */
const STEP_ROWS = 5_000

/** Rows deleted, by table; undefined if a process has deleted rows within the last ten minutes. */
type DeletedScans = Readonly<Record<string, number>> | undefined

/** Deletes expired rows, at most once in ten minutes; `isStopped` ends it between two steps. */
export async function deleteOldScans(
  { sql, clock }: OperatorContext,
  isStopped: () => boolean = () => false,
): Promise<DeletedScans> {
  const now = clock.now()
  if (!(await claimDeletion(sql, now))) return undefined
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
  const deletedRows: Record<string, number> = {}
  for (const [table, condition] of expired) {
    let deleted = STEP_ROWS
    while (deleted === STEP_ROWS && !isStopped()) {
      const { count } = await sql`
        delete from ${sql(table)} where ctid = any(array(
          select ctid from ${sql(table)} where ${condition} limit ${STEP_ROWS}))`
      deleted = count
      deletedRows[table] = (deletedRows[table] ?? 0) + deleted
    }
  }
  return deletedRows
}

/** Only the process that updates the row does the work. */
async function claimDeletion(sql: Sql, now: Date): Promise<boolean> {
  const claimed = await sql`
    update scan_cleaning set done_at = ${now}
    where done_at <= ${new Date(now.getTime() - INTERVAL_MS)} or done_at > ${new Date(now.getTime() + INTERVAL_MS)}
    returning 1`
  return claimed.length === 1
}
