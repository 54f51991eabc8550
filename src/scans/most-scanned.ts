/**
 * The most scanned models, including their units. Each span proposes its top models, and only these are
 * summed up. In each span, any other model has at most the scans of the last proposed model (`max_rest`).
 */
import { readAllShards } from '../accounts/account/account-shard.ts'
import type { AccountContext } from '../accounts/account/context.ts'
import { dayOf, formatDay } from './day.ts'
import { listSpans } from './spans.ts'

/** Models that each span proposes: at most 500 in a year, with 20 rows each that are read by key. */
const PROPOSED_MODELS = 25

export type MostScanned = {
  models: { uuid: string; scans: number }[]
  /** False if a model that was not proposed could have as many scans as the last one listed. */
  isSure: boolean
}

type Row = { model_id: string; scans: number; max_rest: number }

/** Lists the `limit` most scanned models of the last `days` days, including today, most scans first. */
export async function listMostScanned(
  ctx: AccountContext,
  { days, limit }: { days: number; limit: number },
): Promise<MostScanned> {
  const byScans = (a: Row, b: Row) => b.scans - a.scans || (a.model_id < b.model_id ? -1 : 1)
  const rows = await readAllShards(ctx, byScans, at => readMostScanned(at, { days, limit }))
  const listed = rows.slice(0, limit)
  const lastListed = listed.at(-1)
  return {
    models: listed.map(({ model_id, scans }) => ({ uuid: model_id, scans })),
    isSure: lastListed === undefined || rows.every(row => lastListed.scans >= row.max_rest),
  }
}

async function readMostScanned(
  ctx: AccountContext,
  { days, limit }: { days: number; limit: number },
): Promise<Row[]> {
  const last = dayOf(ctx.clock.now())
  const spans = listSpans(last - days + 1, last)
  // `magnitude` is the number of bits of `scans`, so an index on it changes only when the scans double.
  return ctx.sql<Row[]>`
    with span as materialized (
      select * from unnest(
        ${spans.map(span => span.days)}::int[]::smallint[], ${spans.map(span => formatDay(span.first))}::text[]::date[]
      ) as u(days, first_day)
    ), proposed as materialized (
      select s.days, s.first_day, m.model_id, m.magnitude from span s cross join lateral (
        select model_id, magnitude from scan_model_span
        where account_id = ${ctx.accountId} and days = s.days and first_day = s.first_day
        order by magnitude desc limit ${PROPOSED_MODELS}) m
    ), rest as (
      select coalesce(sum(max_scans), 0)::bigint as max_scans from (
        select (2::bigint ^ min(magnitude))::bigint - 1 as max_scans from proposed
        group by days, first_day having count(*) = ${PROPOSED_MODELS}) full_spans
    )
    select candidate.model_id, sum(m.scans)::bigint as scans, (select max_scans from rest) as max_rest
    from (select distinct model_id from proposed) candidate cross join span s cross join lateral (
      select scans from scan_model_span
      where model_id = candidate.model_id and days = s.days and first_day = s.first_day and account_id = ${ctx.accountId}
      offset 0) m
    group by candidate.model_id order by scans desc, candidate.model_id limit ${limit}`
}
