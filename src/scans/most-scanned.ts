/**
 * The models scanned most in a range, their units included. Each of the spans that make up the range names its first
 * few; what is the most in all of them is among the most in one of them, as far as the rest is too little to add up.
 */
import type { AccountContext } from '../accounts/context.ts'
import { dayOf, formatDay } from './day.ts'
import { listSpans } from './spans.ts'

/** Of each span: at most 500 in a year, whose 20 rows each are then found by their keys. */
const NAMED = 25

export type MostScanned = {
  models: { uuid: string; scans: number }[]
  /** False where so many are scanned about equally often that another one may belong among them. */
  isSure: boolean
}

type Row = { model_id: string; scans: number; rest: number }

/** The `limit` most scanned of the last `days` days, today included, the most first. */
export async function listMostScanned(
  ctx: AccountContext,
  { days, limit }: { days: number; limit: number },
): Promise<MostScanned> {
  const last = dayOf(ctx.clock.now())
  const spans = listSpans(last - days + 1, last)
  const rows = await ctx.sql<Row[]>`
    with span as materialized (
      select * from unnest(
        ${spans.map(span => span.days)}::int[]::smallint[], ${spans.map(span => formatDay(span.first))}::text[]::date[]
      ) as u(days, first_day)
    ), named as materialized (
      select s.days, s.first_day, m.model_id, m.magnitude from span s cross join lateral (
        select model_id, magnitude from scan_model_span
        where account_id = ${ctx.accountId} and days = s.days and first_day = s.first_day
        order by magnitude desc limit ${NAMED}) m
    ), rest as (
      select coalesce(sum(most), 0)::bigint as most from (
        select (2::bigint ^ min(magnitude))::bigint - 1 as most from named
        group by days, first_day having count(*) = ${NAMED}) full_spans
    )
    select c.model_id, sum(m.scans)::bigint as scans, (select most from rest) as rest
    from (select distinct model_id from named) c cross join span s cross join lateral (
      select scans from scan_model_span
      where model_id = c.model_id and days = s.days and first_day = s.first_day and account_id = ${ctx.accountId}
      offset 0) m
    group by c.model_id order by scans desc, c.model_id limit ${limit}`
  const least = rows.at(-1)
  return {
    models: rows.map(({ model_id, scans }) => ({ uuid: model_id, scans })),
    isSure: least === undefined || least.scans >= least.rest,
  }
}
