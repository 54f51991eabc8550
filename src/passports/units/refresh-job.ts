/**
 * Runs large refreshes in the background. The outdated units themselves show what remains, so any process can
 * continue.
 */
import { accountIsOpen, isAccountOpen } from '../../accounts/account/close-account.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { newUuid } from '../../kernel/crypto/ids.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { getShard, getShardNumber, listShards } from '../../kernel/db/shards.ts'
import { afterCommit, inTransaction, isTransaction } from '../../kernel/db/transaction.ts'
import { createBackgroundJobs, isAbandoned, type JobFailure } from '../../kernel/process/background-jobs.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import { getState } from '../core/state.ts'
import { countOutdated, lockOutdated, MAX_LISTED_UNITS, refreshAll } from './refresh.ts'
import type { Refreshed } from './refresh-units.ts'

const MAX_INLINE_UNITS = 500
/** After this time without progress, another process continues a job. */
const ABANDONED_AFTER_MS = 10_000

type JobProgress = { refreshed: number; skipped: unknown[]; failed: unknown[] }
export type JobReport = JobProgress & { started_at: string; finished_at: string | null }

type JobRow = JobProgress & {
  id: string
  account_id: number
  actor_id: number
  passport_id: string
  created_at: Date
  finished_at: Date | null
}

const columns = (sql: Sql) => sql`
  id, account_id, actor_id, passport_id, created_at, finished_at, refreshed, skipped, failed`

/** Refreshes a passport and all its units, up to 500 now, more in the background. Throws `not_found`. */
export async function refreshPassport(
  ctx: AccountContext,
  uuid: string,
): Promise<Refreshed & { pending: number }> {
  const state = await getState(ctx, uuid)
  const outdated = await countOutdated(ctx, state)
  if (outdated <= MAX_INLINE_UNITS) {
    if (!isTransaction(ctx.sql)) return { ...(await refreshAll(ctx, state)), pending: 0 }
    await lockOutdated(ctx, state)
    return { ...(await refreshAll(ctx, await getState(ctx, uuid))), pending: 0 }
  }
  const job = await openJob(ctx, uuid)
  const shard = getShardNumber(ctx.sql)
  if (job !== undefined) afterCommit(ctx.sql, pool => runners(getShard(pool, shard)).start(ctx.clock, job))
  return { refreshed: 0, skipped: [], failed: [], pending: outdated }
}

async function findJobReport(ctx: AccountContext, uuid: string): Promise<JobReport | undefined> {
  const [row] = await ctx.sql<JobRow[]>`
    select ${columns(ctx.sql)} from refresh_job where account_id = ${ctx.accountId} and passport_id = ${uuid}
    order by created_at desc limit 1`
  if (row === undefined) return undefined
  const { refreshed, created_at, finished_at, skipped, failed } = row
  return {
    refreshed,
    started_at: created_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
    skipped: skipped.slice(0, MAX_LISTED_UNITS),
    failed,
  }
}

/** Open background refreshes of all accounts, for monitoring. */
export async function countOpenJobs(database: Sql): Promise<number> {
  const counts = await Promise.all(
    listShards(database).map(async sql => {
      const [row] = await sql<{ n: number }[]>`
        select count(*) as n from refresh_job where finished_at is null`
      return row?.n ?? 0
    }),
  )
  return counts.reduce((total, n) => total + n, 0)
}

/** Undefined if a job is open. Locks the passport, so that a concurrent request finds the job. */
async function openJob(ctx: AccountContext, uuid: string): Promise<JobRow | undefined> {
  const { accountId, actorId } = ctx
  const now = ctx.clock.now()
  return inTransaction(ctx.sql, async sql => {
    await sql`select 1 from passport where id = ${uuid} and account_id = ${accountId} for no key update`
    const [job] = await sql<JobRow[]>`
      insert into refresh_job (created_at, alive_at, account_id, actor_id, refreshed, id, passport_id, skipped, failed)
      select ${now}::timestamptz, ${now}::timestamptz, ${accountId}::int, ${actorId}::int, 0,
        ${newUuid(now.getTime())}::uuid, ${uuid}::uuid, '[]', '[]'
      where not exists (
        select 1 from refresh_job where account_id = ${accountId} and passport_id = ${uuid} and finished_at is null)
      returning ${columns(sql)}`
    return job
  })
}

/** Continues abandoned jobs of open accounts. Every server calls it by a timer. */
export async function resumeRefreshes(sql: Sql, clock: Clock): Promise<number> {
  const now = clock.now()
  const rows = await sql<JobRow[]>`
    update refresh_job j set alive_at = ${now}
    where finished_at is null and ${isAbandoned(sql, now, ABANDONED_AFTER_MS)}
      and ${accountIsOpen(sql, sql`j.account_id`)}
    returning ${columns(sql)}`
  for (const row of rows) runners(sql).start(clock, row)
  return rows.length
}

/** Stops this process's jobs after their current step, and waits for them. */
export const stopRefreshes = (sql: Sql): Promise<void> => runners(sql).stop()

/** Resolves when this process's jobs have ended. */
export const refreshesEnded = (sql: Sql): Promise<void> => runners(sql).ended()

/** Errors that stopped jobs of this process since the last call. The jobs stay open for a retry. */
export const takeRefreshFailures = (sql: Sql): JobFailure[] => runners(sql).takeFailures()

const runners = perDatabase((sql: Sql) =>
  createBackgroundJobs<JobRow>((clock, job, goOn) => run(sql, clock, job, goOn)),
)

/** A resumed job tries failed units again, so their list starts empty; skipped fields stay listed. */
async function run(sql: Sql, clock: Clock, job: JobRow, goOn: () => boolean): Promise<void> {
  const ctx: AccountContext = { sql, clock, accountId: job.account_id, actorId: job.actor_id }
  const failed: Refreshed['failed'] = []
  const note = (skipped: Refreshed['skipped'], finishedAt: Date | null) => sql`
    update refresh_job set alive_at = ${clock.now()}, finished_at = ${finishedAt},
      skipped = case when jsonb_array_length(skipped) < ${MAX_LISTED_UNITS}
        then skipped || ${JSON.stringify(skipped)}::text::jsonb else skipped end,
      failed = ${JSON.stringify(failed)}::text::jsonb
    where account_id = ${job.account_id} and id = ${job.id}`
  let isWhole = true
  const progress = async (step: Refreshed) => {
    failed.push(...step.failed.slice(0, MAX_LISTED_UNITS - failed.length))
    // The statement that refreshes units counts them.
    if (step.refreshed === 0 || step.skipped.length + step.failed.length > 0)
      await note(step.skipped.slice(0, MAX_LISTED_UNITS), null)
    isWhole = goOn() && (await isAccountOpen(ctx))
    return isWhole
  }
  await refreshAll(ctx, await getState(ctx, job.passport_id), { jobId: job.id, progress })
  if (isWhole) await note([], clock.now())
}

/** How many units are outdated, and the newest background refresh. Throws `not_found`. */
export async function previewRefresh(
  ctx: AccountContext,
  uuid: string,
): Promise<{ outdated: number; job: JobReport | undefined }> {
  const state = await getState(ctx, uuid)
  return { outdated: await countOutdated(ctx, state), job: await findJobReport(ctx, uuid) }
}
