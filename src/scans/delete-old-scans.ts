/** Forgetting: what the statistics no longer need is deleted, by whichever process looks first. */
import type { OperatorContext } from '../accounts/context.ts'
import type { Fragment, Sql } from '../kernel/db.ts'
import { DAY_MS, dayOf, dayText, hourOf, hourText } from './day.ts'
import { SPAN_DAYS } from './spans.ts'
import { WINDOW_HOURS } from './suspect-clones.ts'

const EVERY_MS = 600_000
/** The longest range that can be asked for, and a month to be sure of it. */
export const DAYS_KEPT = 400
/** What tells one reader from another is kept for a day and the next. */
const READER_DAYS_KEPT = 2
/** Rows of one statement: it holds its locks for some 50 ms. */
const AT_A_TIME = 5_000

/** Rows deleted, by table; undefined when another process has done it within the last ten minutes. */
export type Cleaned = Readonly<Record<string, number>> | undefined

/** Deletes what is past its time, ten minutes after the last time at the earliest; stops between two steps when told. */
export async function cleanScans(
  { sql, clock }: OperatorContext,
  isStopped: () => boolean = () => false,
): Promise<Cleaned> {
  const now = clock.now()
  if (!(await takeTurn(sql, now))) return undefined
  const today = dayOf(now)
  const firstReaderDay = dayText(today - READER_DAYS_KEPT + 1)
  const firstDay = dayText(today - DAYS_KEPT)
  const before = new Date(now.getTime() - READER_DAYS_KEPT * DAY_MS)
  const steps: [string, () => Fragment][] = [
    ['scan_salt', () => deleteFrom(sql, 'scan_salt', sql`day < ${firstReaderDay}::text::date`)],
    ['scan_visitor', () => deleteFrom(sql, 'scan_visitor', sql`day < ${firstReaderDay}::text::date`)],
    [
      'scan_item_hour',
      () =>
        deleteFrom(
          sql,
          'scan_item_hour',
          sql`hour < ${hourText(hourOf(now) - WINDOW_HOURS + 1)}::text::timestamptz`,
        ),
    ],
    ['scan_writer', () => deleteFrom(sql, 'scan_writer', sql`wrote_at < ${before}`)],
    ['scan_day', () => deleteFrom(sql, 'scan_day', sql`day < ${firstDay}::text::date`)],
    ...['scan_account_span', 'scan_model_span'].flatMap(table =>
      SPAN_DAYS.map((days): [string, () => Fragment] => [
        table,
        () =>
          deleteFrom(
            sql,
            table,
            sql`days = ${days} and first_day <= ${dayText(today - DAYS_KEPT - days)}::text::date`,
          ),
      ]),
    ),
  ]
  const cleaned: Record<string, number> = {}
  for (const [table, step] of steps) {
    let deleted = AT_A_TIME
    while (deleted === AT_A_TIME && !isStopped()) {
      deleted = (await step()).count
      cleaned[table] = (cleaned[table] ?? 0) + deleted
    }
  }
  return cleaned
}

/** Whoever moves the row does the work: of several at once, one. */
async function takeTurn(sql: Sql, now: Date): Promise<boolean> {
  const mine = await sql`
    update scan_cleaning set done_at = ${now}
    where done_at <= ${new Date(now.getTime() - EVERY_MS)} or done_at > ${new Date(now.getTime() + EVERY_MS)}
    returning 1`
  return mine.length === 1
}

const deleteFrom = (sql: Sql, table: string, condition: Fragment): Fragment => sql`
  delete from ${sql(table)} where ctid = any(array(
    select ctid from ${sql(table)} where ${condition} limit ${AT_A_TIME}))`
